"""Plain values -> IR. What does not fit is a problem, and is left out so that the rest is still checked."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ..mending import BOOLEANS
from ..problem import Around, At, KeyPath, Mend, Problem, nearest, one_of, quote, respell, show_path, sure
from .ruleset import Ruleset

Built = TypeVar("Built", bound=BaseModel)

#: Rounds of leaving out what is wrong. Each takes out at least one value; leaving out may uncover more.
MAX_ROUNDS = 8

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
    "finite_number": "a finite number",
}


def build_ruleset(data: Mapping[str, Any]) -> tuple[Ruleset, list[Problem]]:
    """The IR of a ruleset's plain values, and a problem for every value that does not fit."""
    return build(Ruleset, data)


def build(model: type[Built], data: Mapping[str, Any]) -> tuple[Built, list[Problem]]:
    """The plain values of a file as its model, and a problem for every value that does not fit."""
    values: dict[str, Any] = {key: value for key, value in data.items() if value is not None}
    problems: list[Problem] = []
    for _ in range(MAX_ROUNDS):
        try:
            return model.model_validate(values), problems
        except ValidationError as error:
            faults = error.errors(include_url=False)
        paths = [_written_path(values, fault["loc"]) for fault in faults]
        problems += [_problem(model, path, fault, values) for path, fault in zip(paths, faults, strict=True)]
        values = _without(values, paths)
    return model(), problems


def _problem(model: type[BaseModel], path: KeyPath, fault: Mapping[str, Any], data: Any) -> Problem:
    """The problem of one pydantic error, in dcc's words."""
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "dcc":
        message = context["message"]
        if message.startswith(":"):
            message = f"{show_path(path)}{message}, got {quote(value_at(data, path))}"
        mends = _bound_mends(path, context, value_at(data, path))
        return Problem(context["check"], message, path, help=context["help"], within=context["within"], mends=mends)
    if kind == "extra_forbidden":
        return _unknown_key(model, path, data)
    value = quote(fault["input"])
    name = show_path(path)
    if kind == "literal_error":
        choices = one_of(context["expected"].replace("'", "").replace(" or ", ", ").split(", "))
        words = choices.replace(" or ", ", ").split(", ")
        near = nearest(str(fault["input"]), words)
        help = f"did you mean {quote(near)}?" if near else f"write {choices}"
        meant = sure(str(fault["input"]), words)
        mends = (respell(path, meant),) if meant else ()
        return Problem("wrong-value", f"{name} is {value}, expected {choices}", path, help=help, mends=mends)
    if "ge" in context or "gt" in context:
        least = context["ge"] if "ge" in context else f"more than {context['gt']}"
        expected = f"at least {least}" if "ge" in context else str(least)
        return Problem("wrong-value", f"{name} is {value}, expected {expected}", path, help=f"write {expected}")
    if "le" in context:
        expected = f"at most {context['le']}"
        return Problem("wrong-value", f"{name} is {value}, expected {expected}", path, help=f"write {expected}")
    expected = _EXPECTED.get(kind, "another kind of value")
    if "[key]" in fault["loc"]:
        expected = "text as a key"
    help, mends = f"write {expected} here", _type_mends(path, kind, fault["input"])
    if expected == "a mapping" and _is_yes(fault["input"]) and _takes_defaults(model, path):
        help, mends = "write {}: the section as it is when nothing else is said", (respell(path, "{}"),)
    return Problem("wrong-type", f"{name} is {value}, expected {expected}", path, help=help, mends=mends)


def _is_yes(value: Any) -> bool:
    return value is True or (isinstance(value, str) and BOOLEANS.get(value.lower(), value.lower()) == "true")


def _takes_defaults(model: type[BaseModel], path: KeyPath) -> bool:
    """Whether an empty mapping can stand at a path: a section, all of whose keys may be left out."""
    with suppress(ValidationError):
        return len(path) == 1 and bool(model.model_validate({path[0]: {}}))
    return False


def _bound_mends(path: KeyPath, context: Mapping[str, Any], value: Any) -> tuple[Mend, ...]:
    """How a leaf's own fault is mended: by the words that it names, or an open end where one is missing."""
    if context["mend"] is not None:
        return (respell(path, context["mend"]),)
    if context["check"] != "not-a-pair":
        return ()
    if isinstance(value, list):
        edit = (At((*path, 0), quoted=False), Around("", ", null")) if len(value) == 1 else None
    else:
        edit = (At(path, quoted=False), Around("[", ", null]"))
    return (Mend("give it an open end", False, (edit,)),) if edit else ()


