"""Units to render, in few words."""

from __future__ import annotations

from dcc.compiler.program import Role
from dcc.runtime.kernel.content import Call, Content
from dcc.runtime.view.unit import Shown, Unit


def lone(element: str, role: Role, content: Content, *, labelled: bool = False, top: bool = False) -> Unit:
    """A unit of one slot that is no reply."""
    return Unit((Shown(f"{element}@1", element, role, labelled, content, top=top),))


def said(text: Content) -> Shown:
    """The assistant slot of a reply."""
    return Shown("assistant@1", "assistant", "assistant", False, text)


def thought(content: Content) -> Shown:
    """The think slot of a reply."""
    return Shown("think@1", "think", "assistant", False, content)


def called(id: str, name: str = "read", arguments: str | dict[str, object] = "{}") -> Shown:
    """A toolCall slot of a reply."""
    content = (Call(id, name, arguments),)
    return Shown("toolCall@1", "toolCall", "assistant", False, content, call_id=id, tool=name)


def answer(id: str, content: Content, *, is_error: bool = False) -> Shown:
    """The toolResult slot that answers the call ``id``."""
    return Shown(
        "toolResult@1", "toolResult", "tool", False, content, call_id=id, tool="read", is_error=is_error
    )
