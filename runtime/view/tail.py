"""The volatile tail: the last message of a request, that no slot holds and no cache keeps (kernel.md section 5)."""

from __future__ import annotations

from ..kernel.tokens import count_tokens
from .transcript import Format
from .unit import Message


def tail_message(format: Format, text: str) -> Message:
    """The tail as a message of a format."""
    return {"role": "user", "content": text if format == "openai" else [{"type": "text", "text": text}]}


def with_tail(format: Format, body: list[Message], tail: Message) -> list[Message]:
    """A request's messages with the tail; where roles must alternate it joins the last message, which is copied."""
    if format == "anthropic" and body and body[-1]["role"] == "user":
        content = body[-1]["content"]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        return [*body[:-1], {**body[-1], "content": [*blocks, *tail["content"]]}]
    return [*body, tail]


def tail_text(tail: Message) -> str:
    """What a tail says, in any format."""
    content = tail["content"]
    return str(content if isinstance(content, str) else content[0]["text"])


def tail_tokens(tail: Message) -> int:
    """The tokens of a tail, by the one counter."""
    return count_tokens(tail_text(tail))
