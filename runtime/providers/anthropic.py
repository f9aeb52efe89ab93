"""Anthropic messages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, Literal

from ..kernel.content import Opaque, signed_thought
from ..values import Format, Reply, ReplyPiece, ToolCall
from ..view.unit import Message
from .cache_marks import blocks_of, mark_messages, mark_system
from .dialect import Reader, ToolNames, list_of, mapping_of, read_object, stream_error
from .errors import ProviderError
from .generations import thinks_adaptively, thinks_unasked
from .keys import Key
from .protocol import BUDGETS, LONGEST_ANSWER, ModelReply, ModelRequest, OnText, StopReason, Think
from .sse import Event
from .usage import anthropic_usage

BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"

_STOPS: dict[str, StopReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "refused",
}


#: The blocks that become slots.
_KINDS: dict[str, Literal["think", "text", "call"]] = {
    "thinking": "think", "redacted_thinking": "think", "text": "text", "tool_use": "call",
}  # fmt: skip


#: How hard is thought at each level by a model that decides itself how long; it knows no less than low.
_EFFORT: Final[dict[Think, str]] = {
    "minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh",
}  # fmt: skip

#: What servers say that want the other way of asking for thinking.
_WANTS_ADAPTIVE: Final = re.compile(r"thinking\.type\.adaptive|use adaptive|adaptive thinking (?:is )?required")
_WANTS_BUDGET: Final = re.compile(
    r"adaptive\W{1,3}(?:thinking )?(?:is |are )?(?:not |un)support|not support (?:\w+ )?\W?adaptive"
    r"|tag .adaptive. .{0,60}not match|(?:output_config|thinking\.adaptive)[\w.]*\W{1,3}extra inputs"
    r"|not support (?:the )?\W?(?:effort|output_config)\b"
)


class Anthropic:
    """The dialect. ``adaptive``: whether models decide themselves how long they think; None: their names say."""

    name = "anthropic"
    format: Format = "anthropic"
    path = "/v1/messages"

    def __init__(self, *, adaptive: bool | None = None) -> None:
        self._adaptive = adaptive

    def headers(self, key: Key | None) -> dict[str, str]:
        """See ``Dialect.headers``."""
        signed = {"x-api-key": key.value} if key is not None else {}
        return {"Content-Type": "application/json", "anthropic-version": VERSION, **signed}

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """See ``Dialect.body``."""
        messages = mark_messages(request.messages, request.cache)
        body: dict[str, Any] = {
            "model": request.model,
            "max_tokens": request.max_tokens or LONGEST_ANSWER,
            "messages": _with_tail(messages, request.tail),
        }
        if request.system:
            body["system"] = mark_system(request.system, request.cache)
        if request.tools:
            body["tools"] = [
                {"name": wire, "description": tool.description, "input_schema": dict(tool.parameters)}
                for wire, tool in ToolNames(request.tools).pairs
            ]
        if request.think == "none":
            body["thinking"] = {"type": "disabled"}
        elif request.think is not None:
            budget = BUDGETS[request.think]
            if self._is_adaptive(request):
                body["thinking"] = {"type": "adaptive"}
                body["output_config"] = {"effort": _EFFORT[request.think]}
            else:
                body["thinking"] = {"type": "enabled", "budget_tokens": budget}
            body["max_tokens"] += budget
        elif thinks_unasked(request.model):
            body["max_tokens"] += BUDGETS["high"]
        if request.stream:
            body["stream"] = True
        return body | {k: v for k, v in request.options.items() if k not in ("messages", "system")}

    def reader(self, request: ModelRequest, on_text: OnText, on_thinking: OnText) -> Reader:
        """See ``Dialect.reader``."""
        return AnthropicReader(request, on_text, on_thinking)

    def after(self, refusal: ProviderError, request: ModelRequest) -> Anthropic | None:
        """See ``Dialect.after``."""
        if request.think is None or request.think == "none":
            return None
        adaptive = self._is_adaptive(request)
        wants_other = (_WANTS_BUDGET if adaptive else _WANTS_ADAPTIVE).search(refusal.message.lower())
        return Anthropic(adaptive=not adaptive) if wants_other is not None else None

    def _is_adaptive(self, request: ModelRequest) -> bool:
        return thinks_adaptively(request.model) if self._adaptive is None else self._adaptive


def _with_tail(messages: list[Message], tail: tuple[Message, ...]) -> list[Message]:
    """The tail behind the messages; one of the last message's role is joined to it as blocks of its own."""
    joined = list(messages)
    for message in tail:
        blocks = blocks_of(message)
        if joined and joined[-1]["role"] == message["role"]:
            joined[-1] = {**joined[-1], "content": [*blocks_of(joined[-1]), *blocks]}
        else:
            joined.append({**message, "content": blocks})
    return joined


