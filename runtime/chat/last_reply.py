"""The last reply of a turn: whether it says anything, and what a person is told of how it came to its end."""

from __future__ import annotations

from ..providers.protocol import StopReason
from ..session import Reply

#: What a person is told of an answer that ended early.
_CUT = {
    "length": ("answer_cut", "the answer was cut: it is as long as the provider allows (provider.max_tokens)"),
    "refused": ("answer_refused", "the provider refused to answer"),
}

#: Some models end a turn without a word, mostly after their last tool.
_SILENT = ("answer_empty", "the model ended the turn without a word")


def says_something(reply: Reply) -> bool:
    """Whether anything of an answer has come that is worth keeping."""
    return bool(reply.text or reply.thinking or reply.elements or reply.pins)


def told_of(reply: Reply, stop_reason: StopReason) -> list[tuple[str, str]]:
    """The notices of the last reply of a turn: how it ended, if not as it should, and what the model pinned."""
    told = [_CUT[stop_reason]] if stop_reason in _CUT else []
    if stop_reason == "stop" and not (reply.text.strip() or reply.elements or reply.pins):
        told.append(_SILENT)
    return [*told, *(("pinned_by_model", f"the model pinned: {text}") for text in reply.pins)]
