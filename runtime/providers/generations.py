"""What the name of a model says of how it is asked to think. A name that says nothing is asked as models always were.

Sources: Anthropic's pages on adaptive thinking and on each model, OpenAI's reference of chat completions, as of
November 2026. A server that knows better says so, and is asked its way (``Dialect.after``).
"""

from __future__ import annotations

import re
from typing import Final

#: Claude by family, major and minor version, whoever serves it: claude-opus-4-6, anthropic/claude-haiku-4.5,
#: us.anthropic.claude-sonnet-4-20250514-v1:0 (a date is no version).
_CLAUDE: Final = re.compile(r"claude-([a-z]+)-(?:preview|(\d{1,2})(?:[-.](\d{1,2}))?)(?!\d)")

#: The versions from which families think adaptively. Newer families always have.
_ADAPTIVE_FROM: Final = {"opus": (4, 6), "sonnet": (4, 6), "haiku": (5, 0)}

#: The version from which all think unless they are asked not to.
_UNASKED_FROM: Final = (5, 0)

#: OpenAI's models that reason, and count that in the tokens of a completion: o1, o3-mini, gpt-5, openai/gpt-5.2.
_REASONING: Final = re.compile(r"(?:^|/)(?:o\d|gpt-(?:[5-9]|\d\d))(?:[-.:]|$)")


def thinks_adaptively(model: str) -> bool:
    """Whether a model is told how hard to think (``effort``) and decides itself how long: it refuses a budget."""
    found = _claude(model)
    return found is not None and found[1] >= _ADAPTIVE_FROM.get(found[0], (0, 0))


def thinks_unasked(model: str) -> bool:
    """Whether a model thinks where nothing is said of it: its thinking fills the bound of its answer."""
    found = _claude(model)
    return found is not None and found[1] >= _UNASKED_FROM


def counts_completions(model: str) -> bool:
    """Whether a model of OpenAI's refuses ``max_tokens`` for ``max_completion_tokens``."""
    return _REASONING.search(model.lower()) is not None


def _claude(model: str) -> tuple[str, tuple[int, int]] | None:
    """The family and version of a Claude; one that is named without a version counts as the newest."""
    match = _CLAUDE.search(model.lower())
    if match is None:
        return None
    family, major, minor = match.groups()
    return family, (int(major), int(minor or 0)) if major is not None else (99, 0)