def _type_mends(path: KeyPath, kind: str, value: Any) -> tuple[Mend, ...]:
    """How a scalar becomes what its key takes. Quotes keep what is written; the rest is a guess."""
    at = At(path, quoted=False)
    if kind == "string_type" and isinstance(value, bool | int | float):
        return (Mend("put it in quotes", True, ((at, Around('"', '"')),)),)
    if kind in ("int_type", "float_type") and isinstance(value, str) and _NUMBER.fullmatch(value):
        return (Mend("take the quotes off", False, ((at, value),)),)
    if kind == "bool_type" and isinstance(value, str):
        meant = BOOLEANS.get(value.lower(), value.lower())
        return (Mend(f"write {meant}", False, ((at, meant),)),) if meant in ("true", "false") else ()
    if kind == "tuple_type" and isinstance(value, str):
        return (Mend("make it a list", False, ((at, Around("[", "]")),)),)
    return ()


def _unknown_key(model: type[BaseModel], path: KeyPath, data: Any) -> Problem:
    *way, last = path
    known = keys_at(model, tuple(way))
    where = f"in {show_path(tuple(way))}" if way else "at the top"
    fitting = _taking(model, path, known, value_at(data, path))
    near = nearest(str(last), fitting)
    help = f"did you mean {quote(near)}?" if near else f"the keys here are {one_of(known)}"
    meant = sure(str(last), set(fitting) - set(value_at(data, tuple(way))))
    mends = (respell(path, meant, "key"),) if meant else ()
    return Problem("unknown-key", f"unknown key {quote(last)} {where}", path, help=help, on="key", mends=mends)


def _taking(model: type[BaseModel], path: KeyPath, known: tuple[str, ...], value: Any) -> tuple[str, ...]:
    """Those of the keys beside a path that may have this value: a mapping, or one of a few words, tells them apart."""
    found: Any = model
    for part in path[:-1]:
        found = _model_of(found, part)
    fields = {field.alias or name: field.annotation for name, field in found.model_fields.items()} if known else {}
    return tuple(key for key in known if _takes(fields[key], value))


def _takes(annotation: Any, value: Any) -> bool:
    if isinstance(value, dict):
        return _takes_mapping(annotation)
    words = [word for choice in get_args(annotation) for word in get_args(choice) if get_origin(choice) is Literal]
    only_words = words and all(get_origin(choice) is Literal or choice is type(None) for choice in get_args(annotation))
    return value in words if only_words else True


def _takes_mapping(annotation: Any) -> bool:
    if annotation in (dict, Any) or _is_model(annotation):
        return True
    return _args_hold_mapping(annotation) or any(map(_takes_mapping, get_args(annotation)))


def keys_at(model: type[BaseModel], path: KeyPath) -> tuple[str, ...]:
    """The keys that a model knows under a key path; nothing for a mapping with free keys."""
    found: Any = model
    for part in path:
        found = _model_of(found, part)
    return tuple(field.alias or name for name, field in found.model_fields.items()) if _is_model(found) else ()


def _model_of(model: Any, part: str | int) -> Any:
    """The model under a key: a field's own, or the value model of a mapping."""
    if not _is_model(model) or part not in model.model_fields:
        return _inner_model(model)
    annotation = model.model_fields[part].annotation
    return _inner_model(annotation) if _args_hold_mapping(annotation) is False else annotation


def _args_hold_mapping(annotation: Any) -> bool:
    return getattr(annotation, "__origin__", None) is dict


def _inner_model(annotation: Any) -> Any:
    """The first model named in an annotation, such as that of ``dict[str, Entry]``."""
    if _is_model(annotation):
        return annotation
    for argument in get_args(annotation):
        if (found := _inner_model(argument)) is not None:
            return found
    return None


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)


def _written_path(data: Any, loc: tuple[str | int, ...]) -> KeyPath:
    """The part of a pydantic location that the ruleset really holds.

    Pydantic adds steps for unions and validators, and names the start and end of a pair.
    """
    path: list[str | int] = []
    value = data
    for part in loc:
        if not _holds(value, part):
            continue
        path.append(part)
        value = value_at(value, (part,))
    return tuple(path)


def _holds(value: Any, part: str | int) -> bool:
    """Whether a value has this key or index; a list that stands for a pair has a start and an end."""
    if isinstance(value, dict):
        return part in value
    if not isinstance(value, list):
        return False
    return part < len(value) if isinstance(part, int) else part in ("start", "end")


def value_at(data: Any, path: KeyPath) -> Any:
    """The plain value that is written at a path; a list that stands for a pair has a start and an end."""
    for part in path:
        if isinstance(data, list) and isinstance(part, str):
            part = 0 if part == "start" else 1
        data = data[part]
    return data


def _without(data: Any, paths: Collection[KeyPath]) -> Any:
    """A copy of the data without the values at ``paths``; a list that loses an item goes whole."""
    if not isinstance(data, dict):
        return data
    below: dict[str | int, list[KeyPath]] = {}
    for first, *rest in filter(None, paths):
        below.setdefault(first, []).append(tuple(rest))
    kept = {}
    for key, value in data.items():
        if key not in below:
            kept[key] = value
        elif () not in below[key] and isinstance(value, dict):
            kept[key] = _without(value, below[key])
    return kept
