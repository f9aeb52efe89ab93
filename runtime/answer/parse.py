"""An answer, read by the parser that the ruleset names (``answer.parser``; spec/dynamiccontext.md section 16)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ...grammar.errors import DccError
from .pins import take_pins
from .tags import take_elements
from .thinking import take_thinking

Parser = Literal["normal", "tagged"]

_ASSISTANT = re.compile(r"</?assistant>")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model wrote. ``assistant`` is always there, maybe empty; ``thinking`` is None when there is none.

    ``elements``: (name, content) of the slots that a tagged answer bears, in order. ``pins``: texts of the pins.
    """

    assistant: str
    thinking: str | None = None
    elements: tuple[tuple[str, str], ...] = ()
    pins: tuple[str, ...] = ()


def parse_answer(text: str, parser: Parser = "normal") -> Answer:
    """Read an answer: thinking first, then (tagged) elements, then pins."""
    thinking, rest = take_thinking(text)
    written: tuple[tuple[str, str], ...] = ()
    if parser == "tagged":
        rest, written = take_elements(rest)
        # A model that is asked for tags puts its answer into one, too.
        rest = _ASSISTANT.sub("", rest)
    assistant, pins = take_pins(rest)
    taken = [(name, *take_pins(content)) for name, content in written]
    return Answer(
        assistant,
        thinking or None,
        tuple((name, content) for name, content, _ in taken),
        (*pins, *(pin for _, _, found in taken for pin in found)),
    )


def parser_named(name: str | None) -> Parser:
    """The parser of that name; ``normal`` when none is named. Raises DccError (``unknown_parser``)."""
    match name:
        case None | "normal":
            return "normal"
        case "tagged":
            return "tagged"
        case _:
            raise DccError(
                "unknown_parser",
                f"unknown answer.parser {name!r}, expected normal or tagged",
                help="write answer.parser: normal",
            )
