"""What is wrong with a value on the command line, in words of dcc's own: Typer hands on those of pydantic."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup


class Verbs(TyperGroup):
    """The verbs. A value that an option cannot take is told with what it can."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb that is named. Raises what Typer does, its message in plain words."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = _plain(error)
            raise


def _plain(error: typer.BadParameter) -> str:
    """The message of an error; one that pydantic wrote is written anew from what it found."""
    find = getattr(error.__cause__, "errors", None)
    if find is None:
        return error.message
    (found, *_) = find()
    given, limits = found["input"], found.get("ctx", {})
    match found["type"]:
        case "int_parsing" | "int_parsing_size":
            return f"{given!r} is no whole number"
        case "float_parsing":
            return f"{given!r} is no number"
        case "greater_than_equal":
            return f"{given} is less than {limits['ge']}"
        case "less_than_equal":
            return f"{given} is more than {limits['le']}"
    return error.message.removeprefix("Value error, ")
