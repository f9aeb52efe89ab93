"""A reply in Anthropic's shapes: events of a stream, or one message."""

from __future__ import annotations

import json
from typing import Any

from loopback.behaviour import Says

ID = "msg_1"
MODEL = "small-1"


def whole(says: Says) -> dict[str, Any]:
    """One message."""
    return _message() | {
        "content": [block for block, _ in _blocks(says, filled=True)],
        "stop_reason": _stop(says),
        "usage": dict(says.usage or {"input_tokens": 0, "output_tokens": 0}),
    }


def events(says: Says) -> list[bytes]:
    """The events of a stream; the output tokens come in the last but one."""
    usage = dict(says.usage or {"input_tokens": 0, "output_tokens": 0})
    found = [{"type": "message_start", "message": _message() | {"usage": usage | {"output_tokens": 1}}}]
    found.append({"type": "ping"})
    for index, (block, deltas) in enumerate(_blocks(says, filled=False)):
        found.append({"type": "content_block_start", "index": index, "content_block": block})
        found += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        found.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": _stop(says), "stop_sequence": None}
    found.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage["output_tokens"]}})
    found.append({"type": "message_stop"})
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in found]


def _blocks(says: Says, *, filled: bool) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The blocks, whole or as they begin, each with the deltas that fill it."""
    found: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if says.thinking:
        text, signature = ("".join(says.thinking), says.signature) if filled else ("", "")
        deltas: list[dict[str, Any]] = [{"type": "thinking_delta", "thinking": piece} for piece in says.thinking]
        deltas.append({"type": "signature_delta", "signature": says.signature})
        found.append(({"type": "thinking", "thinking": text, "signature": signature}, deltas))
    if says.pieces:
        text = "".join(says.pieces) if filled else ""
        found.append(
            ({"type": "text", "text": text}, [{"type": "text_delta", "text": piece} for piece in says.pieces])
        )
    for id, name, fragments in says.calls:
        arguments = json.loads("".join(fragments) or "{}") if filled else {}
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in fragments]
        found.append(({"type": "tool_use", "id": id, "name": name, "input": arguments}, deltas))
    return found


def _message() -> dict[str, Any]:
    return {
        "id": ID, "type": "message", "role": "assistant", "model": MODEL, "content": [],
        "stop_reason": None, "stop_sequence": None,
    }  # fmt: skip


def _stop(says: Says) -> str:
    return says.stop or ("tool_use" if says.calls else "end_turn")
