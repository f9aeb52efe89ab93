"""echo: the embedded provider. Offline and deterministic; chats, demos and tests run on it.

It answers with the text that the person typed last. A text may hold a script for it, one step a line:

    echo: call read {"path": "a.py"}     the next reply calls this tool
    echo: and read {"path": "b.py"}      … and this one beside it
    echo: think first the files          the reply begun by the lines before has this thinking
    echo: say done                       the last reply is this text

Each ``call`` begins a reply of its own, and ``think`` belongs to the reply that follows it. The replies are given
one by one, as the results of the calls come back. Without ``say`` the last reply is the text beside the script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from ..kernel.tokens import count_tokens
from ..values import Format, Reply, ToolCall, Usage
from ..view.unit import Message
from .abort import Abort
from .protocol import TOTAL_S, ModelReply, ModelRequest, OnText, StopReason, ignore

_STEP = re.compile(r"\s*echo:[ \t]+(call|and|think|say)(?:[ \t]+(.*?))?\r?", re.DOTALL)
#: The first line of a slot that is no message of the person's (language.md section 1, Roles).
_LABEL = re.compile(r"\[\w[\w-]*\](?:\n|$)")
#: A word with the blanks behind it: what comes at once in a stream.
_PIECE = re.compile(r"\s*\S+\s*|\s+")


class EchoProvider:
    """A provider without a model. It never waits and never fails."""

    name = "echo"
    format: Format = "openai"

    def complete(
        self,
        request: ModelRequest,
        *,
        on_text: OnText = ignore,
        on_thinking: OnText = ignore,
        abort: Abort | None = None,
        timeout_s: float = TOTAL_S,
    ) -> ModelReply:
        """See ``Provider.complete``."""
        typed, given = _asked(request.messages)
        script = _script(typed)
        reply = script[min(given, len(script) - 1)]
        abort = abort or Abort()
        thinking = _say(str(reply.thinking), on_thinking, abort)
        text = _say(reply.text, on_text, abort)
        calls = () if abort.is_set else reply.calls
        usage = Usage(_length(request), count_tokens(text) + count_tokens(thinking))
        stop: StopReason = "aborted" if abort.is_set else "tool_calls" if calls else "stop"
        return ModelReply(
            Reply(text, thinking, calls, usage), stop, usage, request.model, f"echo-{len(request.messages)}"
        )


def _asked(messages: list[Message]) -> tuple[str, int]:
    """What the person typed last, and how many replies it has had."""
    replies = 0
    labelled: str | None = None
    for message in reversed(messages):
        if message["role"] == "assistant":
            replies += 1
        elif message["role"] == "user":
            text = _text(message.get("content"))
            if not _LABEL.match(text):
                return text, replies
            labelled = text if labelled is None else labelled
    return labelled or "", replies


def _script(typed: str) -> list[Reply]:
    """The replies to a text, in order; at least one."""
    replies: list[Reply] = []
    beside: list[str] = []
    thinking, said = "", None
    for line in typed.split("\n"):
        step = _STEP.fullmatch(line)
        match step.groups(default="") if step else None:
            case ("call", what):
                replies.append(Reply("", thinking, (_call(what, len(replies), 0),)))
                thinking = ""
            case ("and", what) if replies:
                last = replies[-1]
                more = _call(what, len(replies) - 1, len(last.calls))
                replies[-1] = Reply("", last.thinking, (*last.calls, more))
            case ("think", what):
                thinking = what
            case ("say", what):
                said = what if said is None else f"{said}\n{what}"
            case _:
                beside.append(line)
    return [*replies, Reply("\n".join(beside).strip() if said is None else said, thinking)]


def _call(what: str, reply: int, beside: int) -> ToolCall:
    """A call as scripted: a name, and the JSON of its arguments as it stands."""
    name, _, arguments = what.strip().partition(" ")
    return ToolCall(f"echo_{reply + 1}_{beside + 1}", name, arguments.strip() or "{}")


def _say(text: str, on_piece: OnText, abort: Abort) -> str:
    """Give a text out piece by piece, until it is over or aborted; what was given."""
    given = []
    for piece in _PIECE.findall(text):
        if abort.is_set:
            break
        on_piece(piece)
        given.append(piece)
    return "".join(given)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts: Iterable[object] = content if isinstance(content, list) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part)


def _length(request: ModelRequest) -> int:
    """The tokens of a request, by the one counter."""
    return count_tokens(json.dumps([*request.messages, *request.tail], ensure_ascii=False))
