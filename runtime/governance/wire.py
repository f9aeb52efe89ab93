"""What models send as ``context_update``, read by what the operations declare (spec/cpat.md section 2).

Models are sloppy in known ways: a list as JSON text, null for what is not used, one id where a list is asked for,
an id in the brackets of a tag. All of that is taken for what is meant; nothing is guessed beyond it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...compiler.ops.model import Argument, Op, OpTable
from ...compiler.problem import nearest
from ..kernel.content import Unusable, require_object
from .outcome import Rejection, listed

#: Operations of one transaction (spec/cpat.md section 3, row [P]).
MOST_OPS = 64

#: What a transaction may say beside its operations; ``base`` and ``key`` are optional.
FIELDS = ("reason", "operations", "base", "key")

#: What the journal keeps of operations that cannot be kept: none were asked for that could be told.
_NO_OPERATIONS = "[]"

#: A number as models write one that they were told: with the sign before it.
_NUMBER = re.compile(r"\s*#*\d{1,18}\s*", re.ASCII)

#: What stands before an id in a tag.
_TAG = re.compile(r"block\s*:\s*")


@dataclass(frozen=True, slots=True)
class Asked:
    """One operation as it was asked for: what it declares, its arguments by name, its targets' ids.

    ``is_readable``: no argument is of the wrong type or missing, so that refusals can be asked of them.
    """

    index: int
    op: Op
    arguments: Mapping[str, Any]
    targets: tuple[str, ...]
    is_readable: bool = True


@dataclass(frozen=True, slots=True)
class Payload:
    """A transaction as it was asked for. ``plain``: its operations as they came, for the journal."""

    reason: str
    asked: tuple[Asked, ...]
    base: int | None
    key: str | None
    problems: tuple[Rejection, ...]
    plain: str


def read_payload(payload: object, table: OpTable, gates: frozenset[str]) -> Payload:
    """Read a transaction: a mapping, or its JSON text. What is wrong with it is in ``problems``, in order."""
    problems: list[Rejection] = []
    fields = _parsed(payload)
    fault = _fault(payload)
    if fault or not isinstance(fields, Mapping):
        problems.append(Rejection(-1, "bad_payload", f"{fault}expected an object with reason and operations"))
        return Payload("", (), None, None, tuple(problems), _NO_OPERATIONS)
    for name in fields:
        if name not in FIELDS:
            problems.append(_unknown(-1, name, FIELDS))
    reason = fields.get("reason")
    reason = reason.strip() if isinstance(reason, str) else ""
    if not reason:
        problems.append(Rejection(-1, "reason_missing", "say in reason why this is done"))
    operations = _operations(fields, problems)
    asked = [one for i, raw in enumerate(operations) if (one := _asked(i, raw, table, gates, problems)) is not None]
    plain = _plain(operations, problems)
    return Payload(reason, tuple(asked), _base(fields, problems), _key(fields, problems), tuple(problems), plain)


def _fault(payload: object) -> str:
    """What is wrong with JSON text that holds no object, and how to mend it; blank where nothing is."""
    if not isinstance(payload, str):
        return ""
    try:
        require_object(payload)
    except Unusable as fault:
        return f"the arguments {fault.what} ({fault.help}); "
    return ""


def whole(value: object) -> int | None:
    """The whole number that is meant: one, a float without a fraction, or digits as text; None: there is none."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value.strip().lstrip("#"))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def clean_id(id: str) -> str:
    """The id that is meant: without blanks, quotes and the brackets of a tag."""
    inner = id.strip().lstrip("[\"'`").lstrip().rstrip("]\"'`").rstrip()
    tag = _TAG.match(inner)
    return inner[tag.end() :] if tag is not None else inner


def _operations(fields: Mapping[str, Any], problems: list[Rejection]) -> Sequence[Any]:
    found = _parsed(fields.get("operations"))
    if isinstance(found, Mapping):
        found = [found]
    if not isinstance(found, list):
        problems.append(Rejection(-1, "operations_missing", "operations must be a list; [] changes nothing"))
        return ()
    if len(found) > MOST_OPS:
        message = f"{len(found)} operations, at most {MOST_OPS} go into one transaction: split them"
        problems.append(Rejection(-1, "too_many_ops", message))
        return ()
    return found


def _plain(operations: Sequence[Any], problems: list[Rejection]) -> str:
    """The operations as the journal keeps them. A host may give what is no JSON."""
    try:
        return json.dumps(operations, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):
        problems.append(
            Rejection(-1, "bad_payload", "operations hold what JSON cannot: a name that is no text, or a loop")
        )
        return _NO_OPERATIONS


def _base(fields: Mapping[str, Any], problems: list[Rejection]) -> int | None:
    written = fields.get("base")
    base = whole(written)
    if written is None or base is not None:
        return base
    problems.append(Rejection(-1, "bad_argument", "base must be the number that the manifest gives, or be left out"))
    return None


def _key(fields: Mapping[str, Any], problems: list[Rejection]) -> str | None:
    key = fields.get("key")
    if isinstance(key, int) and not isinstance(key, bool):
        key = str(key)
    if key is None or isinstance(key, str):
        return key.strip() or None if key is not None else None
    problems.append(Rejection(-1, "bad_argument", "key must be a text, the same for every try, or be left out"))
    return None


