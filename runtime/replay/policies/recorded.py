"""As recorded: what the host itself sent, by the provider's own count.

Its tokens hold the system prompt and the tools' schemas, which no other policy counts, and come from another
counter. What a recorded compaction took away is gone for the evidence; the summary in its place is not looked into.
"""

from __future__ import annotations

from ..calls import Call, Replayed
from ..history import History, PastCall


def as_recorded(history: History, name: str) -> Replayed:
    """The recording as it went."""
    verbatim = all(not history.users & _gone(call) for call in history.calls)
    return Replayed(name, tuple(map(_call, history.calls)), history.ids, verbatim, restorable=True)


def _call(call: PastCall) -> Call:
    usage = call.usage
    tokens = usage.input + usage.cache_read + usage.cache_write
    shown = (1 << call.held) - 1 & ~_gone(call)
    return Call(call.ordinal, call.turn, tokens, usage.cache_read, shown, shown)


def _gone(call: PastCall) -> int:
    return (1 << call.dropped) - 1
