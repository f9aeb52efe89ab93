"""What must hold of a session whatever is done to it (kernel.md section 6): one conversation is looked at."""

from __future__ import annotations

from typing import Any

from legality import check_anthropic, check_openai, check_pi

from dcc.runtime.kernel.content import decode
from dcc.runtime.kernel.events import Event
from dcc.runtime.kernel.hashing import StateHash, sum_of_rows
from dcc.runtime.kernel.ledger import Ledger
from dcc.runtime.session import Format, Request, Session, Visible
from dcc.runtime.store.memory import MemoryStore

FORMATS: tuple[Format, ...] = ("openai", "anthropic", "pi")


class Watched:
    """A conversation that is watched. Raises AssertionError where an invariant does not hold."""

    def __init__(self, session: Session, store: MemoryStore) -> None:
        self.session = session
        self.store = store
        #: What every request that has its reply held, and what slots held when they were borne.
        self.past: dict[int, tuple[Visible, ...]] = {}
        self.contents: dict[str, bytes] = {}
        self.last: Request | None = None
        self.mark = 0

    def abort(self) -> None:
        """An open turn is closed."""
        if self.session.is_open:
            self.session.abort()

    def completed(self, request: Request) -> None:
        """The reply to a request has come."""
        self.check_prefix(request, [event for event in self._events() if event.kind == "break"])
        self.past[request.ordinal] = request.visible
        self.last, self.mark = request, self.session._recorder.ledger.seq

    def check(self) -> None:
        """What must hold at any time between two steps."""
        session, ledger = self.session, self.session._recorder.ledger
        assert session._recorder.hash.total == sum_of_rows(ledger)
        for slot in ledger.slots.values():
            if not slot.is_purged:
                held = session._recorder.content(slot.digest)
                assert self.contents.setdefault(slot.id, held) == held, "P6: what a slot holds is never another"
                decode(held)
        wires = [s.link.wire for s in ledger.slots.values() if s.element == "toolCall" and s.link is not None]
        assert len(wires) == len(set(wires)), "P10"
        for ordinal in {1, session.ordinal // 2, session.ordinal} & self.past.keys():
            if ordinal <= session.ordinal:
                self.check_past(ordinal)
        if not session.is_open:
            session.begin("and?", verbatim=True)
            for format in FORMATS:
                self.check_request(request := session.request(format))
                assert session.request(format).messages == request.messages, "P3"
            session.fail("not sent")

    def check_request(self, request: Request) -> None:
        """P1, P2, P5: a provider would take it, the question and the system are there, and the tokens add up."""
        match request.format:
            case "openai":
                found = check_openai(request.messages)
            case "anthropic":
                found = check_anthropic(request.system, request.messages)
            case "pi":
                found = check_pi(request.messages)
        assert found == []
        shown = {v.slot: v for v in request.visible}
        user = shown[f"user@{request.turn}"]
        assert (user.how, user.on_stage) == ("full", True)
        assert all(v.how == "full" for v in request.visible if v.element == "system")
        assert request.tokens == sum(v.tokens for v in request.visible)

    def check_prefix(self, now: Request, breaks: list[Event]) -> None:
        """P9: without a break the earlier request is a prefix of this one."""
        if self.last is not None:
            earlier, later = _items(self.last), _items(now)
            kept = next((i for i, (a, b) in enumerate(zip(earlier, later, strict=False)) if a != b), len(later))
            assert (kept >= len(earlier)) == (not breaks), [event.cause for event in breaks]

    def check_past(self, ordinal: int) -> None:
        """P11: what a request held is never another; of what was purged only that it was there is known."""
        slots = self.session._recorder.ledger.slots

        def known(visible: tuple[Visible, ...]) -> list[Visible]:
            return [v._replace(how="stub", tokens=0) if slots[v.slot].is_purged else v for v in visible]

        assert known(self.session.projection(ordinal)) == known(self.past[ordinal])

    def check_all(self) -> None:
        """At the end: every past request, and the states that transactions recorded, from the first event on."""
        self.abort()
        for ordinal in self.past:
            if ordinal <= self.session.ordinal:
                self.check_past(ordinal)
        assert refold(self.store) == self.session.state_hash()

    def _events(self) -> list[Event]:
        return list(self.session._recorder.events(self.mark))


def _items(request: Request) -> list[Any]:
    """What prefixes are compared by, without the tail; for anthropic blocks with their role, the top field first."""
    if request.format != "anthropic":
        return list(request.body)
    top = [("system", block) for block in request.system]
    return top + [(m["role"], block) for m in request.body for block in m["content"]]


def refold(store: MemoryStore) -> str:
    """The state that the events fold to, if each transaction of operations finds and leaves the one it recorded."""
    ledger = Ledger()
    hash = StateHash(ledger, 0)
    ledger.watch = hash.note
    number, before = 0, ""
    for event in map(Event.from_row, store.rows()):
        if event.cause in ("op", "refused") and event.transaction != number:
            number, before = event.transaction, hash.value()
        ledger.apply(event)
        if event.kind == "operated":
            assert (event.data["before"], event.data["after"]) == (before, hash.value()), f"#{number} diverges"
    return hash.value()
