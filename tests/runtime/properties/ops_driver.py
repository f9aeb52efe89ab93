"""Takes a session and the naive model that operates through one history, and holds them to the invariants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from driver import SYSTEM
from driver_controls import pick
from naive import Piece
from naive_ops import PURGED, Operating
from retirement_driver import RetirementDriver
from retirement_history import FOLDER, RetirementHistory

from dcc.runtime.calls import INTERRUPTED
from dcc.runtime.errors import StoreError
from dcc.runtime.kernel.changes import representing
from dcc.runtime.kernel.content import content_hash
from dcc.runtime.kernel.representation import stand_in
from dcc.runtime.kernel.slots import Representation
from dcc.runtime.kernel.tokens import count_tokens
from dcc.runtime.purging import purge
from dcc.runtime.recorder import Emit
from dcc.runtime.session import Visible

REDACTED = '{"user": "someone", "what is left": "of it"}'

#: What a content that is deleted may be of: nothing that a person typed.
PURGEABLE = frozenset({"assistant", "toolResult", "note", "summary"})


class OpsDriver(RetirementDriver):
    """One history in which operations act. Raises AssertionError where the kernel breaks an invariant."""

    model: Operating

    def __init__(self, history: RetirementHistory) -> None:
        super().__init__(history)
        self.model = Operating(self.program, FOLDER, history.format)
        self.model.bear("system", SYSTEM, 0)

    # Checks

    def check(self) -> None:
        """What must hold at any time between two acts."""
        super().check()
        ledger, model = self.session._recorder.ledger, self.model
        assert (ledger.governed, ledger.calibration, list(ledger.keys)) == (
            model.governed, model.calibration, model.keys,
        )  # fmt: skip
        for piece in model.pieces.values():
            slot = ledger.slots[piece.id]
            note = content_hash(piece.note) if piece.note else None
            assert (slot.shape.how, slot.shape.note, slot.shape.preview) == (piece.how, note, piece.preview)
            if piece.answers is not None and not model.is_sent:
                result = ledger.result_at(piece.answers, *model.coming())
                assert result is not None
                assert result.id == model.current(piece).id
            if slot.is_purged and not self._is_held_elsewhere(piece):
                assert not self._can_read(slot.digest), "a purged content can still be read"

    def _is_held_elsewhere(self, piece: Piece) -> bool:
        """Whether a slot, or a note, that was born after the purge has the same content."""
        return any(piece.text in (*i.notes, *(() if i.purged else (i.text,))) for i in self.model.items())

    def _can_read(self, digest: bytes) -> bool:
        try:
            self.session._recorder.content(digest)
        except StoreError as error:
            return error.code != "purged"
        return True

    def check_past(self, *, all_calls: bool) -> None:
        """P11: for every past call, the projection is what its request held; what was purged is only named."""
        newest = self.session.ordinal
        chosen = range(1, newest + 1) if all_calls else {1, newest // 2, newest - 1, newest} & set(self.asked)
        for ordinal in chosen:
            if 0 < ordinal <= newest:
                expected = tuple(self._told(v, ordinal) for v in self.asked[ordinal])
                assert self.session.projection(ordinal) == expected, f"call #{ordinal} is told otherwise than it was"

    def _told(self, visible: Visible, ordinal: int) -> Visible:
        """What is told of a slot in a past request: nothing that was deleted since."""
        item = self.model.item(visible.slot)
        if item.purged:
            return visible._replace(how="stub", tokens=count_tokens(PURGED))
        preview = self.model.lost.get((item.id, ordinal))
        if visible.how != "ref" or preview is None or item.element == "toolCall":
            # In the place of a call stands one with shorter arguments, and no note.
            return visible
        bare = stand_in(item.text, "ref", content_hash(item.text), preview=preview)
        assert bare is not None, "a ref without its note is shorter still"
        return visible._replace(tokens=count_tokens(bare))

    # Controls that may be refused

    def _pieces(self) -> list[Piece]:
        return [p for p in super()._pieces() if not self.model.is_gone(p)]

    def _code(self, piece: Piece) -> str:
        return "unknown_slot" if piece.undone else "purged" if piece.purged else "replaced"

    def touch_gone(self, number: int) -> None:
        """Whatever is done to a slot that is gone is refused."""
        piece = pick([p for p in self.model.pieces.values() if self.model.is_gone(p)], number)
        if piece is not None:
            acts: tuple[Callable[[], Any], ...] = (
                lambda: self.session.keep(piece.id), lambda: self.session.close(piece.id),
                lambda: self.session.reopen(piece.id), lambda: self.session.represent(piece.id, "ref"),
            )  # fmt: skip
            for act in acts:
                self._refused(self._code(piece), act)

    def keep(self, number: int | None) -> None:
        """Keep a slot, or the newest on stage."""
        newest = pick(self.model.at_hand(), 0)
        if number is None and newest is not None and self.model.is_gone(newest):
            self._refused(self._code(newest), lambda: self.session.keep(None))
        else:
            super().keep(number)

    def close(self, number: int) -> None:
        """Take a slot on stage off."""
        piece = pick(self.model.at_hand(), number)
        if piece is not None and self.model.is_gone(piece):
            self._refused(self._code(piece), lambda: self.session.close(piece.id))
        else:
            super().close(number)

    def represent(self, number: int, how: Representation) -> None:
        """Render a slot otherwise; a note or a preview that it had goes, too."""
        piece = pick([p for p in self._pieces() if p.text != INTERRUPTED and not p.element.endswith("_end")], number)
        if piece is not None and piece.how == how == "ref" and (piece.note or piece.preview):
            assert self.session.represent(piece.id, how)
            self.model.represent(piece, how)
        else:
            super().represent(number, how)

    def undo_at(self, number: int) -> None:
        """Take one transaction back; not one that purged a content."""
        at = pick(range(len(self.model.deeds)), number)
        if at is not None and self.model.deeds[at].final:
            transaction = self.session._recorder.ledger.history[at].number
            self._refused("undo_purged", lambda: self.session.undo_transaction(transaction))
        else:
            super().undo_at(number)

    # Operations

    def _operate(self, act: Callable[[Emit], None], cause: str = "op") -> None:
        with self.session._recorder.transaction(cause) as emit:
            act(emit)
        self.session._written(None)

    @property
    def _name(self) -> str:
        """The name of a hold by the transaction to come."""
        return f"op:{self.session._recorder.ledger.transaction + 1}"

    @property
    def _since(self) -> int:
        return -self.model.next

    def _open_pieces(self) -> list[Piece]:
        """What an operation may act on."""
        return [p for p in self._pieces() if not self._protected(p)]

    def hold(self, number: int, is_hidden: bool) -> None:
        """Archive or hide a slot with its chain."""
        piece = pick(self._open_pieces(), number)
        if piece is None:
            return
        name = self._name + ":hidden" * is_hidden
        chain = [p for p in self.model.chain(piece) if not self.model.is_gone(p)]

        def act(emit: Emit) -> None:
            for one in chain:
                emit("hold_begun", slot=one.id, name=name, since=self._since)

        self._operate(act)
        self.model.hold(chain, name)

    def lift(self, number: int) -> None:
        """What operations hold comes back."""
        held = [p for p in self._open_pieces() if any(name.startswith("op:") for name in p.holds)]
        piece = pick(held, number)
        if piece is None:
            return

        def act(emit: Emit) -> None:
            for name in sorted(piece.holds):
                if name.startswith("op:"):
                    emit("hold_lifted", slot=piece.id, name=name, until=self._since)

        self._operate(act)
        self.model.lift(piece)

    def note(self, number: int, text: str, preview: int) -> None:
        """Offload a slot, with a note or a preview."""
        piece = pick([p for p in self._open_pieces() if p.text != INTERRUPTED], number)
        if piece is None:
            return
        recorder = self.session._recorder

        def act(emit: Emit) -> None:
            digest = recorder.keep_content(text).hex() if text else None
            slot = recorder.ledger.slots[piece.id]
            recorder.keep_arguments(slot)
            emit("represented", **representing(slot, "ref", self._since, digest, preview))

        self._operate(act)
        self.model.represent(piece, "ref", text, preview)

    def summarise(self, number: int, many: int, text: str) -> None:
        """A summary at the position of the earliest of some slots, which are held with their chains."""
        candidates = self._open_pieces()
        first = pick(range(len(candidates)), number)
        if first is None:
            return
        chosen = {p.id for c in candidates[first : first + many] for p in self.model.chain(c)}
        sources = [p for p in self._open_pieces() if p.id in chosen]
        name, ledger = self._name, self.session._recorder.ledger
        at = ledger.slots[min(sources, key=lambda p: p.place).id]

        def act(emit: Emit) -> None:
            last = self.model.next - 1
            self.session._births.bear(
                emit, "summary", text, at=at, shown_from=last + 1, superseded_end=-last, cause="op"
            )
            for source in sources:
                emit("hold_begun", slot=source.id, name=name, since=self._since)

        self._operate(act)
        self.model.summarise(text, sources, name)

    def replace(self, number: int, text: str) -> None:
        """A slot in the place of another."""
        piece = pick([p for p in self._open_pieces() if p.element in ("assistant", "toolResult")], number)
        if piece is None:
            return
        name, births = self._name + ":hidden", self.session._births
        old = self.session._recorder.ledger.slots[piece.id]
        self._operate(lambda emit: births.replace(emit, old, text) and None)
        self.model.replace(piece, text, name)

    def purge(self, number: int) -> None:
        """Delete a content, wherever it is."""
        piece = pick(self._purgeable(), number)
        if piece is not None:
            lost = self._alike(piece)
            self._operate(lambda emit: self._purge(emit, lost))
            self.model.purge(lost)

    def redact(self, number: int) -> None:
        """Put another slot in the place of a result, and delete what it held."""
        piece = pick([p for p in self._purgeable() if p.element == "toolResult"], number)
        if piece is None:
            return
        lost = self._alike(piece)
        name, births = self._name + ":hidden", self.session._births
        old = self.session._recorder.ledger.slots[piece.id]

        def act(emit: Emit) -> None:
            self._purge(emit, lost)
            births.replace(emit, old, REDACTED)

        self._operate(act)
        self.model.replace(piece, REDACTED, name, purge=lost)

    def _purgeable(self) -> list[Piece]:
        """What may be purged: no request in progress shows it, and no person typed it."""
        if self.model.in_flight:
            return []
        return [p for p in self._open_pieces() if all(q.element in PURGEABLE for q in self._alike(p))]

    def _alike(self, piece: Piece) -> list[Piece]:
        """All slots that have the same content and were not purged before."""
        slots = self.session._recorder.ledger.slots
        return [
            p for p in self.model.pieces.values() if slots[p.id].digest == slots[piece.id].digest and not p.purged
        ]

    def _purge(self, emit: Emit, lost: list[Piece]) -> None:
        purged = purge(self.session._recorder, emit, [bytes.fromhex(content_hash(lost[0].text))])
        assert purged == tuple(p.id for p in lost)

    def govern(self, on: bool) -> None:
        """/cpat on, /cpat off."""
        self._operate(lambda emit: emit("governed", on=on) and None, "governance")
        self.model.governed = on

    def calibrate(self, n: int) -> None:
        """The counter has learned."""
        self._operate(lambda emit: emit("calibrated", state={"n": n}) and None, "calibration")
        self.model.calibration = {"n": n}

    def operate(self, key: str | None) -> None:
        """A transaction that changes nothing but is known by its key."""
        if key in self.model.keys:
            return
        self._operate(
            lambda emit: emit(
                "operated", actor="agent", reason="r", operations=self.session._recorder.keep_content("[]").hex(),
                ok=True, applied=0, rejections=[], freed=0, before="", after="", key=key,
            ) and None
        )  # fmt: skip
        if key is not None:
            self.model.keys.append(key)
