"""Ledgers of any length, written as rows: what a session of many turns would have stored, in little time.

A turn is a message, some tool chains (one a call), a closing text, and some entries of the host. Slots of the
last turns are on stage for good, those of all turns before them only in their own turn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from dcc.compiler.load import load_program
from dcc.compiler.program import Rule
from dcc.grammar.ast import BORN, OPEN, Bound
from dcc.runtime.kernel.birth import slot_to_data
from dcc.runtime.kernel.content import Call, Content, encode
from dcc.runtime.kernel.events import FORMAT_VERSION, Event
from dcc.runtime.kernel.slots import BETWEEN, CALL, USER, Link, Segment, Slot
from dcc.runtime.kernel.tokens import count_tokens
from dcc.runtime.store.memory import MemoryStore

#: What is born while measuring leaves with its turn, so that the stage keeps its size.
PROGRAM = load_program(
    {
        "name": "bench",
        "life_cycle": {
            element: ["born", "born"] for element in ("user", "assistant", "think", "toolCall", "toolResult")
        },
    }
)

#: The id of every tool call: some providers number the calls of each reply anew, so ids repeat all the time.
CALL_ID = "c1"

_STAYS = Rule(BORN, OPEN)
_LEAVES = Rule(BORN, Bound("born", 0))

class History:
    """Writes turns into rows, as the runtime would.

    ``say`` gives the message of a turn (default: a short one); ``text`` stands in every result, below its first line.
    """

    def __init__(self, say: Callable[[int], str] | None = None, text: str = "") -> None:
        self._say = say
        self._text = f"\n{text}" if text else ""
        self.contents: dict[bytes, bytes] = {}
        self.slots = self._turn = self._ordinal = self._seq = self._calls = 0

    def rows(self, turns: int, *, chains: int, entries: int, staying: int) -> Iterator[bytes]:
        """The rows of ``turns`` turns; the slots of the last ``staying`` of them stay on stage."""
        yield self._row("session", format=FORMAT_VERSION, program=PROGRAM.digest, folder="")
        for turn in range(1, turns + 1):
            yield from self._turn_rows(chains, entries, stays=turn > turns - staying)

    def _turn_rows(self, chains: int, entries: int, stays: bool) -> Iterator[bytes]:
        yield self._row("turn_begun", labels=None, at=0.0)
        self._turn += 1
        turn = self._turn
        message = self._say(turn) if self._say is not None else f"message {turn}"
        yield self._born("user", message, stays, phase=USER, call=0, shown_from=self._ordinal + 1)
        for call in range(1, chains + 1):
            number = "" if call == 1 else f".{call}"
            self._calls += 1
            wire = CALL_ID if self._calls == 1 else f"{CALL_ID}_{self._calls}"
            asks, answers = f"toolCall@{turn}{number}", f"toolResult@{turn}{number}"
            asked = (Call(CALL_ID, "read", {"path": f"{turn}/{call}.py"}),)
            yield self._born("toolCall", asked, stays, call=call, link=Link(wire, "read"), id=asks)
            yield self._row("reply", call=call, pieces=1, calls=[[asks, CALL_ID]], usage=None)
            link = Link(wire, "read", asks)
            result = f"text of {turn}/{call}{self._text}"
            yield self._born("toolResult", result, stays, call=call, seq=1, link=link, id=answers)
            yield self._completed()
        yield self._born("assistant", f"answer {turn}", stays, call=chains + 1)
        yield self._row("reply", call=chains + 1, pieces=1, calls=[], usage=None)
        yield self._completed()
        for entry in range(1, entries + 1):
            id = f"note@{turn}" if entry == 1 else f"note@{turn}.{entry}"
            yield self._born("note", f"note {turn}/{entry}", stays, phase=BETWEEN, call=0, seq=entry, id=id)
        yield self._row("turn_committed", turn=turn, sum="0" * 64)

    def _completed(self) -> bytes:
        row = self._row("call_completed", ordinal=self._ordinal + 1)
        self._ordinal += 1
        return row

    def _born(
        self,
        element: str,
        content: Content,
        stays: bool,
        *,
        phase: int = CALL,
        call: int,
        seq: int = 0,
        shown_from: int | None = None,
        link: Link | None = None,
        id: str | None = None,
    ) -> bytes:
        self.slots += 1
        turn = self._turn
        data = encode(content)
        digest = hashlib.sha256(data).digest()
        if stays or self._say is not None:
            self.contents[digest] = data
        rule, segment = (_STAYS, Segment(turn, None)) if stays else (_LEAVES, Segment(turn, turn))
        slot = Slot(
            id or f"{element}@{turn}", element, turn, phase, call, seq, self.slots,
            self._ordinal + 2 if shown_from is None else shown_from,
            rule, (segment,), digest, count_tokens(content), None, link,
        )  # fmt: skip
        return self._row("slot_born", **slot_to_data(slot))

    def _row(self, kind: str, **data: Any) -> bytes:
        self._seq += 1
        return Event(self._seq, self._turn, self._ordinal, self._turn + 1, kind, "turn", data).to_row()


def stored(
    slots: int,
    on_stage: int,
    *,
    chains: int = 1,
    entries: int = 0,
    say: Callable[[int], str] | None = None,
    text: str = "",
) -> MemoryStore:
    """A store with a history of about ``slots`` slots, of which about ``on_stage`` are on stage.

    ``chains`` and ``entries``: how many of each a turn has. ``say`` gives the message of a turn; all contents are
    then there, and not only those on stage. ``text`` stands in every result.
    """
    a_turn = 2 * chains + entries + 2
    history = History(say, text)
    turns, staying = max(1, slots // a_turn), max(1, on_stage // a_turn)
    rows = list(history.rows(turns, chains=chains, entries=entries, staying=staying))
    store = MemoryStore()
    store.append(0, rows, history.contents)
    return store