def _asked(index: int, raw: object, table: OpTable, gates: frozenset[str], problems: list[Rejection]) -> Asked | None:
    """One operation; None when it is none of the table's, or its arguments cannot be told."""
    fields = _parsed(raw)
    if not isinstance(fields, Mapping) or not isinstance(fields.get("op"), str):
        problems.append(Rejection(index, "bad_operation", 'an operation is an object with a field "op"'))
        return None
    name = fields["op"].strip()
    op = table.ops.get(name)
    if op is None:
        near = nearest(name, table.ops)
        hint = f"did you mean {near}?" if near is not None else f"there are {', '.join(table.ops)}"
        problems.append(Rejection(index, "unknown_op", f"no operation {name[:60]!r}; {hint}"))
        return None
    if op.gate is not None and op.gate not in gates:
        problems.append(Rejection(
            index, "op_disabled", f"{op.name} is off here: the person must allow it (gate {op.gate})"
        ))  # fmt: skip
        return None
    known = {argument.name for other in table.ops.values() for argument in other.args}
    for field in fields:
        if field != "op" and field not in known:
            problems.append(_unknown(index, field, sorted(known)))
    arguments: dict[str, Any] = {}
    before = len(problems)
    for argument in op.args:
        arguments[argument.name] = _argument(index, argument, fields.get(argument.name), problems)
    is_readable = len(problems) == before
    targets = arguments.get(op.targets) or ()
    if not targets and is_readable:
        problems.append(Rejection(index, "empty_ids", f"{op.name} needs at least one id in {op.targets}"))
    return Asked(index, op, arguments, tuple(targets), is_readable)


def _argument(index: int, argument: Argument, raw: object, problems: list[Rejection]) -> Any:
    """The value of one argument, by its declared type; the default where it is null or left out."""
    if raw is None or (raw == "" and argument.type not in ("text", "slots", "slot")):
        raw = argument.default
    if raw is None:
        if argument.required:
            code = argument.refuse or "missing_argument"
            problems.append(Rejection(index, code, f"{argument.name} is missing" + _expected(argument)))
        return () if argument.type in ("slots", "slot", "texts") else None
    try:
        return _READ[argument.type](argument, raw)
    except _ExtraIds as error:
        problems.append(Rejection(index, "extra_ids", str(error)))
    except ValueError as error:
        code = argument.refuse if argument.type == "word" and argument.refuse else "bad_argument"
        problems.append(Rejection(index, code, f"{argument.name}: {error}"))
    return () if argument.type in ("slots", "slot", "texts") else None


class _ExtraIds(ValueError):
    """Several ids where one is taken."""


def _slots(argument: Argument, raw: object) -> tuple[str, ...]:
    found = _parsed(raw)
    if isinstance(found, str):
        found = [part for part in re.split(r"[,\s]+", found) if part] if {"@", "$"} & set(found) else [found]
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
        raise ValueError("expected a list of ids")
    return tuple(id for one in found if (id := clean_id(one)))


def _slot(argument: Argument, raw: object) -> tuple[str, ...]:
    found = _slots(argument, raw)
    if len(found) > 1:
        raise _ExtraIds(f"{argument.name} takes one id, got {len(found)}: {listed(found)}")
    return found


def _text(argument: Argument, raw: object) -> str:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return str(raw)
    raise ValueError("expected text")


def _texts(argument: Argument, raw: object) -> tuple[str, ...]:
    found = _parsed(raw) if isinstance(raw, str) and raw.lstrip().startswith("[") else raw
    if isinstance(found, str | int | float) and not isinstance(found, bool):
        found = [found]
    if not isinstance(found, list | tuple):
        raise ValueError("expected a list of texts")
    return tuple(text for one in found if one is not None and (text := _text(argument, one)).strip())


def _word(argument: Argument, raw: object) -> str:
    word = raw.strip() if isinstance(raw, str) else raw
    if word not in argument.words:
        raise ValueError(f"expected {' or '.join(argument.words)}")
    return str(word)


def _count(argument: Argument, raw: object) -> int:
    count = whole(raw)
    if count is None or count < 0:
        raise ValueError("expected a whole number, 0 or more")
    return count


def _flag(argument: Argument, raw: object) -> bool:
    if isinstance(raw, str) and raw.strip().lower() in ("true", "false"):
        return raw.strip().lower() == "true"
    if not isinstance(raw, bool):
        raise ValueError("expected true or false")
    return raw


_READ = {
    "slots": _slots, "slot": _slot, "text": _text, "texts": _texts, "word": _word, "count": _count, "flag": _flag,
}  # fmt: skip


def _expected(argument: Argument) -> str:
    return f": {' or '.join(argument.words)}" if argument.words else ""


def _unknown(index: int, name: object, known: Sequence[str]) -> Rejection:
    near = nearest(str(name), known)
    hint = f"did you mean {near}?" if near is not None else f"fields are {', '.join(known)}"
    return Rejection(index, "unknown_argument", f"no field {str(name)[:60]!r}; {hint}")


def _parsed(value: object) -> Any:
    """A list or an object out of JSON text; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
