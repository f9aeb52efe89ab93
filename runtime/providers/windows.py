"""The context windows of models, by their names: what a request may hold where nobody writes it.

A name may be served by others with less room: `governance.window` says so. Of a family the least is taken that one of
its members has. Sources: the pages of Anthropic, OpenAI, Google and DeepSeek on their models, as of November 2026.
"""

from __future__ import annotations

import re
from typing import Final

from .generations import thinks_adaptively

#: Tokens of all Claudes from 2.1 on, and of those that think adaptively.
_CLAUDE: Final = 200_000
_NEW_CLAUDE: Final = 1_000_000

#: Names and tokens; the first that fits counts. Of the 400,000 tokens of a gpt-5, 272,000 may be the request.
_WINDOWS: Final = tuple(
    (re.compile(rf"(?:^|/)(?:{names})(?:[-.:@]|$)"), tokens)
    for names, tokens in (
        (r"gpt-4\.1", 1_047_576),
        (r"(?:chat)?gpt-4o|gpt-4-(?:turbo|1106|0125|vision)|gpt-[5-9](?:\.\d)?-chat|o1-(?:mini|preview)", 128_000),
        (r"gpt-(?:[5-9]|\d\d)", 272_000),
        (r"o[134]", 200_000),
        (r"gpt-4-32k", 32_768),
        (r"gpt-4", 8_192),
        (r"gpt-3\.5-turbo", 16_385),
        (r"gemini-(?:1\.5|[23])", 1_048_576),
        (r"deepseek-(?:chat|reasoner)", 128_000),
    )
)


def known_window(model: str) -> int | None:
    """The window of a model in tokens; None where its name says nothing."""
    name = model.lower()
    if "claude-" in name and not re.search(r"claude-(?:instant|1|2\.0|2(?![.\d]))", name):
        return _NEW_CLAUDE if thinks_adaptively(name) else _CLAUDE
    return next((tokens for pattern, tokens in _WINDOWS if pattern.search(name)), None)
