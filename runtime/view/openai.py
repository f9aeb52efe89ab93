"""Rendering for OpenAI chat completions (kernel.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from ..kernel.content import Call, Image, Opaque, Part, Text, parse_object, text_of, thought_of
from .unit import Message, Rendered, Shown, Unit, with_label
from .wire import provider_part, wire_arguments, wire_id, wire_name, wire_parts_text, wire_text

#: Longest tool call id, in characters.
ID_LIMIT = 40

_USER_PARTS = frozenset({"image_url", "input_audio", "file"})


def messages_of(unit: Unit) -> list[Message]:
    """The messages of one unit: a reply and right after it a tool message per call; or one lone message."""
    if unit.shown[0].role == "assistant":
        return [_reply(unit), *_results(unit)]
    return [_lone(shown) for shown in unit.shown]


def assemble(per_unit: Iterable[list[Message]]) -> Rendered:
    """A request: the messages of its units, one after the other."""
    return Rendered(list(chain.from_iterable(per_unit)))


def _lone(shown: Shown) -> Message:
    if shown.role == "system":
        return {"role": "system", "content": wire_parts_text(shown.parts)}
    # A result without its call may not be a tool message; its label says what it is.
    parts = with_label(shown) if shown.role == "tool" else shown.parts
    return {"role": "user", "content": _user_content(parts)}


def _user_content(parts: tuple[Part, ...]) -> str | list[Message]:
    """A plain string when all is text, else a list of parts."""
    blocks = [_user_part(part) for part in parts]
    if all(block["type"] == "text" for block in blocks):
        return "\n".join(block["text"] for block in blocks)
    return [block for block in blocks if block.get("text") != ""]


def _user_part(part: Part) -> Message:
    match part:
        case Image(media_type, data):
            return {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}}
        case Opaque() if (own := provider_part(part, _USER_PARTS)) is not None:
            return own
        case _:
            return {"type": "text", "text": wire_parts_text((part,))}


def _reply(unit: Unit) -> Message:
    texts: list[str] = []
    thoughts: list[str] = []
    for shown in unit.shown:
        if shown.is_call:
            continue
        for part in shown.parts:
            thought = thought_of(part) if isinstance(part, Opaque) else None
            if thought is not None:
                thoughts.append(thought.text)
            elif shown.element == "think" and isinstance(part, Text):
                thoughts.append(part.text)
            else:
                texts.append(text_of((part,)))
    content = wire_text("\n".join(texts))
    message: Message = {"role": "assistant", "content": content if content or not unit.calls else None}
    thinking = wire_text("\n".join(text for text in thoughts if text))
    if thinking:
        message["reasoning_content"] = thinking
    if unit.calls:
        message["tool_calls"] = [_tool_call(shown) for shown in unit.calls]
    return message


def _tool_call(shown: Shown) -> Message:
    call = shown.call
    return {
        "id": _id(shown),
        "type": "function",
        "function": {"name": wire_name(call.name), "arguments": _arguments(call)},
    }


def _arguments(call: Call) -> str:
    """The arguments as received when they are a JSON object, else an object that holds them."""
    if parse_object(call.arguments) is not None:
        return wire_text(call.arguments)
    return Call("", "", wire_arguments(call)).arguments


def _results(unit: Unit) -> list[Message]:
    """The tool messages; images, which a tool message cannot hold, follow in one user message."""
    messages: list[Message] = []
    images: list[Message] = []
    for call, result in zip(unit.calls, unit.results, strict=True):
        id = _id(call)
        messages.append({"role": "tool", "tool_call_id": id, "content": wire_parts_text(result.parts)})
        blocks = [_user_part(part) for part in result.parts if isinstance(part, Image)]
        if blocks:
            images += [{"type": "text", "text": f"[images of the result of {id}]"}, *blocks]
    return [*messages, {"role": "user", "content": images}] if images else messages


def _id(shown: Shown) -> str:
    return wire_id(shown.call_id or shown.slot_id, ID_LIMIT)
