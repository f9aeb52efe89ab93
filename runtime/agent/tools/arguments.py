"""The arguments of a built-in tool, read by its own JSON Schema: flat, of texts, whole numbers and switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....grammar.errors import DccError

_NAMES = {"string": "a text", "integer": "a whole number", "boolean": "true or false"}


class ToolError(DccError):
    """A call that cannot be carried out; its message is written for the model."""


def read_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as ``schema`` declares them; those left out, or null, are absent.

    Models write numbers and switches as texts now and then (``"10"``, ``"true"``): these are read as meant.
    Raises ToolError (``bad_arguments``).
    """
    properties: Mapping[str, Any] = schema["properties"]
    unknown = sorted(set(arguments) - set(properties))
    if unknown:
        raise ToolError(
            "bad_arguments", f"there is no argument {unknown[0]!r}", help=f"the arguments are {', '.join(properties)}"
        )
    given = {
        name: _read(name, properties[name], value) for name, value in arguments.items() if value is not None
    }
    for name in schema.get("required", ()):
        if name not in given:
            raise ToolError(
                "bad_arguments", f"the argument {name!r} is missing", help=str(properties[name].get("description", ""))
            )
    return given


def _read(name: str, declared: Mapping[str, Any], value: Any) -> Any:
    match declared["type"], value:
        case "string", str():
            return value
        case "boolean", bool():
            return value
        case "boolean", "true" | "false":
            return value == "true"
        case "integer", str() if value.strip().isascii() and value.strip().isdigit() and len(value) < 20:
            return _whole(name, declared, int(value))
        case "integer", bool():
            pass
        case "integer", int():
            return _whole(name, declared, value)
        case "integer", float() if value.is_integer():
            return _whole(name, declared, int(value))
    shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:60] + "…"
    raise ToolError("bad_arguments", f"{name} is {shown}, expected {_NAMES[declared['type']]}")


def _whole(name: str, declared: Mapping[str, Any], value: int) -> int:
    least = declared.get("minimum")
    if least is not None and value < least:
        raise ToolError("bad_arguments", f"{name} is {value}, expected at least {least}")
    return value
