"""Plays random conversations with random transactions, and holds the session to its invariants after each step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from aimed_operations import LONG, SELDOM, WHOLE, Aiming, pairs
from checks import FailingStore
from random_rules import PROGRAMS
from watched_session import FORMATS, Watched

from dcc.runtime.errors import StoreError
from dcc.runtime.governance.outcome import Outcome
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.session import Reply, Request, Session, SessionError, ToolCall, Usage

SYSTEM = "Keep to the rules of the house."
RESULTS = (LONG, LONG * 3, "short", "[1, 2]", "")

TABLE = PROGRAMS[0].ops
assert TABLE is not None
PAIRS = sorted(pairs(TABLE))
NAMES = tuple(TABLE.ops)

#: What operations are aimed at.
AIMS = [pair for pair in PAIRS if pair[0] != "transaction"]
WEIGHTS = [SELDOM.get(code, 1) for _, code in AIMS]
SELDOM_AT_ALL = (("redact", "redact_early"), ("redact", "protected_kept"), ("restore", "budget_exceeded"))


class Player(Watched):
    """One conversation at random."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.program = PROGRAMS[seed % len(PROGRAMS)]
        self.format = FORMATS[seed % len(FORMATS)]
        self.clock, self.disk = ManualClock(), FailingStore()
        system = SYSTEM if seed % 4 else None
        super().__init__(Session.create(self.program, store=self.disk, system=system, clock=self.clock), self.disk)
        #: How often an operation met an answer: applied, or a code.
        self.seen: Counter[tuple[str, str]] = Counter()
        self.ids = 0
        self.tokens = ["no-token-yet"]
        if system is None:
            self.session.add_entry("note", "nothing was said yet")
            self.transact(Aiming(self.session, self.random).payload("empty_view"))

    # Steps

    def step(self) -> None:
        """Something happens; then everything is looked at."""
        acts = (self.turn, self.operate, self.undo, self.command, self.control, self.fail)
        self.random.choices(acts, (5, 8, 2, 2, 3, 1))[0]()
        self.check()

    def turn(self) -> None:
        """A message, some calls with tools, an answer; now and then the turn is left open, or fails."""
        random = self.random
        text = random.choice((
            "a question", "go on", f"is it {self.tokens[-1]}?", "the port of the house?",
            "/goal find it remain 2\na question", "/constraint be quick remain 3\ngo on",
            "/hint look here refresh none\ngo on", "/task_state half done refresh none\ngo on",
        ))  # fmt: skip
        begun = self.session.begin(text)
        assert begun.turn is not None
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            if not self.call():
                return
        if random.random() < 0.2:
            self.operate()
        if self.request() is None:
            return
        self.answered(Reply(random.choice(("an answer", LONG, "42")), thinking=random.choice(("", "hm"))))
        self.session.commit()

    def call(self) -> bool:
        """One call with tools; whether the turn goes on."""
        random = self.random
        if self.request() is None:
            return False
        calls = [
            self._tool(random.choice(("read", "edit", "grep", "run"))) for _ in range(random.choice((1, 1, 2, 3)))
        ]
        aiming = Aiming(self.session, random)
        if random.random() < 0.5:
            calls.append(self._tool("context_update", {"reason": "in a loop", "operations": [self.operation(aiming)]}))
        self.answered(Reply(random.choice(("", "looking")), thinking=random.choice(("", "hm")), calls=tuple(calls)))
        for n, call in enumerate(calls):
            if random.random() < 0.2:
                self.operate()
            if call.name == "context_update":
                served = self.session.serve(call.id)
                assert served is not None
                self.count(call.arguments["operations"], json.loads(served.content))
            elif n and random.random() < 0.05:
                if random.random() < 0.5:
                    self.session.abort()
                return False
            else:
                text = self._object() if random.random() < 0.3 else random.choice(RESULTS)
                self.session.add_result(call.id, text, random.random() < 0.1)
        return True

    def _tool(self, name: str, arguments: Any = None) -> ToolCall:
        self.ids += 1
        given = {"path": f"{self.random.randint(0, 3)}.txt", "text": self.random.choice(("", LONG))}
        return ToolCall(f"c{self.ids % 7}-{self.ids}", name, arguments if arguments is not None else given)

    def _object(self) -> str:
        """A result with something to delete."""
        self.tokens.append(f"s3cr3t-token-{len(self.tokens)}")
        token = self.tokens[-1]
        return json.dumps({"token": token, "deep": {"token": token}, "asked": "the port of the house", "log": LONG})

    def request(self) -> Request | None:
        """A request that goes out; None: it failed, and the turn with it if it was its first."""
        request = self.session.request(self.format)
        self.check_request(request)
        if self.random.random() < 0.06:
            self.session.fail("provider")
            self.abort()
            return None
        self.last_sent = request
        return request

    def answered(self, reply: Reply) -> None:
        """The reply has come: the request counts."""
        request = self.last_sent
        usage = Usage(input=request.tokens + request.tail_tokens + 90) if self.random.random() < 0.3 else None
        self.session.add_reply(Reply(reply.text, reply.thinking, reply.calls, usage=usage))
        self.completed(request)

    def operate(self) -> None:
        """A transaction, aimed at some answer; now and then it is undone at once, or the store is full."""
        random, session = self.random, self.session
        aiming = Aiming(session, random)
        before = session.state_hash()
        if random.random() < 0.2:
            payload = aiming.payload(random.choice(WHOLE))
        else:
            ops = [self.operation(aiming) for _ in range(random.choice((1, 1, 1, 2, 3)))]
            payload = {"reason": "at random", "operations": ops}
        if random.random() < 0.05 and not session._recorder.is_staged:
            self._full(payload, before)
            return
        outcome = self.transact(payload)
        if not outcome.applied:
            assert session.state_hash() == before
        elif random.random() < 0.3:
            number = outcome.transaction or 0
            if outcome.purged:
                self._refused("undo_purged", lambda: session.undo_transaction(number))
            else:
                session.undo_transaction(number)
                assert session.state_hash() == before

    def transact(self, payload: Any) -> Outcome:
        """Send a transaction, and count what it is answered."""
        outcome = self.session.update_context(payload)
        asked = payload.get("operations") if isinstance(payload, dict) else None
        self.count(asked if isinstance(asked, list) else [], outcome.document())
        return outcome

    def _full(self, payload: Any, before: str) -> None:
        """P8: what cannot be written has not happened."""
        self.disk.fails = True
        with suppress(StoreError):
            self.session.update_context(payload)
        self.disk.fails = False
        self.reopen()
        assert self.session.state_hash() == before

    def operation(self, aiming: Aiming) -> dict[str, Any]:
        """An operation that is aimed at being applied, or at one of the codes that it may be refused with."""
        random = self.random
        if random.random() < 0.35:
            return aiming.valid(random.choice(NAMES))
        chosen = random.choices(AIMS, WEIGHTS, k=8)
        seldom = [pair for pair in SELDOM_AT_ALL if random.random() < 0.5]
        op, code = next((pair for pair in (*seldom, *chosen) if aiming.can(pair[1])), chosen[0])
        if op == "unknown":
            return {"op": "nothing", "ids": []} if code == "unknown_op" else {"ids": ["user@1"]}
        return aiming.aimed(op, code)

    def undo(self) -> None:
        """Some transactions are taken back."""
        with suppress(SessionError):
            self.session.undo(self.random.choice((1, 1, 2, 3)))

    def command(self) -> None:
        """Something typed that begins no turn."""
        line = self.random.choice((
            "/cpat", "/cpat manifest", "/cpat journal", "/cpat off", "/cpat on", "/cpat on", "/cpat undo", "/dc-status",
            "/pin a note", "/cancelpin p01", "/dc-keep", "/dc-unkeep all", "/dc-end goal", "/dc-compact",
            "/dc-rule toolResult born born+2", "/dc-rule assistant born null force_refresh",
            f"/dc-recall {self.tokens[-1]}",
        ))  # fmt: skip
        self.session.begin(line)
        if line == "/cpat off":
            self.check()
            self.session.begin("/cpat on")

    def control(self) -> None:
        """A host acts on a slot, or opens the session in a new process."""
        random, session = self.random, self.session
        slots = list(session._recorder.ledger.slots)
        slot = random.choice([id for id in slots if "Result" in id and random.random() < 0.5] or slots)
        with suppress(SessionError):
            random.choice((
                lambda: session.keep(slot), lambda: session.keep(slot), lambda: session.unkeep(slot),
                lambda: session.close(slot), lambda: session.reopen(slot),
                lambda: session.represent(slot, random.choice(("full", "ref", "stub"))),
                lambda: session.add_entry(random.choice(("note", "task_state")), "seen by the host"),
                self.reopen,
            ))()  # fmt: skip

    def fail(self) -> None:
        """A turn whose first call fails leaves no trace but its maintenance."""
        self.abort()
        stage = self.session.state_hash()
        self.session.begin("a question that nobody hears")
        self.session.request(self.format)
        maintained = any(e.cause in ("settle", "critical_pass") for e in self._events())
        self.session.fail("provider")
        assert maintained or self.session.state_hash() == stage

    def reopen(self) -> None:
        """P7: a new process goes on where this one was."""
        state, stage = self.session.state_hash(), self.session.stage()
        is_failed = self.session._recorder._failed
        self.session = Session.open(self.store, self.program, clock=self.clock)
        assert is_failed or (self.session.state_hash(), self.session.stage()) == (state, stage)

    def count(self, asked: list[Any], outcome: dict[str, Any]) -> None:
        """What a transaction was answered."""
        for rejection in outcome["rejections"]:
            at = rejection["op_index"]
            name = asked[at].get("op", "unknown") if at >= 0 else "transaction"
            self.seen[name if name in NAMES or at < 0 else "unknown", rejection["rule"]] += 1
        if outcome["ok"]:
            self.seen.update((operation["op"], "applied") for operation in asked)

    def _refused(self, code: str, act: Callable[[], Any]) -> None:
        with pytest.raises(SessionError) as error:
            act()
        assert error.value.code == code