@dataclass(slots=True)
class _Block:
    """A block as it comes; ``pieces`` are its text, its thinking or the JSON of its input."""

    start: Mapping[str, Any]
    pieces: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)

    @property
    def type(self) -> str:
        return str(self.start.get("type"))

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class AnthropicReader:
    """Puts a reply together from events, or from one message."""

    def __init__(self, request: ModelRequest, on_text: OnText, on_thinking: OnText) -> None:
        self.is_finished = False
        self._names = ToolNames(request.tools)
        self._on_text = on_text
        self._on_thinking = on_thinking
        self._blocks: dict[int, _Block] = {}
        self._stop = ""
        self._usage: dict[str, Any] = {}
        self._edited = False
        self._model = request.model
        self._id = ""

    def take(self, event: Event) -> bool:
        """See ``Reader.take``."""
        document = read_object(event.data, "an event of the stream")
        match document.get("type"):
            case "message_start":
                self._take_message(_part(document, "message"))
            case "content_block_start":
                self._start(document.get("index"), _part(document, "content_block"))
            case "content_block_delta":
                self._add(document.get("index"), _part(document, "delta"))
            case "message_delta":
                beside = {name: document.get(name) for name in ("usage", "context_management")}
                self._take_message({**_part(document, "delta"), **beside})
            case "message_stop":
                self.is_finished = True
                return True
            case "error":
                raise stream_error("anthropic", document)
        return False  # ping, content_block_stop, and types that are yet to come

    def take_whole(self, document: Mapping[str, Any]) -> None:
        """See ``Reader.take_whole``."""
        if document.get("error"):
            raise stream_error("anthropic", document)
        content = list_of(document.get("content"), "the content of a message")
        self._take_message(document)
        for index, block in enumerate(content):
            self._start(index, mapping_of(block, "a block of a message"))

    def reply(self, *, aborted: bool = False) -> ModelReply:
        """See ``Reader.reply``."""
        blocks = list(self._blocks.values())
        text = "".join(block.text for block in blocks if block.type == "text")
        calls = tuple(self._call(block) for block in blocks if block.type == "tool_use" and not aborted)
        usage = anthropic_usage(self._usage)
        stop = "aborted" if aborted else _STOPS.get(self._stop, "stop")
        reply = Reply(text, _thinking(blocks), calls, usage, pieces=_pieces(blocks, aborted))
        return ModelReply(reply, stop, usage, self._model, self._id).after(1, edited=self._edited)

    def _take_message(self, message: Mapping[str, Any]) -> None:
        self._id = str(message.get("id") or self._id)
        self._model = str(message.get("model") or self._model)
        if message.get("stop_reason"):
            self._stop = str(message["stop_reason"])
            self.is_finished = True
        managed = message.get("context_management")
        self._edited = self._edited or (isinstance(managed, Mapping) and bool(managed.get("applied_edits")))
        usage = message.get("usage")
        if isinstance(usage, Mapping):  # later counts are totals: they replace the earlier ones
            self._usage |= {name: count for name, count in usage.items() if count is not None}

    def _start(self, index: object, start: Mapping[str, Any]) -> None:
        block = self._blocks[_number(index)] = _Block(start)
        self._add(index, {"type": "text_delta", "text": start.get("text") if block.type == "text" else ""})
        self._add(index, {"type": "thinking_delta", "thinking": start.get("thinking")})
        self._add(index, {"type": "signature_delta", "signature": start.get("signature")})

    def _add(self, index: object, delta: Mapping[str, Any]) -> None:
        block = self._blocks.get(_number(index))
        if block is None:
            raise ProviderError("malformed", "a piece came of a block that had not begun")
        match delta:
            case {"type": "text_delta", "text": str(text)} if text:
                block.pieces.append(text)
                self._on_text(text)
            case {"type": "thinking_delta", "thinking": str(text)} if text:
                block.pieces.append(text)
                self._on_thinking(text)
            case {"type": "signature_delta", "signature": str(text)} if text:
                block.signature.append(text)
            case {"type": "input_json_delta", "partial_json": str(text)}:
                block.pieces.append(text)

    def _call(self, block: _Block) -> ToolCall:
        whole = json.dumps(block.start.get("input") or {}, ensure_ascii=False, separators=(",", ":"))
        name = self._names.own(str(block.start.get("name") or ""))
        return ToolCall(str(block.start.get("id") or ""), name, block.text or whole)


def _part(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return mapping_of(document.get(name), f"{name} of an event {document.get('type')}")


def _number(index: object) -> int:
    if not isinstance(index, int):
        raise ProviderError("malformed", "a block of the stream has no number")
    return index


def _pieces(blocks: list[_Block], aborted: bool) -> tuple[ReplyPiece, ...]:
    """The order of a reply in which thinking stands behind something else; empty for any other."""
    kinds = [_KINDS.get(block.type) for block in blocks]
    said = [kind for kind in kinds if kind is not None]
    if "think" not in said[said.count("think") :]:
        return ()
    pieces: list[ReplyPiece] = []
    calls = 0
    for kind, group in groupby((b for b in blocks if b.type in _KINDS), key=lambda block: _KINDS[block.type]):
        together = list(group)
        if kind == "think":
            pieces.append(("think", _thinking(together)))
        elif kind == "text":
            text = "".join(block.text for block in together)
            pieces += [("text", text)] if text else []
        elif not aborted:
            pieces += [("call", calls + n) for n in range(len(together))]
            calls += len(together)
    return tuple(pieces)


def _thinking(blocks: list[_Block]) -> str | tuple[Opaque, ...]:
    """The thinking in the order it came: signed parts as the provider wants them back; plain when none is."""
    parts: list[Opaque] = []
    for block in blocks:
        if block.type == "thinking":
            parts.append(signed_thought(block.text, "".join(block.signature)))
        elif block.type == "redacted_thinking":
            parts.append(Opaque(json.dumps(dict(block.start), ensure_ascii=False, separators=(",", ":"))))
    if any(block.signature or block.type == "redacted_thinking" for block in blocks):
        return tuple(parts)
    return "\n".join(block.text for block in blocks if block.type == "thinking")
