"""A judge of requests: what OpenAI, Anthropic and pi accept, written from their rules and not from dcc.

Each ``check_…`` gives the violations of a request, one sentence each; a legal request has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

Message = dict[str, Any]

ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
OPENAI_ID_LIMIT = 40
ANTHROPIC_IMAGES = {"image/jpeg", "image/png", "image/gif", "image/webp"}


def check_openai(messages: list[Message]) -> list[str]:
    """Violations of the chat completions protocol."""
    found = [] if messages else ["a request needs a message"]
    found += _unicode(messages)
    found += _pairs(
        [
            (
                [call.get("id") for call in message.get("tool_calls") or []],
                message.get("tool_call_id") if message.get("role") == "tool" else None,
                message.get("role") == "tool",
            )
            for message in messages
        ]
    )
    for at, message in enumerate(messages):
        found += [f"message {at}: {what}" for what in _openai_message(message)]
    return found


def _openai_message(message: Message) -> Iterable[str]:
    role, content = message.get("role"), message.get("content")
    if role not in {"system", "developer", "user", "assistant", "tool"}:
        yield f"unknown role {role!r}"
    if role == "assistant":
        calls = message.get("tool_calls")
        if "tool_calls" in message and not calls:
            yield "tool_calls is empty"
        if content is None and not calls:
            yield "neither content nor tool_calls"
        if content is not None and not isinstance(content, str):
            yield "assistant content is no string"
        for call in calls or []:
            yield from _openai_call(call)
    elif role == "user" and isinstance(content, list):
        if not content:
            yield "empty list of parts"
        for part in content:
            yield from _openai_part(part)
    elif not isinstance(content, str):
        yield f"{role} content is no string"


def _openai_call(call: Message) -> Iterable[str]:
    id, function = call.get("id"), call.get("function") or {}
    if call.get("type") != "function":
        yield "tool call is not of type function"
    if not isinstance(id, str) or not id or len(id) > OPENAI_ID_LIMIT:
        yield f"tool call id {id!r} is not 1 to {OPENAI_ID_LIMIT} characters"
    if not NAME.fullmatch(str(function.get("name"))):
        yield f"tool name {function.get('name')!r}"
    arguments = function.get("arguments")
    if not isinstance(arguments, str) or not isinstance(_json(arguments), dict):
        yield f"arguments are no JSON object: {arguments!r}"


def _openai_part(part: Message) -> Iterable[str]:
    match part:
        case {"type": "text", "text": str(text)}:
            if not text:
                yield "empty text part"
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            if not url.startswith(("data:image/", "https://")):
                yield "image url is neither data nor https"
        case {"type": "input_audio" | "file"}:
            pass
        case _:
            yield f"part of type {part.get('type')!r} in a user message"


def check_anthropic(system: list[Message], messages: list[Message]) -> list[str]:
    """Violations of the messages protocol; ``system`` is the top field as text blocks."""
    found = [] if messages else ["a request needs a message"]
    found += _unicode([*system, *messages])
    for block in system:
        if block.get("type") != "text" or not str(block.get("text", "")).strip():
            found.append("the top field holds what is no text")
    if messages and messages[0].get("role") != "user":
        found.append("the first message is not the user's")
    for before, after in pairwise(messages):
        if before.get("role") == after.get("role"):
            found.append(f"two {after.get('role')} messages follow each other")
    for at, message in enumerate(messages):
        found += [f"message {at}: {what}" for what in _anthropic_message(message)]
    return found + _anthropic_pairs(messages)


def _anthropic_message(message: Message) -> Iterable[str]:
    role, content = message.get("role"), message.get("content")
    if role not in {"user", "assistant"}:
        yield f"unknown role {role!r}"
    if not isinstance(content, list) or not content:
        yield "content is no list of blocks, or an empty one"
        return
    for block in content:
        yield from _anthropic_block(role, block)
    if content[-1].get("type") in {"thinking", "redacted_thinking"}:
        yield "thinking is the last block"


def _anthropic_block(role: str | None, block: Message) -> Iterable[str]:
    match block:
        case {"type": "text", "text": str(text)}:
            if not text.strip():
                yield "blank text block"
        case {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": str(data)}}:
            if role != "user":
                yield "an image of the assistant"
            if media_type not in ANTHROPIC_IMAGES or not data:
                yield f"image of type {media_type!r} or without data"
        case {"type": "document" | "search_result"}:
            if role != "user":
                yield "a document of the assistant"
        case {"type": "thinking", "thinking": str(), "signature": str(signature)}:
            if role != "assistant" or not signature:
                yield "thinking of the user, or without a signature"
        case {"type": "redacted_thinking", "data": str(data)}:
            if role != "assistant" or not data:
                yield "redacted thinking of the user, or without data"
        case {"type": "tool_use", "id": id, "name": name, "input": arguments}:
            if role != "assistant":
                yield "tool_use of the user"
            if not isinstance(id, str) or not ID.fullmatch(id):
                yield f"tool_use id {id!r}"
            if not NAME.fullmatch(str(name)):
                yield f"tool name {name!r}"
            if not isinstance(arguments, dict):
                yield "tool_use input is no object"
        case {"type": "tool_result", "tool_use_id": str()}:
            if role != "user":
                yield "tool_result of the assistant"
            yield from _anthropic_result(block)
        case _:
            yield f"block of type {block.get('type')!r} with fields {sorted(block)}"


def _anthropic_result(block: Message) -> Iterable[str]:
    content = block.get("content")
    if block.get("is_error") and not content:
        yield "an error result without content"
    for part in content if isinstance(content, list) else []:
        if part.get("type") not in {"text", "image", "document", "search_result"}:
            yield f"part of type {part.get('type')!r} in a tool_result"
        else:
            yield from _anthropic_block("user", part)


def _anthropic_pairs(messages: list[Message]) -> list[str]:
    """Calls are answered in the very next message, by its first blocks."""
    found: list[str] = []
    seen: set[str] = set()
    open_ids: list[str] = []
    for at, message in enumerate([*messages, {"content": []}]):
        blocks = message.get("content") or []
        answered = [block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"]
        leading = 0
        while leading < len(blocks) and blocks[leading].get("type") == "tool_result":
            leading += 1
        if len(answered) > leading:
            found.append(f"message {at}: a tool_result behind another block")
        found += _answers(at, open_ids, answered)
        open_ids = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
        for id in open_ids:
            if id in seen:
                found.append(f"message {at}: tool_use id {id!r} is not unique")
            seen.add(id)
    return found


def check_pi(messages: list[Message]) -> list[str]:
    """Violations of what pi's agent takes as messages."""
    found = [] if messages else ["a request needs a message"]
    found += _unicode(messages)
    steps: list[tuple[list[Any], Any, bool]] = []
    for at, message in enumerate(messages):
        found += [f"message {at}: {what}" for what in _pi_message(message)]
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        is_result = message.get("role") == "toolResult"
        calls = [block.get("id") for block in blocks if block.get("type") == "toolCall"]
        steps.append((calls, message.get("toolCallId") if is_result else None, is_result))
    return found + _pairs(steps)


