"""Random transactions in random conversations: whatever is asked for, the context stays legal, and undo is exact."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any

import governed
import pytest
from legality import check_anthropic, check_openai, check_pi

from dcc.compiler.load import load_program
from dcc.runtime.governance.outcome import Outcome
from dcc.runtime.session import Reply, Session, SessionError, ToolCall
from dcc.runtime.store.memory import MemoryStore

PROGRAM = load_program({
    "name": "random",
    "life_cycle": {
        "toolResult": ["born", None],
        "read": {
            "of": "toolResult", "match": {"tool": "read"}, "key": "args.path", "end": "born+3", "retire": "offload",
        },
        "think": ["born", "born"],
        "goal": ["born", "born+2"],
    },
    "governance": {"ops": "cpat", "window": 20_000, "gates": ["replace", "redact"]},
})  # fmt: skip

OBJECT = json.dumps({"a": {"token": "t0p-s3cret"}, "b": [1, 2], "log": governed.LONG})
RESULTS = (governed.LONG, "short", OBJECT, "")
TEXTS = ("", "a line", "t0p-s3cret", governed.LONG)
OPS = ("set_visibility", "payload_offload", "restore", "compact", "fold", "merge", "replace", "redact", "nothing")

SEEN: Counter[str] = Counter()


class Player:
    """Plays random steps, and checks after each."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.store = MemoryStore()
        self.session = Session.create(PROGRAM, store=self.store, system="You are brief.")
        self.past: list[Any] = []
        self.ids = 0

    def step(self) -> None:
        self.random.choice((self.turn, self.turn, self.operate, self.operate, self.operate, self.undo, self.other))()
        self.check()

    def turn(self) -> None:
        random, session = self.random, self.session
        session.begin(random.choice(("a question", "/goal find it remain 2\na question", "go on")))
        for _ in range(random.randint(0, 2)):
            session.request(random.choice(("openai", "anthropic", "pi")))
            self.ids += 1
            calls = tuple(
                ToolCall(f"c{self.ids}-{n}", random.choice(("read", "grep")), {"path": f"{random.randint(0, 3)}"})
                for n in range(random.randint(1, 2))
            )
            session.add_reply(Reply(random.choice(("", "looking")), thinking=random.choice(("", "hm")), calls=calls))
            for call in calls:
                if random.random() < 0.3:
                    self.operate()
                session.add_result(call.id, random.choice(RESULTS))
            self.remember()
        session.request()
        session.add_reply(Reply(random.choice(("an answer", "t0p-s3cret it is", governed.LONG))))
        session.commit()
        self.remember()

    def operate(self) -> None:
        random, session = self.random, self.session
        is_open = session._recorder.ledger.reply is not None
        before, tokens = session.state_hash(), self.tokens(is_open)
        operations = [self.operation(n) for n in range(random.choice((1, 1, 1, 2, 3)))]
        outcome = session.update_context({"reason": "random", "operations": operations})
        self.count(operations, outcome)
        if not outcome.applied:
            assert session.state_hash() == before
            assert outcome.transaction is None
            return
        assert outcome.ok
        if not is_open:
            assert self.tokens(is_open) - tokens == outcome.delta_tokens, (operations, outcome)
        if not outcome.purged and random.random() < 0.4:
            assert outcome.transaction is not None
            session.undo_transaction(outcome.transaction)
            assert session.state_hash() == before
            assert self.tokens(is_open) == tokens

    def tokens(self, is_open: bool) -> int:
        """The tokens of the next request; in an open turn of the stage as it is."""
        if is_open:
            return self.session.tokens()
        self.session.begin("and?", verbatim=True)
        found = self.session.request("openai").tokens
        self.session.fail("not sent")
        return found

    def operation(self, n: int) -> dict[str, Any]:
        random = self.random
        op = random.choices(OPS, (8, 5, 3, 5, 5, 4, 3, 2, 1))[0]
        slots = list(self.session._recorder.ledger.slots)
        results = [id for id in slots if id.startswith("toolResult")]
        ledger = self.session._recorder.ledger
        if op in ("payload_offload", "redact") and results and random.random() < 0.8:
            slots = results
        elif op == "restore":
            slots = [id for id in results if ledger.slots[id].shape.how != "full"] or slots
        elif op == "replace":
            slots = [random.choice([id for id in slots if id.startswith(("assistant", "toolR", "user"))] or slots)]
        ids = random.sample(slots, min(len(slots), random.choice((1, 1, 2, 3))))
        if op not in ("payload_offload", "restore", "redact", "replace") and random.random() < 0.7:
            ids = [one for id in ids for one in self.chain(id)]
        if random.random() < 0.1:
            ids = [*ids, random.choice(("nothing@1", "$0", ids[0]))]
        said = {
            "description": random.choice(TEXTS[:2]) or "d",
            "content": random.choices(TEXTS, (1, 8, 1, 1))[0],
        }
        return {
            "op": op, "ids": ids, **said, "retrieval_hint": "h",
            "preserve": random.choice(([], ["a line"], ["port"])), "scope_label": random.choice(("", "s")),
            "visibility": random.choice(("model", "archived", "hidden")), "drop": random.choice((["token"], ["a"], [])),
        }  # fmt: skip

    def chain(self, slot_id: str) -> list[str]:
        ledger = self.session._recorder.ledger
        link = ledger.slots[slot_id].link
        call = link.answers if link is not None and link.answers is not None else slot_id
        result = ledger.result_of.get(call)
        return [call, result] if result is not None else [slot_id]

    def undo(self) -> None:
        with suppress(SessionError):
            self.session.undo(self.random.randint(1, 2))

    def other(self) -> None:
        random = self.random
        slot = random.choice(list(self.session._recorder.ledger.slots))
        try:
            random.choice((self.session.keep, self.session.unkeep, self.session.close, self.session.reopen))(slot)
        except SessionError:
            return
        if random.random() < 0.5:
            state = self.session.state_hash()
            self.session = Session.open(self.store, PROGRAM)
            assert self.session.state_hash() == state

    def remember(self) -> None:
        session = self.session
        self.past.append(self.shown(session.ordinal))

    def shown(self, ordinal: int) -> list[Any]:
        """What a past call held. A purged slot is still there, without its content."""
        return [(v.slot, v.on_stage) for v in self.session.projection(ordinal)]

    def count(self, operations: list[dict[str, Any]], outcome: Outcome) -> None:
        for rejection in outcome.rejections:
            at = rejection.op_index
            SEEN[f"{operations[at]['op'] if at >= 0 else 'transaction'}: {rejection.rule}"] += 1
        if outcome.ok:
            SEEN.update(f"{operation['op']}: applied" for operation in operations)

    def check(self) -> None:
        session = self.session
        session.begin("and?", verbatim=True)
        openai = session.request("openai")
        assert openai.tail is not None
        assert check_openai(openai.messages) == []
        anthropic = session.request("anthropic")
        assert check_anthropic(anthropic.system, anthropic.messages) == []
        assert check_pi(session.request("pi").messages) == []
        assert any("and?" in str(message["content"]) for message in openai.body)
        assert session.request("openai").tail == openai.tail
        session.fail("not sent")


@pytest.mark.parametrize("seed", range(24))
def test_a_random_history(seed: int) -> None:
    player = Player(seed)
    for _ in range(22):
        player.step()
    session = player.session
    assert [player.shown(n) for n in range(1, session.ordinal + 1)] == player.past
    again = Session.open(player.store, PROGRAM)
    assert again.state_hash() == session.state_hash()
    assert again.messages() == session.messages()
    assert [e.data for e in again.governance.journal(1_000)] == [e.data for e in session.governance.journal(1_000)]


def test_every_operation_was_applied_and_refused() -> None:
    """Runs after the histories: what they came across."""
    if not SEEN:
        pytest.skip("needs the histories")
    applied = {name.split(":")[0] for name in SEEN if name.endswith(": applied")}
    assert applied >= set(OPS) - {"nothing"}, SEEN
