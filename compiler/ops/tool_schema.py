"""The tools that a model is given for its operations, as JSON Schema made from their declarations."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final, Literal

from .model import Argument, Op, OpTable

#: How a request declares its tools.
ToolFormat = Literal["openai", "anthropic"]

CONTEXT_UPDATE: Final = "context_update"
ARTIFACT_GET: Final = "artifact_get"

#: What ``artifact_get`` gives when it is not told how much, in characters (spec/cpat.md section 2).
MAX_CHARS: Final = 6_000

_UPDATE = (
    "Change what you see of your own context. All operations of one call are carried out together, from your next "
    "request on, or none is: then every reason is given at once. [] changes nothing."
)
_GET = (
    "Read a stored text by its artifact:// address or the id of its slot, a part at a time, with the images that are "
    "named in the part. It changes nothing in your context."
)


def context_update(table: OpTable, format: ToolFormat, gates: Collection[str] | None = None) -> dict[str, Any]:
    """The tool ``context_update`` as an entry of ``tools``. ``gates`` are those that are open; None: all are."""
    return _tool(CONTEXT_UPDATE, _UPDATE, update_parameters(offered(table, gates)), format)


def context_tools(
    table: OpTable, format: ToolFormat, gates: Collection[str] | None = None
) -> list[dict[str, Any]]:
    """The tool ``context_update`` where it has an operation to offer: providers refuse a choice of nothing."""
    return [context_update(table, format, gates)] if offered(table, gates) else []


def artifact_get(format: ToolFormat) -> dict[str, Any]:
    """The tool ``artifact_get`` as an entry of ``tools``."""
    properties = {
        "uri": {"type": "string", "description": "artifact://… as it stands in your context, or the id of a slot"},
        "max_chars": {"type": "integer", "minimum": 1, "description": f"characters to read, {MAX_CHARS:,} if left out"},
        "offset": {"type": "integer", "minimum": 0, "description": "characters to skip"},
        "grep": {"type": "string", "description": "only the lines that match this pattern (RE2), with their numbers"},
    }
    return _tool(ARTIFACT_GET, _GET, _object(properties, ("uri",)), format)


def offered(table: OpTable, gates: Collection[str] | None) -> tuple[Op, ...]:
    """The operations that no closed gate keeps back, in their order."""
    return tuple(op for op in table.ops.values() if op.gate is None or gates is None or op.gate in gates)


def update_parameters(ops: Iterable[Op]) -> dict[str, Any]:
    """The arguments of ``context_update``: a reason, and operations as flat objects."""
    ops = tuple(ops)
    names = dict.fromkeys(argument.name for op in ops for argument in op.args)
    # What every operation needs in the first place stands under one name in all of them, or is left to each.
    shared = {op.targets for op in ops}
    operation = _object(
        {
            "op": {"type": "string", "enum": [op.name for op in ops], "description": _described(ops)},
            **{name: _property(name, ops) for name in names},
        },
        ("op", *(shared if len(shared) == 1 else ())),
    )
    properties = {
        "reason": {"type": "string", "description": "why, in one sentence"},
        "operations": {"type": "array", "items": operation},
        "base": {
            "type": "integer",
            "description": "the number that the manifest gives: refused if the context has changed since",
        },
    }
    return _object(properties, ("reason", "operations"))


def signature(op: Op) -> str:
    """An operation with its arguments: ``merge(ids, description, content, resolution?)``."""
    return f"{op.name}({', '.join(a.name + ('?' if a.default is not None else '') for a in op.args)})"


def _described(ops: Iterable[Op]) -> str:
    return "\n".join(f"{signature(op)}: {op.doc}" for op in ops)


def _property(name: str, ops: Iterable[Op]) -> dict[str, Any]:
    """One property for the arguments of that name: of all their types, saying what each operation means by it."""
    declared = [(op, argument) for op in ops if (argument := op.arg(name)) is not None]
    types = {argument.type for _, argument in declared}
    if types == {"slots", "slot"}:
        types = {"slots"}
    schemas = [_schema(kind, [a for _, a in declared if a.type == kind]) for kind in sorted(types)]
    said: dict[str, list[str]] = {}
    for op, argument in declared:
        said.setdefault(_told(argument), []).append(op.name)
    if len(said) == 1:
        text = next(iter(said))
    else:
        text = "; ".join(f"{', '.join(names)}: {doc}" for doc, names in said.items() if doc)
    whole = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return {**whole, "description": text} if text else whole


def _schema(kind: str, declared: list[Argument]) -> dict[str, Any]:
    match kind:
        case "slots" | "texts":
            return {"type": "array", "items": {"type": "string"}}
        case "word":
            return {"type": "string", "enum": list(dict.fromkeys(word for a in declared for word in a.words))}
        case "count":
            return {"type": "integer", "minimum": 0}
        case "flag":
            return {"type": "boolean"}
        case _:
            return {"type": "string"}


def _told(argument: Argument) -> str:
    if argument.default is None:
        return argument.doc
    shown = str(argument.default).lower() if isinstance(argument.default, bool) else argument.default
    return f"{argument.doc}{' ' if argument.doc else ''}(default {shown})"


def _object(properties: dict[str, Any], required: Iterable[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _tool(name: str, description: str, parameters: dict[str, Any], format: ToolFormat) -> dict[str, Any]:
    if format == "anthropic":
        return {"name": name, "description": description, "input_schema": parameters}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}
