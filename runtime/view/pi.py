"""Rendering for pi: roles as they are, results as ``toolResult`` messages (contracts.md, pi JSONL)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from ..kernel.content import Image, Opaque, Part, Text, thought_of
from .unit import Message, Rendered, Shown, Unit, with_label
from .wire import wire_arguments, wire_id, wire_parts_text, wire_text

#: Longest id that is made in the place of one that cannot be sent, in characters.
ID_LIMIT = 64

#: What pi shows in the place of thinking that only the provider can read.
REDACTED = "[redacted thinking]"


def messages_of(unit: Unit) -> list[Message]:
    """The messages of one unit: a reply and a toolResult message per call; or one lone message."""
    if unit.shown[0].role == "assistant":
        return [{"role": "assistant", "content": _reply(unit)}, *_results(unit)]
    return [_lone(shown) for shown in unit.shown]


def assemble(per_unit: Iterable[list[Message]]) -> Rendered:
    """A request: the messages of its units, one after the other."""
    return Rendered(list(chain.from_iterable(per_unit)))


def _lone(shown: Shown) -> Message:
    if shown.role == "system":
        return {"role": "system", "content": [{"type": "text", "text": wire_parts_text(shown.parts)}]}
    # A result without its call may not be a toolResult message; its label says what it is.
    parts = with_label(shown) if shown.role == "tool" else shown.parts
    return {"role": "user", "content": [_block(part) for part in parts]}


def _block(part: Part) -> Message:
    match part:
        case Image(media_type, data):
            return {"type": "image", "data": data, "mimeType": media_type}
        case _:
            return {"type": "text", "text": wire_parts_text((part,))}


def _reply(unit: Unit) -> list[Message]:
    blocks: list[Message] = []
    for shown in unit.shown:
        if shown.is_call:
            blocks.append(_tool_call(shown))
        else:
            blocks += [_reply_block(shown, part) for part in shown.parts]
    return blocks


def _reply_block(shown: Shown, part: Part) -> Message:
    match part:
        case Text(text) if shown.element == "think":
            return {"type": "thinking", "thinking": wire_text(text)}
        case Opaque() if (thought := thought_of(part)) is not None:
            text = REDACTED if thought.redacted else thought.text
            block = {"type": "thinking", "thinking": text, "thinkingSignature": thought.signature}
            return block | {"redacted": True} if thought.redacted else block
        case _:
            return {"type": "text", "text": wire_parts_text((part,))}


def _tool_call(shown: Shown) -> Message:
    call = shown.call
    return {
        "type": "toolCall",
        "id": _id(shown),
        "name": wire_text(call.name),
        "arguments": wire_arguments(call),
    }


def _results(unit: Unit) -> list[Message]:
    return [
        {
            "role": "toolResult",
            "toolCallId": _id(call),
            "toolName": wire_text(call.call.name),
            "content": [_block(part) for part in result.parts],
            "isError": result.is_error,
        }
        for call, result in zip(unit.calls, unit.results, strict=True)
    ]


def _id(shown: Shown) -> str:
    """The id as recorded, unless it is none or no text."""
    id = shown.call_id or shown.slot_id
    return id if wire_text(id) == id else wire_id(id, ID_LIMIT)
