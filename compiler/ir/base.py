"""What the models share: strict, frozen, closed; host sections are open."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from ...grammar.spans import Span


class Section(BaseModel):
    """A section that dcc reads: an unknown key is an error, a type is never coerced."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True, allow_inf_nan=False)


class HostSection(Section):
    """A section of the host: typed where dcc uses it, any other key is accepted and kept."""

    model_config = ConfigDict(extra="allow")


def _listed(value: Any) -> Any:
    """A YAML list as a tuple: strict models take no list for a tuple."""
    return tuple(value) if isinstance(value, list) else value


#: A name alone stands for a list of one.
ONE_OR_MORE = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}

Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Listed = BeforeValidator(_listed)
Count = Annotated[int, Field(ge=0)]
AtLeastOne = Annotated[int, Field(ge=1)]


def written_as(schema: dict[str, Any]) -> WithJsonSchema:
    """How a value is written, for editors (JSON Schema): what a validator takes besides its model."""
    return WithJsonSchema(schema)


def fault(
    check: str, message: str, help: str, within: Span | None = None, *, mend: str | None = None
) -> PydanticCustomError:
    """An error of a leaf in dcc's own words; ``check`` is the name of the check that owns it.

    A message that starts with ``:`` goes on from the key path and ends with the value that was found. ``mend``
    is what can be written in place of the value.
    """
    context = {"check": check, "message": message, "help": help, "within": within, "mend": mend}
    return PydanticCustomError("dcc", "{message}", context)
