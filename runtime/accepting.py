"""What a host hands to a session, looked at before anything happens: a slip changes nothing and is answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..compiler.program import Program
from ..grammar.names import ELEMENT_NAME
from .errors import SessionError
from .kernel.content import Call, Content, Image, Opaque, Text
from .values import GovernanceFlags, Reply, ToolCall


def accepted_content(content: object, of: str) -> Content:
    """Content as it is; ``of`` names what holds it. A list of parts is taken for a tuple.

    Raises SessionError (``bad_content``) for what is neither text nor parts.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple) and all(isinstance(part, Text | Image | Opaque | Call) for part in content):
        return tuple(content)
    raise SessionError(
        "bad_content", f"{of} is {_kind(content)}, expected text or parts",
        help="give a str, or a tuple of Text, Image, Opaque",
    )  # fmt: skip


def accepted_text(text: object, of: str) -> str:
    """A text as it is; ``of`` names it. Raises SessionError (``bad_content``)."""
    if not isinstance(text, str):
        raise SessionError("bad_content", f"{of} is {_kind(text)}, expected text", help="give a str")
    return text


def check_beginning(program: object, store: object, flags: object) -> None:
    """Refuse what no session can begin with: a name in place of what it names.

    Raises SessionError: ``bad_program``, ``bad_store``, ``bad_flags``.
    """
    if not isinstance(program, Program):
        help = 'give what load_program("standard") returns'
        raise SessionError("bad_program", f"the program is {_kind(program)}, expected Program", help=help)
    if isinstance(store, str | Path):
        help = 'give SqliteStore("sessions.db", "work")'
        raise SessionError("bad_store", f"the store is {_kind(store)}, expected a Store", help=help)
    if not isinstance(flags, GovernanceFlags | None):
        help = "give GovernanceFlags(window=200_000)"
        raise SessionError("bad_flags", f"the flags are {_kind(flags)}, expected GovernanceFlags", help=help)


def is_blank(content: Content) -> bool:
    """Whether nothing is said: no text but white space, and no part that is none."""
    if isinstance(content, str):
        return not content.strip()
    return all(isinstance(part, Text) and not part.text.strip() for part in content)


def accepted_reply(reply: object) -> Reply:
    """A reply as it is, the arguments of its tool calls as JSON text.

    Raises SessionError: ``bad_reply``, ``bad_content``, ``bad_call``.
    """
    if not isinstance(reply, Reply):
        help = 'give Reply("its text"), or Reply(calls=(ToolCall(id, name, arguments),))'
        raise SessionError("bad_reply", f"a reply is {_kind(reply)}, expected Reply", help=help)
    _text(reply.text, "the text of a reply")
    if not isinstance(reply.thinking, str):
        accepted_content(reply.thinking, "the thinking of a reply")
    _check_pieces(reply)
    return replace(reply, calls=tuple(_call(call) for call in reply.calls))


def _check_pieces(reply: Reply) -> None:
    """What a reply says of its order: every call once, the first one first."""
    for kind, value in reply.pieces:
        if kind == "text":
            _text(value, "the text of a reply")
        elif kind == "think" and not isinstance(value, str):
            accepted_content(value, "the thinking of a reply")
    calls = [value for kind, value in reply.pieces if kind == "call"]
    if reply.pieces and calls != list(range(len(reply.calls))):
        raise SessionError(
            "bad_call", f"the pieces of a reply name the tool calls {calls}, and it has {len(reply.calls)}",
            help="name each by its index in calls, in their order",
        )  # fmt: skip


def accepted_element(element: str) -> str:
    """The name of an element. Raises SessionError (``bad_element``)."""
    if not ELEMENT_NAME.fullmatch(element):
        raise SessionError("bad_element", f"{element[:40]!r} is no element name", help="use letters, digits, _ and -")
    return element


def accepted_labels(labels: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The labels of a turn, which are stored as JSON. Raises SessionError (``bad_labels``)."""
    try:
        json.dumps(labels if labels is None else dict(labels))
    except (TypeError, ValueError, RecursionError) as error:
        help = "give text, numbers and lists"
        raise SessionError("bad_labels", f"the labels are no JSON: {error}", help=help) from None
    return labels


def _call(call: object) -> ToolCall:
    if not isinstance(call, ToolCall):
        help = "give ToolCall(id, name, arguments)"
        raise SessionError("bad_call", f"a tool call is {_kind(call)}, expected ToolCall", help=help)
    _text(call.id, "the id of a tool call")
    _text(call.name, "the name of a tool")
    try:
        return replace(call, arguments=Call(call.id, call.name, call.arguments).arguments)
    except (TypeError, ValueError, RecursionError) as error:
        raise SessionError(
            "bad_call", f"the arguments of tool call {call.id[:40]!r} are no JSON: {error}",
            help="give the JSON text as the provider sent it, or a mapping of text, numbers, lists and mappings",
        ) from None  # fmt: skip


def _text(value: object, of: str) -> None:
    if not isinstance(value, str):
        raise SessionError("bad_content", f"{of} is {_kind(value)}, expected text", help='"" says that there is none')


def _kind(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"
