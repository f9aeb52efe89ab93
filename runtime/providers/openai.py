"""OpenAI chat completions, as OpenAI and the many servers that speak the same speak them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..values import Format, Reply, ToolCall
from .dialect import Reader, ToolNames, list_of, mapping_of, read_object, stream_error
from .errors import ProviderError
from .generations import counts_completions
from .keys import Key
from .protocol import BUDGETS, ModelReply, ModelRequest, OnText, StopReason
from .sse import Event
from .usage import openai_usage

BASE_URL = "https://api.openai.com/v1"
DONE = "[DONE]"

_STOPS: dict[str, StopReason] = {
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refused",
}
#: What bounds a completion: for OpenAI's own newer models, and for the many servers that know but the older field.
_NEW_BOUND: Final = "max_completion_tokens"
_OLD_BOUND: Final = "max_tokens"

#: What a server says of a field that it does not take.
_REFUSES: Final = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|invalid"
)


class OpenAI:
    """The dialect. ``own_server``: OpenAI's, whose newer models refuse the field that others alone know.

    False: another server's; None: the names of models say which field they take.
    """

    name = "openai"
    format: Format = "openai"
    path = "/chat/completions"

    def __init__(self, *, own_server: bool | None = None) -> None:
        self._own_server = own_server

    def headers(self, key: Key | None) -> dict[str, str]:
        """See ``Dialect.headers``."""
        signed = {"Authorization": f"Bearer {key.value}"} if key is not None else {}
        return {"Content-Type": "application/json", **signed}

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """See ``Dialect.body``."""
        body: dict[str, Any] = {"model": request.model, "messages": [*request.messages, *request.tail]}
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": wire,
                        "description": tool.description,
                        "parameters": dict(tool.parameters),
                    },
                }
                for wire, tool in ToolNames(request.tools).pairs
            ]
        if request.max_tokens is not None:
            most = request.max_tokens + BUDGETS.get(request.think or "none", 0)
            body[self._bound(request)] = most
        if request.think is not None:
            body["reasoning_effort"] = request.think
        if request.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body | {k: v for k, v in request.options.items() if k != "messages"}

    def reader(self, request: ModelRequest, on_text: OnText, on_thinking: OnText) -> Reader:
        """See ``Dialect.reader``."""
        return OpenAIReader(request, on_text, on_thinking)

    def after(self, refusal: ProviderError, request: ModelRequest) -> OpenAI | None:
        """See ``Dialect.after``."""
        said, bound = refusal.message.lower(), self._bound(request)
        if request.max_tokens is None or bound not in said or not _REFUSES.search(said):
            return None
        return OpenAI(own_server=bound == _OLD_BOUND)

    def _bound(self, request: ModelRequest) -> str:
        is_new = counts_completions(request.model) if self._own_server is None else self._own_server
        return _NEW_BOUND if is_new else _OLD_BOUND


@dataclass(slots=True)
class _Call:
    """A tool call as it comes, in fragments."""

    id: str
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class OpenAIReader:
    """Puts a reply together from chunks, or from one completion."""

    def __init__(self, request: ModelRequest, on_text: OnText, on_thinking: OnText) -> None:
        self.is_finished = False
        self._names = ToolNames(request.tools)
        self._on_text = on_text
        self._on_thinking = on_thinking
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: list[_Call] = []
        self._at: dict[int, _Call] = {}
        self._finish = ""
        self._refused = False
        self._is_told = False
        self._usage: object = None
        self._model = request.model
        self._id = ""

    def take(self, event: Event) -> bool:
        """See ``Reader.take``."""
        if event.data.strip() == DONE:
            self._need_message()
            self.is_finished = True
            return True
        self._take(read_object(event.data, "a chunk of the stream"))
        return False

    def take_whole(self, document: Mapping[str, Any]) -> None:
        """See ``Reader.take_whole``."""
        self._take(document)
        self._need_message()

    def _need_message(self) -> None:
        """Refuse what has come to its end and brought nothing that a chat completion has."""
        if not (self._is_told or self._finish):
            raise ProviderError("malformed", "a chat completion came without a message in its choices")

    def _take(self, document: Mapping[str, Any]) -> None:
        """A completion; a chunk of a stream has the same shape, with ``delta`` for ``message``."""
        if document.get("error"):
            raise stream_error("openai", document)
        if "choices" not in document and "usage" not in document:
            raise ProviderError("malformed", "a chat completion came without its choices")
        choices = list_of(document.get("choices") or [], "the choices of a chat completion")
        self._id = str(document.get("id") or self._id)
        self._model = str(document.get("model") or self._model)
        self._usage = document.get("usage") or self._usage
        for choice in choices[:1]:
            choice = mapping_of(choice, "a choice of a chat completion")
            delta = choice.get("delta") or choice.get("message") or {}
            self._is_told = self._is_told or any(isinstance(choice.get(name), Mapping) for name in ("delta", "message"))
            self._take_delta(mapping_of(delta, "the message of a choice"))
            if choice.get("finish_reason"):
                self._finish = str(choice["finish_reason"])
                self.is_finished = True

    def reply(self, *, aborted: bool = False) -> ModelReply:
        """See ``Reader.reply``."""
        calls = tuple(
            ToolCall(call.id, self._names.own(call.name), "".join(call.arguments) or "{}")
            for call in ([] if aborted else self._calls)
        )
        usage = openai_usage(self._usage)
        reply = Reply("".join(self._text), "".join(self._thinking), calls, usage)
        return ModelReply(reply, self._stop(aborted, bool(calls)), usage, self._model, self._id)

    def _stop(self, aborted: bool, called: bool) -> StopReason:
        if aborted:
            return "aborted"
        stop = "refused" if self._refused else _STOPS.get(self._finish, "stop")
        # Some servers say `stop` after tool calls.
        return "tool_calls" if called and stop == "stop" else stop

    def _take_delta(self, delta: Mapping[str, Any]) -> None:
        # DeepSeek, vLLM and others; OpenRouter and Ollama name it `reasoning`.
        thinking = delta.get("reasoning_content") or delta.get("reasoning")
        refusal = delta.get("refusal")
        self._refused = self._refused or bool(refusal)
        for kind, text in (("thinking", thinking), *_said(delta.get("content")), ("text", refusal)):
            if not isinstance(text, str) or not text:
                continue
            if kind == "thinking":
                self._thinking.append(text)
                self._on_thinking(text)
            else:
                self._text.append(text)
                self._on_text(text)
        for fragment in list_of(delta.get("tool_calls") or [], "the tool calls of a message"):
            self._take_fragment(mapping_of(fragment, "a tool call"))

    def _take_fragment(self, fragment: Mapping[str, Any]) -> None:
        """A fragment belongs to the call of its index; without one, to the newest, unless its id is new."""
        id, index = str(fragment.get("id") or ""), fragment.get("index")
        newest = self._calls[-1] if self._calls else None
        call = self._at.get(index) if isinstance(index, int) else newest
        if call is None or (id and id != call.id):
            call = _Call(id or f"call_{len(self._calls) + 1}")
            self._calls.append(call)
            if isinstance(index, int):
                self._at[index] = call
        function = mapping_of(fragment.get("function") or {}, "the function of a tool call")
        call.name = call.name or str(function.get("name") or "")
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call.arguments.append(arguments)
        elif arguments is not None:
            call.arguments.append(json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))


def _said(content: object) -> Iterator[tuple[str, object]]:
    """The pieces of a content, thinking or text: a text, or parts as Mistral's thinking models send them."""
    if not isinstance(content, list):
        yield "text", content
        return
    for part in content:
        match part:
            case {"type": "text", "text": text}:
                yield "text", text
            case {"type": "thinking", "thinking": list(parts)}:
                yield from (("thinking", inner.get("text")) for inner in parts if isinstance(inner, Mapping))
            case {"type": "thinking", "thinking": text}:
                yield "thinking", text
