"""What the budget report suggests is taken as it stands: by itself, at once, whatever happened before."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import governed
import pytest
from random_player import Player

from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.memory import MemoryStore

SEEDS = range(10)
MORE_SEEDS = range(10, 40)
STEPS = 30

#: Arguments that say something, for whatever an operation takes.
SAID = {
    "description": "d", "content": "x", "retrieval_hint": "h", "preserve": ["x"], "scope_label": "s", "drop": ["x"],
}  # fmt: skip


def suggestions(session: Session) -> list[tuple[str, list[str]]]:
    """(operation, ids), as a model would read them from the report."""
    found: list[tuple[str, list[str]]] = []
    for row in json.loads(session.governance.report())["largest"]:
        found += ((op, [row["id"]]) for op in row["suggested_ops"])
        found += ((op, row["chain"]) for op in row.get("chain_ops", ()))
    return found


def payload(session: Session, op: str, ids: list[str]) -> dict[str, Any]:
    table = session.program.ops
    assert table is not None
    taken = {name: SAID[name] for name in (a.name for a in table.ops[op].args) if name in SAID}
    base = session.governance.base
    return {"reason": "suggested", "base": base, "operations": [{"op": op, "ids": ids, **taken}]}


class Obeying(Player):
    """A conversation in which what is suggested is tried, between requests and as the reply to one."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.tried: Counter[tuple[str, int]] = Counter()

    def step(self) -> None:
        super().step()
        for op, ids in self._some(2):
            memory = MemoryStore()
            memory.append(0, list(self.store.rows()), dict(self.store.held()), self.store.purged)
            again = Session.open(memory, self.program, clock=self.clock)
            assert self._is_taken(op, ids, again.update_context(payload(again, op, ids)).document())

    def answered(self, reply: Reply) -> None:
        """The reply does one more thing first."""
        chosen = next(self._some(1), None) if reply.calls and self.session.governance.is_on else None
        if chosen is None:
            super().answered(reply)
            return
        call = self._tool("context_update", payload(self.session, *chosen))
        super().answered(replace(reply, calls=(call, *reply.calls)))
        served = self.session.serve(call.id)
        assert served is not None
        assert self._is_taken(*chosen, json.loads(served.content))

    def _some(self, count: int) -> Iterator[tuple[str, list[str]]]:
        found = suggestions(self.session)
        yield from self.random.sample(found, min(count, len(found)))

    def _is_taken(self, op: str, ids: list[str], answer: dict[str, Any]) -> bool:
        self.tried[op, len(ids)] += 1
        assert answer["rejections"] == [], (op, ids)
        return bool(answer["applied"] == 1 and answer["delta_tokens"] < 0)


@cache
def played(seed: int) -> Counter[tuple[str, int]]:
    player = Obeying(seed)
    for _ in range(STEPS):
        player.step()
    return player.tried


@pytest.mark.parametrize("seed", [*SEEDS, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MORE_SEEDS)])
def test_what_is_suggested_in_a_random_conversation_is_taken(seed: int) -> None:
    played(seed)


def test_every_operation_that_makes_smaller_comes_up() -> None:
    tried = sum((played(seed) for seed in SEEDS), Counter[tuple[str, int]]())
    alone = {op for op, count in tried if count == 1}
    chains = {op for op, count in tried if count == 2}
    assert alone >= {"payload_offload", "set_visibility", "compact", "fold"}
    assert chains >= {"set_visibility", "compact", "fold", "merge"}


def test_a_call_and_its_result_are_suggested_together() -> None:
    session = governed.governed()
    row = json.loads(session.governance.report())["largest"][1]
    assert row["id"] == "toolResult@1"
    assert row["suggested_ops"] == ["payload_offload"]
    assert row["chain"] == ["toolCall@1", "toolResult@1"]
    assert row["chain_ops"] == ["set_visibility", "compact", "fold", "merge"]


def test_nothing_is_suggested_for_a_slot_that_is_smaller_than_the_call_would_be() -> None:
    session = governed.governed()
    for row in json.loads(session.governance.report())["largest"]:
        assert bool(row["suggested_ops"]) is (row["tokens"] >= 40)


def test_a_result_that_the_request_in_progress_holds_may_be_offloaded_by_its_reply() -> None:
    session = governed.governed()
    session.begin("read it")
    session.request()
    session.add_reply(Reply("", calls=(ToolCall("c", "read", {}),)))
    session.add_result("c", governed.LONG * 3)
    (new,) = [row for row in json.loads(session.governance.report())["largest"] if row["id"] == "toolResult@3"]
    assert new["suggested_ops"] == []
    session.request()
    (new,) = [row for row in json.loads(session.governance.report())["largest"] if row["id"] == "toolResult@3"]
    assert new["suggested_ops"] == ["payload_offload"]
    session.add_reply(
        Reply("", calls=(ToolCall("u", "context_update", payload(session, "payload_offload", [new["id"]])),))
    )
    served = session.serve("u")
    assert served is not None
    assert not served.is_error
