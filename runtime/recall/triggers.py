"""When recall looks by itself (spec of the first system, section 12, triggers). Pure."""

from __future__ import annotations

from ...grammar.linear import occurs
from .settings import RecallSettings


def fires(settings: RecallSettings, query: str) -> bool:
    """Whether a message makes recall look. ``pattern`` is RE2, in linear time; an empty message has no match."""
    match settings.trigger:
        case "always":
            return True
        case "pattern":
            return bool(query) and occurs(settings.pattern, query)
        case _:
            return False
