"""Usage as providers report it, to one shape: ``input`` is what no cache served.

OpenAI's prompt count includes what the cache served, Anthropic's and pi's does not (spec/context_bugs.md, 14):
adding the parts of either must give the length of the prompt once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from ..values import Usage

#: The names that providers and what stands before them give to each figure, in the order in which they are looked for
#: (runtime spec, 2.1).
INPUT: Final = ("input", "inputTokens", "input_tokens", "promptTokens", "prompt_tokens")
OUTPUT: Final = ("output", "outputTokens", "output_tokens", "completionTokens", "completion_tokens")
CACHE_READ: Final = ("cacheRead", "cache_read", "cache_read_input_tokens")
CACHE_WRITE: Final = ("cacheWrite", "cache_write", "cache_creation_input_tokens")


def openai_usage(raw: object) -> Usage | None:
    """The ``usage`` of a chat completion; None when there is none, or nothing but zeros in it."""
    if not isinstance(raw, Mapping):
        return None
    prompt = _count(raw, *INPUT)
    details = raw.get("prompt_tokens_details")
    cached = _count(details, "cached_tokens") if isinstance(details, Mapping) else 0
    # DeepSeek names the same number so.
    cached = min(prompt, cached or _count(raw, "prompt_cache_hit_tokens"))
    return _some(Usage(prompt - cached, _count(raw, *OUTPUT), cached))


def anthropic_usage(raw: object) -> Usage | None:
    """The ``usage`` of a message; None when there is none, or nothing but zeros in it."""
    if not isinstance(raw, Mapping):
        return None
    return _some(Usage(_count(raw, *INPUT), _count(raw, *OUTPUT), _count(raw, *CACHE_READ), _count(raw, *CACHE_WRITE)))


def _some(usage: Usage) -> Usage | None:
    """A report of zeros says nothing, and must not stand for a context of no tokens."""
    return usage if usage != Usage() else None


def _count(raw: Mapping[str, Any], *names: str) -> int:
    """The first of these that is there, as a count; what is no finite number, or below zero, counts nothing."""
    value = next((raw[name] for name in names if raw.get(name) is not None), 0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return max(0, int(value))
