"""Random work under canon: what was touched is present afterwards, once, in its version; and all of it is stored."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from canon_project import Project
from canon_talk import RULES, LedgerTalk
from play import program_of

from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.memory import MemoryStore

NAMES = ("a", "b", "c", "d")


class Work:
    """A session that is driven at random, and an account of its own of what is on disk."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.draw = Random(seed)
        self.project = Project(folder)
        self.capsules: dict[str, str] = {}
        self.number = 0
        self.requests: list[tuple[int, list[str]]] = []
        for name in NAMES:
            self.project.asset(f"src/{name}.py")
            self.change(name)
        self.store = MemoryStore()
        self.talk = LedgerTalk(self.project)
        self.talk.session = self.session = Session.create(
            program_of(RULES), store=self.store, folder=str(folder), clock=self.project.clock
        )
        self.session.begin("Go.")

    def change(self, name: str) -> None:
        """Somebody else writes an article."""
        self.number += 1
        self.capsules[name] = f"Version {self.number} of {name}."
        self.project.put(f"src/{name}", f"---\ncapsule: {self.capsules[name]}\n---\n# {name}\n")

    def call(self) -> None:
        """One call of the model, with one to three tools, some of them canon."""
        sent = self.session.request()
        self.requests.append((sent.ordinal, [str(message) for message in sent.body]))
        touched: set[str] = set()
        asked = []
        for _ in range(self.draw.randint(1, 3)):
            self.number += 1
            name = self.draw.choice(NAMES)
            if self.draw.random() < 0.2:
                what: tuple[str, dict[str, Any]] = "canon", {"action": "read", "path": f"src/{name}.py"}
            else:
                what = self.draw.choice(("read", "edit")), {"path": f"src/{name}.py"}
                touched.add(name)
            asked.append(ToolCall(f"t{self.number}", *what))
        self.session.add_reply(Reply(calls=tuple(asked)))
        self.broke()
        for one in self.draw.sample(asked, len(asked)):
            if self.session.serve(one.id) is None:
                self.session.add_result(one.id, "done", self.draw.random() < 0.2)
        request = self.session.request()
        texts = [str(message["content"]) for message in request.body]
        for name in touched:
            held = [text for text in texts if self.capsules[name] in text]
            assert held, f"src/{name} was touched, and the next request does not hold its version"
            lines = [text for text in held if text.startswith("[canon]\n")]
            assert len(lines) <= 1

    def broke(self) -> None:
        """Two requests differ before the end of the earlier one only where a break is told of with a reply."""
        if len(self.requests) > 1:
            (first, earlier), (last, later) = self.requests[-2:]
            events = self.session._recorder.events(0)
            told = any(event.kind == "break" and first <= event.ordinal < last for event in events)
            assert told or later[: len(earlier)] == earlier

    def step(self) -> None:
        match self.draw.randrange(8):
            case 0:
                self.change(self.draw.choice(NAMES))
            case 1 if canon := [one for one in self.session.stage() if one.startswith("canon")]:
                self.session.close(self.draw.choice(canon))
            case 2:
                self.talk.answer()
                self.talk.begin("And now?")
                self.talk.answer()
                self.session.begin("Go on.")
            case 3 if results := [one for one in self.session.stage() if one.startswith("toolResult")]:
                self.session.represent(self.draw.choice(results), "ref")
            case 4 if not self.session.outlook().pending and self.session._recorder.ledger.call:
                self.open_again()
            case _:
                self.call()

    def open_again(self) -> None:
        """The process dies, and another takes the session up."""
        opened = Session.open(self.store, program_of(RULES), clock=self.project.clock)
        assert opened.state_hash() == self.session.state_hash()
        assert opened.stage() == self.session.stage()
        assert opened._recorder.ledger.knowledge == self.session._recorder.ledger.knowledge
        self.talk.session = self.session = opened


@pytest.mark.parametrize("seed", range(25))
def test_what_is_touched_is_present_afterwards(tmp_path: Path, seed: int) -> None:
    work = Work(tmp_path / "proj", seed)
    work.call()
    for _ in range(40):
        work.step()
