"""A reply in OpenAI's shapes: chunks of a stream, or one completion."""

from __future__ import annotations

import json
from typing import Any

from loopback.behaviour import Says

ID = "chatcmpl-1"
MODEL = "small-1"


def whole(says: Says) -> dict[str, Any]:
    """One completion."""
    message: dict[str, Any] = {"role": "assistant", "content": "".join(says.pieces) or None}
    if says.thinking:
        message["reasoning_content"] = "".join(says.thinking)
    if says.calls:
        message["tool_calls"] = [_call(id, name, "".join(fragments)) for id, name, fragments in says.calls]
    choice = {"index": 0, "message": message, "finish_reason": _finish(says), "logprobs": None}
    usage = {"usage": dict(says.usage)} if says.usage is not None else {}
    return {"id": ID, "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice], **usage}


def events(says: Says) -> list[bytes]:
    """The events of a stream; usage comes in the last chunk."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in says.thinking]
    deltas += [{"content": piece} for piece in says.pieces]
    for index, (id, name, fragments) in enumerate(says.calls):
        deltas.append({"tool_calls": [{"index": index, **_call(id, name, "")}]})
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": part}}]} for part in fragments]
    chunks = [_chunk([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas]
    chunks.append(_chunk([{"index": 0, "delta": {}, "finish_reason": _finish(says)}]))
    if says.usage is not None:
        chunks.append(_chunk([]) | {"usage": dict(says.usage)})
    return [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks] + [b"data: [DONE]\n\n"]


def _call(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _chunk(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": ID, "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": choices}


def _finish(says: Says) -> str:
    return says.stop or ("tool_calls" if says.calls else "stop")
