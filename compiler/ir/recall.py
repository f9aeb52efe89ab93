"""``recall``: retired slots found again by the words of a message."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from .base import Count, Section, Texts

When = Literal["always", "never", "manual", "pattern"]


class Trigger(Section):
    """When recall looks: ``pattern`` is a regular expression on the user's text."""

    type: When = "always"
    pattern: str | None = None


def _trigger(value: Any) -> Any:
    return {"type": value} if isinstance(value, str) else value


class RecallSection(Section):
    """``top_k`` lines of at least ``min_score`` common words, from ``search_fields``."""

    type: Literal["none", "grep"] = "none"
    trigger: Annotated[Trigger, BeforeValidator(_trigger, json_schema_input_type=When | Trigger)] = Field(
        default_factory=Trigger
    )
    search_fields: Texts = ()
    top_k: Count = 3
    min_score: Count = 1
    instruction: str | None = None
    build: Any = None
    recall: Any = None
    update: Any = None
