"""The invariants of kernel.md section 6, one function each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from legality import check_anthropic, check_openai, check_pi
from naive import Naive, Seen

from dcc.compiler.program import Program
from dcc.runtime.errors import StoreError
from dcc.runtime.kernel.clock import Clock
from dcc.runtime.kernel.events import Event
from dcc.runtime.kernel.hashing import sum_of_rows
from dcc.runtime.session import Request, Session
from dcc.runtime.store.memory import MemoryStore

#: What may break a request (kernel.md section 5), as the causes of break events; ``end`` is /dc-end.
CAUSES = frozenset(
    {
        "settle", "turn_end", "patch_end", "refresh", "collapse", "op", "reopen", "undo", "keep", "cancel",
        "event_end", "rule_patch", "end",
    }
)  # fmt: skip


class FailingStore(MemoryStore):
    """A store whose writes fail while ``fails`` is set."""

    fails = False

    def append(
        self, after: int, rows: Sequence[bytes], contents: Mapping[bytes, bytes], purge: Collection[bytes] = ()
    ) -> None:
        """Write, or fail."""
        if self.fails:
            raise StoreError("disk_full", "no space is left")
        super().append(after, rows, contents, purge)


def seen(request: Request) -> list[Seen]:
    """What a request holds, as the naive model says it."""
    return [Seen(v.slot, v.how, v.on_stage) for v in request.visible]


def check_format(request: Request) -> None:
    """P1: the provider would take the request."""
    match request.format:
        case "anthropic":
            found = check_anthropic(request.system, request.messages)
        case "openai":
            found = check_openai(request.messages)
        case _:
            found = check_pi(request.messages)
    assert found == []


def check_message(request: Request, model: Naive, system: str, text: str) -> None:
    """P2: system slots on stage, and the message that the request answers, are there word for word."""
    shown = {v.slot: v for v in request.visible}
    for slot_id, one in shown.items():
        if one.element == "system":
            assert one.how == "full"
            assert system in texts_of([*request.system, *request.messages])
        assert model.pieces[slot_id].element == one.element
    user = shown[f"user@{model.turn}"]
    assert user.on_stage
    assert user.how == "full"
    assert text in texts_of([m for m in request.messages if m["role"] == "user"])


def texts_of(value: Any) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in texts_of(item)]


def items_of(request: Request) -> list[tuple[str, Any]]:
    """What prefixes are compared by: messages; for anthropic blocks with their role, the top field first."""
    if request.format != "anthropic":
        return [(m["role"], m) for m in request.messages]
    top = [("system", block) for block in request.system]
    return top + [(m["role"], block) for m in request.messages for block in m["content"]]


def check_prefix(before: Request | None, now: Request, breaks: list[Event]) -> None:
    """P9: without a break the earlier request is a prefix of this one, and every break has a cause."""
    if before is None:
        return
    earlier, later = items_of(before), items_of(now)
    kept = next((i for i, (a, b) in enumerate(zip(earlier, later, strict=False)) if a != b), len(later))
    kept = min(kept, len(earlier))
    is_prefix = kept == len(earlier)
    assert is_prefix == (not breaks), f"{len(breaks)} breaks; {kept} of {len(earlier)} items are kept"
    for event in breaks:
        assert event.cause in CAUSES, f"a break because of {event.cause!r}"
        if now.format != "anthropic":
            assert event.data["index"] == kept


def check_sum(session: Session) -> None:
    """The hash that is kept change by change is the one from scratch (P7)."""
    recorder = session._recorder
    assert recorder.hash.total == sum_of_rows(recorder.ledger)


def check_refold(session: Session, store: MemoryStore, program: Program, clock: Clock) -> None:
    """P7: the stored events fold to the state of the live session, and to its stage."""
    again = Session.open(store, program, clock=clock)
    assert again.state_hash() == session.state_hash()
    assert again.stage() == session.stage()


def check_distinct(session: Session, model: Naive) -> None:
    """P10: equal texts, ids and calls are slots of their own, and their ids on the wire differ."""
    slots = session._recorder.ledger.slots
    assert list(slots) == list(model.pieces)
    wires = [s.link.wire for s in slots.values() if s.element == "toolCall" and s.link is not None]
    assert len(wires) == len(set(wires))
    assert all(a.number < b.number for a, b in pairwise(slots.values()))
