"""Rendering for Anthropic messages (kernel.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable

from ..kernel.content import Call, Image, Opaque, Part, Text, text_of, thought_of
from .unit import Message, Rendered, Shown, Unit, with_label
from .wire import provider_part, wire_arguments, wire_id, wire_name, wire_text

#: Longest tool_use id, in characters (``^[a-zA-Z0-9_-]+$``).
ID_LIMIT = 64

#: The user line before a conversation whose first message on stage is the model's.
OPENING = "[earlier messages are off stage]"

#: The content of a result without content: the API refuses an empty one that is an error.
NO_OUTPUT = "[no output]"

_IMAGE_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_USER_PARTS = frozenset({"document", "search_result"})
_THINKING = frozenset({"thinking", "redacted_thinking"})

#: A signature is base64; what another provider put in its place would be refused.
_SIGNATURE_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-")


def messages_of(unit: Unit) -> list[Message]:
    """The messages of one unit, content always a list of blocks; a message that would be empty is left out.

    A slot of the top field is a message of role ``system``: ``assemble`` takes it out.
    """
    if unit.shown[0].role == "assistant":
        messages = [_message("assistant", _reply(unit)), _message("user", _results(unit))]
    else:
        messages = [_lone(shown) for shown in unit.shown]
    return [message for message in messages if message["content"]]


def blocks_of(per_unit: Iterable[list[Message]]) -> list[tuple[str, Message]]:
    """(role, block) of a request before merging, top field first: what prefixes are compared by (P9)."""
    top: list[tuple[str, Message]] = []
    rest: list[tuple[str, Message]] = []
    for messages in per_unit:
        for message in messages:
            role = message["role"]
            target = top if role == "system" else rest
            target += [(role, block) for block in message["content"]]
    if rest and rest[0][0] != "user":
        rest.insert(0, ("user", {"type": "text", "text": OPENING}))
    return top + rest


def assemble(per_unit: Iterable[list[Message]]) -> Rendered:
    """A request: adjacent equal roles merged as separate blocks, the first message the user's."""
    system: list[Message] = []
    messages: list[Message] = []
    for role, block in blocks_of(per_unit):
        if role == "system":
            system.append(block)
        elif messages and messages[-1]["role"] == role:
            messages[-1]["content"].append(block)
        else:
            messages.append(_message(role, [block]))
    return Rendered(messages, system)


def _message(role: str, blocks: list[Message]) -> Message:
    return {"role": role, "content": blocks}


def _lone(shown: Shown) -> Message:
    if shown.top:
        return _message("system", _text_blocks(text_of(shown.parts)))
    # Among user blocks only the label tells a system slot from what the person said.
    parts = shown.parts if shown.role == "user" else with_label(shown)
    return _message("user", _user_blocks(parts))


def _text_blocks(text: str) -> list[Message]:
    """One text block, or none: the API refuses blank text."""
    return [{"type": "text", "text": wire_text(text)}] if text.strip() else []


def _user_blocks(parts: tuple[Part, ...]) -> list[Message]:
    return [block for part in parts for block in _user_block(part)]


def _user_block(part: Part) -> list[Message]:
    match part:
        case Image(media_type, data) if media_type in _IMAGE_TYPES:
            source = {"type": "base64", "media_type": media_type, "data": data}
            return [{"type": "image", "source": source}]
        case Opaque() if (own := provider_part(part, _USER_PARTS)) is not None:
            return [own]
        case _:
            return _text_blocks(text_of((part,)))


def _reply(unit: Unit) -> list[Message]:
    """The blocks of a reply in order. A thinking block must not end a message: one that would is text."""
    blocks: list[Message] = []
    for shown in unit.shown:
        if shown.is_call:
            blocks.append(_tool_use(shown))
        else:
            blocks += [block for part in shown.parts for block in _reply_block(shown, part)]
    ending: list[Message] = []
    while blocks and blocks[-1]["type"] in _THINKING:
        ending[:0] = _thinking_text(blocks.pop().get("thinking", ""))
    return blocks + ending


def _reply_block(shown: Shown, part: Part) -> list[Message]:
    match part:
        case Text(text) if shown.element == "think":
            return _thinking_text(text)
        case Opaque() if (thought := thought_of(part)) is not None:
            if not thought.signature or not _SIGNATURE_ALPHABET.issuperset(thought.signature):
                return _thinking_text(thought.text)
            if thought.redacted:
                return [{"type": "redacted_thinking", "data": thought.signature}]
            return [{"type": "thinking", "thinking": thought.text, "signature": thought.signature}]
        case _:
            return _text_blocks(text_of((part,)))


def _thinking_text(text: str) -> list[Message]:
    return _text_blocks(f"<thinking>{text}</thinking>") if text.strip() else []


def _tool_use(shown: Shown) -> Message:
    call: Call = shown.call
    return {
        "type": "tool_use",
        "id": _id(shown),
        "name": wire_name(call.name),
        "input": wire_arguments(call),
    }


def _results(unit: Unit) -> list[Message]:
    blocks: list[Message] = []
    for call, result in zip(unit.calls, unit.results, strict=True):
        content = _user_blocks(result.parts) or _text_blocks(NO_OUTPUT)
        block: Message = {"type": "tool_result", "tool_use_id": _id(call), "content": content}
        blocks.append(block | {"is_error": True} if result.is_error else block)
    return blocks


def _id(shown: Shown) -> str:
    return wire_id(shown.call_id or shown.slot_id, ID_LIMIT)
