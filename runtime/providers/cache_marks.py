"""Where Anthropic's cache is asked to hold on: after the top field, and after the last stable block.

A mark on the top field covers the tools, which stand before it. The volatile tail is never marked: it differs
in every request, so what is kept up to it would never be read again.
"""

from __future__ import annotations

from ..view.unit import Message
from .protocol import Cache

#: Block types that take no mark.
_UNMARKED = frozenset({"thinking", "redacted_thinking"})


def mark_system(system: list[Message], cache: Cache) -> list[Message]:
    """The blocks of the top field, the last one marked."""
    return _mark_last(system, cache)


def mark_messages(messages: list[Message], cache: Cache) -> list[Message]:
    """The stable messages, the last block marked that takes a mark. Nothing that was given is changed."""
    for at in range(len(messages) - 1, -1, -1):
        blocks = blocks_of(messages[at])
        marked = _mark_last(blocks, cache)
        if marked is not blocks:
            return [*messages[:at], {**messages[at], "content": marked}, *messages[at + 1 :]]
    return messages


def blocks_of(message: Message) -> list[Message]:
    """The content of a message as blocks: a message made by hand may have plain text."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _mark_last(blocks: list[Message], cache: Cache) -> list[Message]:
    if cache == "none":
        return blocks
    mark = {"type": "ephemeral"} if cache == "5m" else {"type": "ephemeral", "ttl": cache}
    for at in range(len(blocks) - 1, -1, -1):
        if blocks[at]["type"] not in _UNMARKED:
            return [*blocks[:at], {**blocks[at], "cache_control": mark}, *blocks[at + 1 :]]
    return blocks
