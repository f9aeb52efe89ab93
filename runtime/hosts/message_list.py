"""Sessions as lists of messages, in the format of OpenAI or of Anthropic (contracts.md, ``dcc replay``).

A system prompt is left out, as it is of every recording. Results of tools stand in messages of role tool there, and in
parts of a user message here; what else such a message holds was typed, and begins a turn.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..kernel.content import Call, Content, Image, Opaque, Part, Text, signed_thought, simplest
from .recording import Item, Note, Reply, Skipped, ToolResult, Usage, UserMessage

#: Roles of what stands before the conversation.
_PROMPTS = frozenset({"system", "developer"})

_DATA_URL = "data:"

#: How a message of Anthropic names its tokens; other lists say nothing of them.
_USAGE = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def items_of(messages: Iterable[Any]) -> Iterator[Item]:
    """The items of a list of messages in order; counts of what is left out come last."""
    skipped: Counter[tuple[str, bool]] = Counter()
    names: dict[str, str] = {}
    counted = False
    for message in messages:
        for item in message_items(message, names):
            if isinstance(item, Skipped):
                skipped[item.type, item.unknown] += item.count
            else:
                counted = counted or (isinstance(item, Reply) and item.usage != Usage())
                yield item
    if not counted:
        yield Note("no_usage", "the messages say nothing of tokens: as-recorded has none")
    for (type, unknown), count in skipped.items():
        yield Skipped(type, count, unknown)


def message_items(message: Any, names: dict[str, str]) -> Iterator[Item]:
    """The items of one message. ``names``: the tools of the calls so far by id, to which the message adds its own."""
    match message:
        case {"role": "assistant"}:
            reply = _reply(message)
            if isinstance(reply, Reply):
                names.update((call.id, call.name) for call in reply.calls)
            yield reply
        case {"role": "user"}:
            yield from _of_user(message.get("content"), names)
        case {"role": "tool"}:
            id = str(message.get("tool_call_id") or "")
            yield ToolResult(id, names.get(id, ""), content_of(message.get("content")), is_error=False)
        case {"role": str(role)}:
            yield Skipped(f"message of role {role}", 1, unknown=role not in _PROMPTS)
        case _:
            yield Skipped("message without a role", 1, unknown=True)


def content_of(value: Any) -> Content:
    """A string or a list of parts as the simplest content that says the same; unknown parts are kept as opaque."""
    if isinstance(value, list):
        return simplest([_part(part) for part in value])
    return value if isinstance(value, str) else ""


def _of_user(content: Any, names: Mapping[str, str]) -> Iterator[Item]:
    typed: list[Any] = []
    for part in content if isinstance(content, list) else ():
        match part:
            case {"type": "tool_result", "tool_use_id": str(id)}:
                yield ToolResult(id, names.get(id, ""), content_of(part.get("content")), part.get("is_error") is True)
            case _:
                typed.append(part)
    if typed or not isinstance(content, list):
        yield UserMessage(content_of(typed if isinstance(content, list) else content))


def _reply(message: Mapping[str, Any]) -> Reply | Skipped:
    texts: list[str] = []
    thoughts: list[Part] = []
    calls: list[Call] = []
    content, reasoning = message.get("content"), message.get("reasoning_content")
    if isinstance(reasoning, str) and reasoning:
        thoughts.append(Text(reasoning))
    for part in content if isinstance(content, list) else [{"type": "text", "text": content or ""}]:
        match part:
            case {"type": "text", "text": str(text)} if text:
                texts.append(text)
            case {"type": "thinking", "thinking": str(text)}:
                thoughts += _thought(text, part.get("signature"))
            case {"type": "redacted_thinking"}:
                thoughts.append(_opaque(part))
            case {"type": "tool_use", "name": str(name)}:
                calls.append(Call(str(part.get("id") or ""), name, part.get("input") or {}))
    asked = message.get("tool_calls")
    for call in asked if isinstance(asked, list) else ():
        match call:
            case {"function": {"name": str(name)} as function}:
                calls.append(Call(str(call.get("id") or ""), name, function.get("arguments") or "{}"))
    if not (texts or thoughts or calls):
        return Skipped("reply without content", 1)
    stop = str(message.get("stop_reason") or "")
    usage = Usage.reported(message.get("usage"), _USAGE)
    return Reply("\n".join(texts), simplest(thoughts), tuple(calls), usage, stop)


def _thought(text: str, signature: Any) -> list[Part]:
    if isinstance(signature, str) and signature:
        return [signed_thought(text, signature)]
    return [Text(text)] if text else []


def _part(part: Any) -> Part:
    match part:
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "image", "source": {"type": "base64", "media_type": str(media_type), "data": str(data)}}:
            return Image(media_type, data)
        case {"type": "image_url", "image_url": {"url": str(url)}} if url.startswith(_DATA_URL) and ";base64," in url:
            media_type, _, data = url.removeprefix(_DATA_URL).partition(";base64,")
            return Image(media_type, data)
        case _:
            return _opaque(part)


def _opaque(value: Any) -> Opaque:
    return Opaque(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
