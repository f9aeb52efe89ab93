"""Plays turns under a ruleset, one slot at a time, and remembers what every request held."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from dcc.compiler.documents import read_mapping, resolve
from dcc.compiler.ir.build import build_ruleset
from dcc.compiler.lower import lower
from dcc.compiler.program import ElementRow, Match, Program
from dcc.runtime.kernel.content import Call as ToolUse
from dcc.runtime.kernel.refine import refine
from dcc.runtime.kernel.tokens import count_tokens
from dcc.runtime.session import Reply, Request, Session, ToolCall

#: Longer than any stand-in, so that what is offloaded is really reduced: about 600 tokens.
LONG = "a line that nobody will read twice\n" * 60

#: Contents of about 600, 150 and 10 tokens: refinements may ask for many.
SIZES = (LONG, LONG[:500], LONG[:30])

#: A tool that no refinement of a random ruleset takes.
PLAIN = "plain_tool"

#: A tool call as it is played: name, arguments, result, whether that is an error.
Call = tuple[str, Mapping[str, Any], str, bool]

#: What a turn bears by itself; all else is borne as an entry of the host.
BY_TURN = ("user", "assistant", "think")


def program_of(data: Mapping[str, Any]) -> Program:
    """The Program of a ruleset, errors or not: what would happen if nobody checked it."""
    chain = resolve(read_mapping(data), Path())
    ruleset, _ = build_ruleset(chain.data)
    return lower(ruleset, name="witness", digest=chain.digest)


@dataclass
class Play:
    """A session under a program; ``breaks`` are (turn, call, index of the first message that differs)."""

    program: Program
    requests: list[Request] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    breaks: list[tuple[int, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.session = Session.create(self.program, system="You are brief.")
        self._ids = 0

    def turn(
        self,
        calls: tuple[Call, ...] = (),
        *,
        text: str = "a question",
        reply: str = "an answer",
        thinking: str = "",
    ) -> list[Request]:
        """One turn: a message, a request for each tool call, and one for the answer."""
        self.session.begin(text, verbatim=True)
        made = []
        for name, arguments, content, is_error in calls:
            made.append(self._request())
            self._ids += 1
            call = ToolCall(f"c{self._ids}", name, json.dumps(arguments))
            self.session.add_reply(Reply(text=LONG, thinking=thinking, calls=(call,)))
            self.session.add_result(call.id, content, is_error)
            self._note()
        made.append(self._request())
        self.session.add_reply(Reply(text=reply, thinking=thinking))
        self.session.commit()
        self._note()
        return made

    def _request(self) -> Request:
        request = self.session.request("openai")
        self.requests.append(request)
        return request

    def _note(self) -> None:
        happened = self.session.take_happenings()
        self.notices += [code for code, _ in happened.notices]
        self.breaks += [(self.session.turn, call, index) for call, index, _ in happened.breaks]

    def bear(self, element: str) -> str | None:
        """Bear one slot of an element or refinement in the coming turn: its id, or None if another row takes it."""
        turn = self.session.turn + 1
        row = self.program.row(element)
        if element == "system":
            return "system@0"
        if row.of is not None or element in ("toolCall", "toolResult"):
            call = self.call(row)
            self.turn((call,), thinking=LONG)
            base = "toolCall" if "toolCall" in (row.of, element) else "toolResult"
            return f"{base}@{turn}" if row.of is None or self._takes(row, call) else None
        self.turn(thinking=LONG if element == "think" else "")
        return f"{element}@{turn}" if element in BY_TURN else self.session.add_entry(element, LONG)

    def call(self, row: ElementRow, n: int = 0) -> Call:
        """A tool call whose slots a row takes, if there is one; ``n`` makes keys differ where they may."""
        ways = product(SIZES, (False, True), *map(_samples, row.match))
        tries = [_try(row.match, values, n, content, is_error) for content, is_error, *values in ways]
        return next((call for call in tries if self._takes(row, call)), tries[0])

    def _takes(self, row: ElementRow, call: Call) -> bool:
        """Whether of all refinements it is this one that takes the slot."""
        tool, arguments, content, is_error = call
        base = "toolCall" if row.of == "toolCall" else "toolResult"
        said = content if base == "toolResult" else (ToolUse("c1", tool, json.dumps(arguments)),)
        found = refine(
            self.program.elements.values(),
            base,
            tool=tool,
            args=arguments,
            is_error=is_error and base == "toolResult",
            tokens=count_tokens(said),
        )
        return found is not None and found.name == row.name

    def on(self, slot: str) -> list[bool]:
        """For every request so far whether the slot was on stage in it."""
        return [any(v.slot == slot and v.on_stage for v in request.visible) for request in self.requests]

    def full(self, slot: str) -> list[bool]:
        """For every request so far whether the slot was there in full."""
        return [any(v.slot == slot and v.on_stage and v.how == "full" for v in r.visible) for r in self.requests]

    def count(self, element: str) -> int:
        """The slots of an element or refinement on stage in the last request."""
        shown = self.requests[-1].visible
        return sum(v.on_stage and element in (v.element, v.refined) for v in shown)


def _try(matches: tuple[Match, ...], values: list[Any], n: int, content: str, is_error: bool) -> Call:
    tool = PLAIN
    arguments: dict[str, Any] = {"path": f"p{n}.py", "query": f"q{n}", "body": content}
    for match, value in zip(matches, values, strict=True):
        if match.field == "tool":
            tool = value
        elif match.field == "is_error":
            is_error = value
        elif match.field != "tokens":
            arguments[match.field.removeprefix("args.")] = value
    return tool, arguments, f"{n}: {content}", is_error


def _samples(match: Match) -> tuple[Any, ...]:
    """Values that pass a test of a random ruleset."""
    return ("read", "edit", "reed") if match.test == "regex" else match.values
