"""Regular expressions in linear time (RE2), as ``match`` and recall triggers use them (language.md section 2)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


def occurs(pattern: str, text: str) -> bool:
    """Whether ``text`` holds what ``pattern`` describes. A lone surrogate, which RE2 cannot read, counts as ``?``."""
    return compiled(pattern).search(_readable(text)) is not None


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """The compiled form of a pattern. Raises ``re2.error`` for what is none."""
    # Loaded only where a pattern is: most rulesets have none.
    import re2

    options = re2.Options()
    options.log_errors = False
    return re2.compile(_readable(pattern), options)


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
