"""The summaries that are asked of a model: how long they may be, how much is thought, what one request may hold.

Source: spec of the agent runtime, section 4.1: four fifths of the reserve, reasoning ``high``.
"""

from __future__ import annotations

import math
from typing import Final

from ....compiler.program import Program
from ...compaction.asking import MAX_TOKENS, ProviderCompressor
from ...providers.protocol import LONGEST_ANSWER, ModelRequest, Provider, Think
from .staged import StagedCompressor

#: Of the reserve, what a summary may fill.
SHARE: Final = 0.8


def longest(reserve: int, answer: int | None = None) -> int:
    """The most tokens of a summary, of a ``reserve`` in tokens; never fewer than are asked of any model.

    ``answer``: the most tokens of an answer, where the ruleset writes them.
    """
    return max(MAX_TOKENS, min(math.floor(SHARE * reserve), answer or LONGEST_ANSWER))


def room_of(program: Program, window: int, max_context: int | None) -> int:
    """The tokens that a request for a summary may hold: the window, or less where fewer are written.

    ``max_context``: the person's own limit, in tokens; it beats the ruleset's.
    """
    written = (program.sections.get("governance") or {}).get("max_context") if max_context is None else max_context
    return min(window, written) if isinstance(written, int) else window


def asked_of(provider: Provider, settings: ModelRequest, reserve: int) -> ProviderCompressor:
    """What asks a provider for summaries. ``settings``: what every request has in common; ``reserve`` in tokens."""
    think: Think = "none" if settings.think == "none" else "high"
    most = longest(reserve, settings.max_tokens)
    return ProviderCompressor(provider, settings.model, max_tokens=most, think=think)


def in_parts(asked: ProviderCompressor, room: int) -> StagedCompressor:
    """The same for transcripts of any length. ``room``: the tokens that one request may hold."""
    return StagedCompressor(asked, room, limit=asked.max_tokens)
