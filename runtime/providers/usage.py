"""Usage as providers report it, to one shape: ``input`` is what no cache served.

OpenAI's prompt count includes what the cache served, Anthropic's and pi's does not (spec/context_bugs.md, 14):
adding the parts of either must give the length of the prompt once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..values import Usage

#: The names that providers and what stands before them give to each figure, in the order in which they are looked for
#: (runtime spec, 2.1).
INPUT: Final = ("input", "inputTokens", "input_tokens", "promptTokens", "prompt_tokens")
OUTPUT: Final = ("output", "outputTokens", "output_tokens", "completionTokens", "completion_tokens")
CACHE_READ: Final = ("cacheRead", "cache_read", "cache_read_input_tokens")
CACHE_WRITE: Final = ("cacheWrite", "cache_write", "cache_creation_input_tokens")
TOTAL: Final = ("total", "totalTokens", "total_tokens")

#: The largest figure that is believed: no call has a billion tokens, and one lie would stay in the sums for good.
MOST: Final = 10**9

#: Replies that broke off, sums over several calls, and requests that were sent twice or that the server changed tell
#: nothing of one request (spec/cpat.md section 6). These stop reasons are of replies that broke off.
BROKEN_OFF: Final = frozenset({"aborted", "error"})


def is_exact(*, stop_reason: str = "", calls: int = 1, attempts: int = 1, edited: bool = False) -> bool:
    """Whether a report speaks of exactly the request that was counted.

    ``stop_reason``: of the reply; ``calls``: model calls that the report sums up; ``attempts``: times that the request
    was sent; ``edited``: the server changed it (context editing, truncation).
    """
    return stop_reason not in BROKEN_OFF and calls == 1 and attempts == 1 and not edited


def openai_usage(raw: object) -> Usage | None:
    """The ``usage`` of a chat completion; None when there is none, or nothing but zeros in it."""
    if not isinstance(raw, Mapping):
        return None
    prompt = _count(raw, *INPUT)
    details = raw.get("prompt_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    # DeepSeek and OpenRouter name the same numbers so.
    cached = min(prompt, _count(details, "cached_tokens") or _count(raw, "prompt_cache_hit_tokens"))
    stored = min(prompt - cached, _count(details, "cache_write_tokens"))
    return _some(raw, Usage(prompt - cached - stored, _count(raw, *OUTPUT), cached, stored))


def anthropic_usage(raw: object) -> Usage | None:
    """The ``usage`` of a message; None when there is none, or nothing but zeros in it.

    One that sums up several samplings (``iterations``) is not exact.
    """
    if not isinstance(raw, Mapping):
        return None
    iterations = raw.get("iterations")
    calls = len(iterations) if isinstance(iterations, list) and iterations else 1
    read, written = _count(raw, *INPUT), _count(raw, *OUTPUT)
    cached, stored = _count(raw, *CACHE_READ), _count(raw, *CACHE_WRITE)
    return _some(raw, Usage(read, written, cached, stored, is_exact(calls=calls)))


def _some(raw: Mapping[str, Any], usage: Usage) -> Usage | None:
    """The report with its total, where that is none of the parts' sum: some providers leave thinking out of the parts.

    A report of zeros says nothing, and must not stand for a context of no tokens.
    """
    total = _count(raw, *TOTAL)
    if total != usage.prompt + usage.output:
        usage = replace(usage, total=total)
    return usage if usage.prompt or usage.output or usage.total else None


def _count(raw: Mapping[str, Any], *names: str) -> int:
    """The first of these that is there, as a count; what is none, or more than ``MOST``, counts nothing."""
    value = next((raw[name] for name in names if raw.get(name) is not None), 0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
        return 0
    return int(value)
