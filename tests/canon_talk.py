"""Conversations in which articles surface: one that a host reports as text, and a session with a ledger."""

from __future__ import annotations

import json
from typing import Any

from canon_project import TODAY, Project
from play import program_of

from dcc.compiler.program import Program
from dcc.runtime.memory.reply import Reply as CanonReply
from dcc.runtime.memory.surfacing.conversation import Conversation
from dcc.runtime.session import Reply, Request, Session, ToolCall
from dcc.runtime.store.interface import Store
from dcc.runtime.values import GovernanceFlags

#: The rules of a session with canon.
RULES: dict[str, Any] = {"life_cycle": {"user": ["born", None], "toolResult": ["born", None]}, "canon": {}}


def lines(text: str | None) -> list[str]:
    """The lines of a message, without what stands above them."""
    return text.split("\n")[1:] if text else []


def line(address: str, said: str) -> str:
    """A line as it surfaces of an article that was written today."""
    return f"{address} (updated {TODAY}): {said}"


class TextTalk:
    """A conversation that is reported as a list of messages, which the test makes up."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.talk = Conversation(project.canon)
        self.number = 0

    def touch(self, *paths: str, tool: str = "read", succeeds: bool = True) -> list[str]:
        """A call of one tool a path, all of which succeed; the lines that surface behind it."""
        for path in paths:
            self.call(tool, succeeds=succeeds, path=path)
        return lines(self.talk.flush())

    def call(self, tool: str, *, succeeds: bool = True, **arguments: Any) -> None:
        """A tool is called and answered; nothing is flushed."""
        self.number += 1
        self.talk.called(tool, arguments, f"c{self.number}")
        if succeeds:
            self.talk.succeeded(f"c{self.number}")

    def see(self, *texts: str) -> None:
        """The model sees a conversation of these texts."""
        self.talk.observe([{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts])

    def use(self, action: str, path: str, **arguments: Any) -> CanonReply:
        """The tool is called here."""
        return self.talk.use({"action": action, "path": path, **arguments})

    @property
    def status(self) -> tuple[int, int, int]:
        """How many surfaced, how many are present, and the characters of those."""
        data = self.talk.status().data
        return data["surfaced"], data["present"], data["chars"]



class LedgerTalk:
    """A session in which tools are called, one call of the model after the other."""

    def __init__(
        self, project: Project, program: Program | None = None, *,
        flags: GovernanceFlags | None = None, store: Store | None = None, **canon: Any,
    ) -> None:  # fmt: skip
        self.project = project
        rules = {**RULES, "canon": canon} if canon else RULES
        self.session = Session.create(
            program or program_of(rules), folder=str(project.folder), clock=project.clock,
            canon=None if canon or flags else project.canon, flags=flags, store=store,
        )  # fmt: skip
        self.requests: list[Request] = []
        self.number = 0
        self.session.begin("Go.")

    def request(self) -> Request:
        """The next request, which is remembered."""
        self.requests.append(self.session.request())
        return self.requests[-1]

    def call(self, *calls: tuple[str, dict[str, Any]], failing: bool = False) -> list[str]:
        """One call of the model that asks for tools; the lines of canon that only the next request holds.

        The tool canon is served; every other one succeeds, or fails if it is ``failing``.
        """
        before = {shown.slot for shown in self.request().visible}
        asked = []
        for tool, arguments in calls:
            self.number += 1
            asked.append(ToolCall(f"c{self.number}", tool, json.dumps(arguments)))
        self.session.add_reply(Reply(calls=tuple(asked)))
        for one in asked:
            if self.session.serve(one.id) is None:
                self.session.add_result(one.id, "done", failing)
        return [
            text
            for shown in self.request().visible
            if shown.element == "canon" and shown.slot not in before
            for text in lines(self.session.last_text("canon"))
        ]

    def touch(self, *paths: str, tool: str = "read", failing: bool = False) -> list[str]:
        """A call of one tool for each path; see :meth:`call`."""
        return self.call(*((tool, {"path": path}) for path in paths), failing=failing)

    def use(self, action: str, path: str, **arguments: Any) -> list[str]:
        """A call of canon."""
        return self.call(("canon", {"action": action, "path": path, **arguments}))

    def answer(self, text: str = "Done.") -> None:
        """The model answers, and the turn is over."""
        self.request()
        self.session.add_reply(Reply(text))
        self.session.commit()

    def begin(self, text: str = "And now?") -> list[str]:
        """The next turn begins; the lines of canon that its first request has before anything is called."""
        self.session.begin(text)
        turn = self.session.turn
        return [shown.slot for shown in self.request().visible if shown.slot.startswith(f"canon@{turn}")]

    def newest(self, element: str) -> str:
        """The id of the newest slot of an element on stage."""
        return [slot for slot in self.session.stage() if slot.partition("@")[0] == element][-1]

    def fold(self, element: str) -> None:
        """The newest slot of an element leaves the stage."""
        self.session.close(self.newest(element))

    @property
    def status(self) -> tuple[int, int, int]:
        """How many surfaced, how many are present, and the characters of those."""
        data = self.session.canon.surfacing.status().data
        return data["surfaced"], data["present"], data["chars"]
