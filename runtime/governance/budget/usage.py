"""Usage: how many tokens a prompt had, by the shape of the provider's report (spec/cpat.md section 6).

Providers disagree on whether ``input`` holds what a cache served. Counting that part twice, or not at all, moves
every limit (spec/context_bugs.md, 14), so a report is read by its shape and never guessed from its numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ...providers.usage import anthropic_usage, openai_usage
from ...values import Usage

Shape = Literal["openai", "anthropic", "pi"]


def usage_of(raw: Mapping[str, Any], shape: Shape) -> Usage | None:
    """One report as a Usage, whose ``input`` is what no cache served; None for one that says nothing.

    ``openai``: chat completions and responses, whose input count holds the cached part. ``anthropic`` and ``pi``:
    input, cache read and cache write beside each other.
    """
    if shape == "openai":
        return openai_usage(_responses(raw))
    return anthropic_usage(raw)


def prompt_tokens(raw: Mapping[str, Any], shape: Shape) -> int:
    """The tokens of the prompt that a report speaks of, whatever of it a cache served; 0: it says nothing."""
    usage = usage_of(raw, shape)
    return usage.prompt if usage is not None else 0


def context_tokens(raw: Mapping[str, Any], shape: Shape) -> int:
    """The prompt and the answer: what the conversation holds when the answer has joined it."""
    usage = usage_of(raw, shape)
    return usage.prompt + usage.output if usage is not None else 0


def _responses(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """OpenAI's newer reports name the details of the input differently, to the same effect."""
    details = raw.get("input_tokens_details")
    return {**raw, "prompt_tokens_details": details} if isinstance(details, Mapping) else raw
