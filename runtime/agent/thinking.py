"""Thinking that a model refuses: what is asked for in its place (runtime spec, section 6.3, the thinking fallback).

Which levels a model takes is known to its server alone, and told in the words of an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..providers.errors import ProviderError
from ..providers.mends import NO_TOOLS_WHILE_THINKING
from ..providers.protocol import Think

#: From the least to the most.
LEVELS: Final[tuple[Think, ...]] = ("none", "minimal", "low", "medium", "high", "xhigh")

#: Levels by the words of servers; dcc sends no others than its own.
_BY_WORD: Final[Mapping[str, Think]] = {
    "none": "none", "off": "none", "disabled": "none", "minimal": "minimal", "low": "low", "medium": "medium",
    "high": "high", "xhigh": "xhigh",
}  # fmt: skip

_ABOUT: Final = re.compile(r"think|reasoning|effort|思考|推理")
_REFUSES: Final = re.compile(
    r"not support|unsupported|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|invalid|must be|should be"
    r"|supported (?:values|levels)|expected|mandatory|required?\b|cannot be disabled|is enabled|不支持|无效|未知"
)
#: Thinking of an earlier reply that is sent back and not believed: no level mends that.
_SIGNED: Final = re.compile(r"signature")
#: The levels that a server names, up to the end of the sentence.
_NAMED: Final = re.compile(
    r"(?:supported (?:values|levels)|one of|should be|must be|可选值|支持)(.*?)(?:\.\s|\.$|\n|$)"
)
#: Whatever the level: the model, its server or this history takes no thinking.
_NOT_AT_ALL: Final = re.compile(
    r"(?:unsupported|unknown|unrecogni[sz]ed|unexpected|invalid) (?:\w+ )?(?:parameter|argument|field|keyword|key)"
    r"|extra inputs|does(?:n't| not) support (?:extended )?(?:thinking|reasoning)\b"
    r"|(?:thinking|reasoning)(?:[_. ]effort)?[`'\"]? is not supported|type.enabled.{0,3}is not supported"
    r"|when .{0,3}thinking.{0,3}is enabled|不支持(?:深度)?(?:思考|推理)"
)


def instead(asked: Think | None, error: ProviderError) -> tuple[Think | None, ...]:
    """What to ask for in the place of a level that was refused, best first; None: of no level, the model decides.

    Lower levels come first, the nearest one before the others; where the server names those it takes, only they.
    Empty: the error says nothing of thinking.
    """
    said = error.message.lower()
    if error.kind == "bad_request" and NO_TOOLS_WHILE_THINKING.search(said):
        return ("none",) if asked != "none" else ()
    if asked is None:
        return ()
    words = {word for part in _NAMED.findall(said) for word in re.findall(r"[a-z]+", part)}
    named = {level for word, level in _BY_WORD.items() if word in words} - {asked}
    # Some name the value and those that they take, and not what it is the value of.
    is_about = _ABOUT.search(said) or (named and re.search(rf"\b{asked}\b", said))
    if error.kind != "bad_request" or not (is_about and _REFUSES.search(said)) or _SIGNED.search(said):
        return ()
    if _NOT_AT_ALL.search(said):
        return (None,)
    at = LEVELS.index(asked)
    lower, higher = LEVELS[:at][::-1], LEVELS[at + 1 :]
    if named:
        return (*(level for level in (*lower, *higher) if level in named), None)
    return (*(lower or higher[:1]), None)
