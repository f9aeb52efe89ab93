"""A store's ``schema.json`` (specification of canon, section 6): what it asks of articles, and what is wrong with it.

Read whenever an article is read or written, so it needs nothing but the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

#: The parts of an article that may carry a rule.
FIELDS: Final = ("capsule", "title", "body")
RELATIONS: Final = ("refs", "orphan", "children")

#: The keys of a field's rule, and of each relation's.
FIELD_KEYS: Final = ("required", "min_chars", "max_chars", "hint")
RELATION_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "refs": ("required", "min_count", "hint"),
    "orphan": ("warn", "hint"),
    "children": ("listed", "hint"),
}

#: The name of the problem of a file that is there and cannot be read.
UNREADABLE: Final = "unreadable"

_NOT_ENFORCED = "its rules are not being enforced"


@dataclass(frozen=True, slots=True)
class Rule:
    """What is asked of one field or relation; ``minimum`` and ``maximum`` in characters (refs: in references).

    ``asked``: ``required``, ``orphan.warn`` or ``children.listed``. None: not bounded.
    """

    asked: bool = False
    minimum: int | None = None
    maximum: int | None = None
    hint: str = ""


NO_RULE: Final = Rule()


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """Something wrong in schema.json. ``name`` is the check that tells of it; ``path`` leads to it.

    ``fatal``: none of the rules are known.
    """

    name: str
    message: str
    help: str
    path: tuple[str, ...] = ()
    on_key: bool = False
    fatal: bool = False

    @property
    def text(self) -> str:
        """The problem as a reply tells it."""
        if self.name == UNREADABLE:
            return f"schema.json: {self.message}; nothing can be written before it can: {self.help}."
        return f"schema.json: {self.message}; {_NOT_ENFORCED if self.fatal else 'it is ignored'}."


@dataclass(frozen=True, slots=True)
class Schema:
    """The rules of a store by field and by relation. Nothing in them: the store asks nothing."""

    rules: Mapping[str, Rule]
    problems: tuple[SchemaProblem, ...] = ()

    def rule(self, name: str) -> Rule:
        """What is asked of a field or a relation."""
        return self.rules.get(name, NO_RULE)

    @property
    def unreadable(self) -> SchemaProblem | None:
        """Why the file cannot be read, if so. What it asks is not known then, so no article may be written.

        (A file that can be read and is no JSON asks nothing, as for the original: its owner sees what it says.)
        """
        return next((problem for problem in self.problems if problem.name == UNREADABLE), None)


#: The schema of a store that has no file: no checks, no noise.
NO_SCHEMA: Final = Schema({})


def read_schema(text: str) -> Schema:
    """The schema in the text of a file. What cannot be used is a problem, and is not enforced."""
    try:
        data = json_value(text)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        return _unusable("not-json", f"this is not valid JSON ({reason})", "mend it, or delete the file")
    return schema_of(data)


def json_value(text: str) -> Any:
    """The value of a text in JSON, a byte order mark or not. Raises ValueError, RecursionError.

    ``NaN`` and its like are refused: other programs that read the file know nothing of them.
    """
    return json.loads(text.removeprefix("\ufeff"), parse_constant=_constant, parse_int=_whole)


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no value of JSON")


def _whole(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise ValueError(f"a number has {len(digits)} digits, which is too many") from None


def unreadable_schema(reason: str) -> Schema:
    """The schema of a store whose file cannot be read for this reason, in words."""
    return _unusable(UNREADABLE, f"it cannot be read ({reason})", "put a file there, or take away what is there")


def schema_of(data: Any) -> Schema:
    """The schema in the value of a file."""
    if not isinstance(data, dict):
        return _unusable("wrong-type", "the file must hold an object", "start with {")
    article = data.get("article")
    if article is not None and not isinstance(article, dict):
        return _unusable("wrong-type", "`article` must be an object", "write an object of fields", ("article",))
    reader = _Reader()
    reader.read(article or {}, ("article",), "article field", FIELDS, dict.fromkeys(FIELDS, FIELD_KEYS))
    relations = data.get("relations", {})
    if not isinstance(relations, dict):
        reader.say("wrong-type", "`relations` must be an object", "write an object of relations", ("relations",))
    else:
        reader.read(relations, ("relations",), "relation", RELATIONS, RELATION_KEYS)
    return Schema(reader.rules, tuple(reader.problems))


def _unusable(name: str, message: str, help: str, path: tuple[str, ...] = ()) -> Schema:
    return Schema({}, (SchemaProblem(name, message, help, path, fatal=True),))


class _Reader:
    """One reading of a file: the rules that can be used, and the problems of the others."""

    def __init__(self) -> None:
        self.rules: dict[str, Rule] = {}
        self.problems: list[SchemaProblem] = []

    def say(self, name: str, message: str, help: str, path: tuple[str, ...], on_key: bool = False) -> None:
        self.problems.append(SchemaProblem(name, message, help, path, on_key))

    def read(
        self,
        section: Mapping[str, Any],
        path: tuple[str, ...],
        what: str,
        known: Sequence[str],
        keys: Mapping[str, Sequence[str]],
    ) -> None:
        """The rules of a section: of the fields of an article, or of its relations."""
        for name, written in section.items():
            here = (*path, name)
            if name not in known:
                self.say("unknown-key", f"unknown {what} `{name}`", f"there are {', '.join(known)}", here, True)
            elif not isinstance(written, dict):
                self.say("wrong-type", f"the rule of `{'.'.join(here)}` must be an object", "write {}", here)
            else:
                self.rules[name] = self._rule(written, here, keys[name])

    def _rule(self, written: Mapping[str, Any], path: tuple[str, ...], keys: Sequence[str]) -> Rule:
        values: dict[str, Any] = {}
        for key, value in written.items():
            here, shown = (*path, key), ".".join((*path, key))
            if key not in keys:
                help = f"the keys are {', '.join(keys)}"
                self.say("unknown-key", f"unknown rule key `{shown}`", help, here, True)
                continue
            part, fits, expected = _TYPES[key]
            if fits(value):
                values[part] = int(value) if isinstance(value, float) else value
            else:
                self.say("wrong-type", f"`{shown}` must be {expected}", f"write {expected}", here)
        return Rule(**values)


def _is_count(value: Any) -> bool:
    """Whether a value is a count. JSON has one kind of number: 1.0 is 1."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return (is_whole or (isinstance(value, float) and value.is_integer())) and value >= 0


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_FLAG = ("asked", _is_flag, "true or false")
_COUNT = "a whole number, 0 or more"

#: For each key: the part of a rule that it sets, what fits it, and that in words.
_TYPES: Final[Mapping[str, tuple[str, Callable[[Any], bool], str]]] = {
    "required": _FLAG,
    "warn": _FLAG,
    "listed": _FLAG,
    "min_chars": ("minimum", _is_count, _COUNT),
    "max_chars": ("maximum", _is_count, _COUNT),
    "min_count": ("minimum", _is_count, _COUNT),
    "hint": ("hint", _is_text, "a text"),
}