def _pi_message(message: Message) -> Iterable[str]:
    role, content = message.get("role"), message.get("content")
    kinds = {
        "system": {"text"},
        "user": {"text", "image"},
        "assistant": {"text", "thinking", "toolCall"},
        "toolResult": {"text", "image"},
    }
    if role not in kinds:
        yield f"unknown role {role!r}"
        return
    if role == "toolResult":
        if not isinstance(message.get("isError"), bool):
            yield "isError is no boolean"
        if not isinstance(message.get("toolName"), str):
            yield "toolName is no string"
    if role == "user" and isinstance(content, str):
        return
    if not isinstance(content, list) or not content:
        yield "content is no list of parts, or an empty one"
        return
    for block in content:
        if block.get("type") not in kinds[role]:
            yield f"part of type {block.get('type')!r} in a {role} message"
        yield from _pi_block(block)


def _pi_block(block: Message) -> Iterable[str]:
    match block:
        case {"type": "text", "text": str()} | {"type": "thinking", "thinking": str()}:
            pass
        case {"type": "image", "data": str(), "mimeType": str()}:
            pass
        case {"type": "toolCall", "id": str(id), "name": str(), "arguments": dict()}:
            if not id:
                yield "a toolCall without an id"
        case _:
            yield f"part of type {block.get('type')!r} with fields {sorted(block)}"


def _pairs(steps: list[tuple[list[Any], Any, bool]]) -> list[str]:
    """Per message: ids it calls, the id it answers, whether it answers. Each call once, right behind."""
    found: list[str] = []
    seen: set[Any] = set()
    open_ids: list[Any] = []
    answered: list[Any] = []
    opened_at = 0
    for at, (calls, answer, is_result) in enumerate([*steps, ([], None, False)]):
        if is_result:
            answered.append(answer)
            continue
        found += _answers(opened_at, open_ids, answered)
        open_ids, answered, opened_at = calls, [], at
        for id in calls:
            if id in seen:
                found.append(f"message {at}: tool call id {id!r} is not unique")
            seen.add(id)
    return found


def _answers(at: int, calls: list[Any], answers: list[Any]) -> list[str]:
    found = [f"message {at}: call {id!r} is not answered right behind" for id in calls if id not in answers]
    found += [f"message {at}: result {id!r} answers no call" for id in answers if id not in calls]
    twice = {id for id in answers if answers.count(id) > 1}
    return found + [f"message {at}: call {id!r} is answered twice" for id in sorted(twice, key=str)]


def _unicode(messages: list[Message]) -> list[str]:
    """A request goes out as JSON in UTF-8."""
    try:
        json.dumps(messages, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (UnicodeEncodeError, ValueError) as error:
        return [f"the request cannot be written as JSON in UTF-8: {error}"]
    return []


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
