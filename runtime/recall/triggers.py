"""When recall looks by itself (spec of the first system, section 12, triggers). Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .settings import RecallSettings


def fires(settings: RecallSettings, query: str) -> bool:
    """Whether a message makes recall look. ``pattern`` is RE2, in linear time; an empty message has no match."""
    match settings.trigger:
        case "always":
            return True
        case "pattern":
            return bool(query) and _regex(settings.pattern).search(_searchable(query)) is not None
        case _:
            return False


def _searchable(text: str) -> str:
    """The text without lone surrogates, which RE2 cannot read."""
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=64)
def _regex(pattern: str) -> Any:
    # Loaded only where a pattern is: most sessions have none.
    import re2

    return re2.compile(pattern)
