"""Units: what a request is rendered from. A unit is rendered alone, so its messages can be cached.

A unit is one lone slot, or one model reply with the results of its calls: that every tool call is answered
once, right after it (kernel.md section 6, P1), is settled inside a unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...compiler.program import Role
from ..kernel.content import Call, Content, Part, Text, text_of
from ..kernel.slots import Representation

#: A message or a block in a provider's JSON.
Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """A slot as one request shows it.

    ``labelled``: the content gets a first line ``[element]``. ``content``: already the stand-in when ``how``
    is not full. ``call_id``: the id on the wire of a toolCall slot and of the result that answers it, unique
    in the session. ``tool``: the tool's name, of a call or a result. ``top``: a system slot that goes to
    Anthropic's top field.
    """

    slot_id: str
    element: str
    role: Role
    labelled: bool
    content: Content
    how: Representation = "full"
    call_id: str | None = None
    tool: str | None = None
    is_error: bool = False
    top: bool = False

    @property
    def is_call(self) -> bool:
        """Whether this is a tool call of a reply."""
        return self.element == "toolCall" and self.call_id is not None

    @property
    def parts(self) -> tuple[Part, ...]:
        """The content as parts, with the label line when the slot is labelled."""
        return with_label(self) if self.labelled else parts_of(self.content)

    @property
    def call(self) -> Call:
        """The tool call of a toolCall slot; text in its place (a stand-in) is the call's raw arguments."""
        if not isinstance(self.content, str):
            for part in self.content:
                if isinstance(part, Call):
                    return part
        return Call(self.call_id or "", self.tool or "", text_of(self.content))


@dataclass(frozen=True, slots=True)
class Unit:
    """One lone slot, or one reply's think, assistant and toolCall slots on stage, in order.

    ``results`` answer the toolCall slots of ``shown`` one to one, in order.
    """

    shown: tuple[Shown, ...]
    results: tuple[Shown, ...] = ()

    def __post_init__(self) -> None:
        calls = sum(shown.is_call for shown in self.shown)
        if calls != len(self.results):
            raise ValueError(f"a unit with {calls} tool calls needs as many results, not {len(self.results)}")

    @property
    def calls(self) -> tuple[Shown, ...]:
        """The toolCall slots, in order."""
        return tuple(shown for shown in self.shown if shown.is_call)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A request's messages, and the blocks of Anthropic's top field ``system`` (empty for other formats)."""

    messages: list[Message]
    system: list[Message] = field(default_factory=list)


def parts_of(content: Content) -> tuple[Part, ...]:
    """Content as parts, at least one: a string is one text part, no parts are an empty one."""
    return (Text(content),) if isinstance(content, str) else content or (Text(""),)


def with_label(shown: Shown) -> tuple[Part, ...]:
    """The parts of a slot under the first line ``[element]`` (language.md section 1, Roles)."""
    label = f"[{shown.element}]"
    match parts_of(shown.content):
        case (Text(text), *rest):
            return (Text(f"{label}\n{text}"), *rest)
        case parts:
            return (Text(label), *parts)
