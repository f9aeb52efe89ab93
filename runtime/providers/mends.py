"""Mends of refusals that a kind of error alone does not tell."""

from __future__ import annotations

import re
from typing import Final

#: Some of OpenAI's models take no tools in chat completions while they think, also where nobody asked them to.
NO_TOOLS_WHILE_THINKING: Final = re.compile(r"tools with reasoning_effort are not supported")

_MENDS: Final = (
    (
        NO_TOOLS_WHILE_THINKING,
        "with tools this model does not think in chat completions, which dcc speaks: write provider.think: none, or "
        "choose another model",
    ),
    (
        re.compile(r"only (?:supported|available) in v1/responses|use (?:the )?/?v1/responses|not a chat model"),
        "dcc speaks chat completions, and this model does not: choose one that does, or a gateway that translates",
    ),
)


def mend_of(said: str) -> str | None:
    """How to mend what a server refuses in these words; None: as every error of its kind."""
    words = said.lower()
    return next((mend for pattern, mend in _MENDS if pattern.search(words)), None)
