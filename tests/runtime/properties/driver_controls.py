"""The controls of a history, done to the session and told to the naive model, with the refusals foretold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from naive import USER, Piece
from naive_controls import Model
from spots import end_of

from dcc.compiler.program import Rule
from dcc.grammar.ast import Mode
from dcc.runtime.calls import INTERRUPTED
from dcc.runtime.kernel.slots import Representation
from dcc.runtime.session import Session, SessionError

_T = TypeVar("_T")


def pick(candidates: Sequence[_T], number: int) -> _T | None:
    """The candidate that a number names: 0 is the newest; None when there is none."""
    return candidates[-1 - number % len(candidates)] if candidates else None


class Controls:
    """What a person or a host does to slots and rules."""

    session: Session
    model: Model

    def _refused(self, code: str, what: Callable[[], Any]) -> None:
        """The session refuses with this code, and nothing is changed."""
        before = self.session.state_hash()
        answer = "nothing"
        try:
            what()
        except SessionError as error:
            answer = error.code
        assert answer == code
        assert self.session.state_hash() == before

    def _pieces(self) -> list[Piece]:
        return list(self.model.pieces.values())

    def _protected(self, piece: Piece) -> bool:
        running = self.model.is_open and piece.phase == USER and piece.turn == self.model.turn
        return piece.element == "system" or running

    def keep(self, number: int | None) -> None:
        """Keep a slot, or the newest on stage."""
        piece = pick(self.model.at_hand(), 0) if number is None else pick(self._pieces(), number)
        name = None if number is None or piece is None else piece.id
        if piece is None:
            self._refused("nothing_to_keep", lambda: self.session.keep(name))
        elif all(p.kept for p in self.model.chain(piece)):
            self._refused("already_kept", lambda: self.session.keep(name))
        else:
            kept = self.session.keep(name)
            assert set(kept) == {p.id for p in self.model.chain(piece) if not p.kept}
            self.model.keep(self.model.chain(piece), True)

    def unkeep(self, number: int | str) -> None:
        """Give back a kept slot, or all."""
        kept = [p for p in self._pieces() if p.kept]
        if number == "all":
            if kept:
                self.session.unkeep("all")
                self.model.keep(kept, False)
            else:
                self._refused("not_kept", lambda: self.session.unkeep("all"))
        elif isinstance(number, int) and (piece := pick(kept or self._pieces(), number)) is not None:
            if piece.kept:
                self.session.unkeep(piece.id)
                self.model.keep(self.model.chain(piece), False)
            else:
                chain = self.model.chain(piece)
                assert not any(p.kept for p in chain)
                self._refused("not_kept", lambda: self.session.unkeep(piece.id))

    def close(self, number: int) -> None:
        """Take a slot on stage off."""
        piece = pick(self.model.at_hand(), number)
        if piece is None:
            return
        if self._protected(piece):
            self._refused("protected", lambda: self.session.close(piece.id))
        elif piece.kept:
            assert not self.session.close(piece.id)
        else:
            assert self.session.close(piece.id)
            self.model.close(piece)

    def reopen(self, number: int) -> None:
        """Bring a slot back that is off stage."""
        model = self.model
        shown = {p.id for p in self.model.at_hand()}
        piece = pick([p for p in self._pieces() if p.id not in shown], number)
        if piece is None:
            return
        turn, end = model.coming()[0], end_of(piece.rule.end, piece.turn)
        if end is not None and end[1] < turn:
            self._refused("reopen_past_end", lambda: self.session.reopen(piece.id))
        elif model.running(piece, turn):
            self._refused("off_stage", lambda: self.session.reopen(piece.id))
        else:
            assert self.session.reopen(piece.id)
            model.reopen(piece)

    def represent(self, number: int, how: Representation) -> None:
        """Render a slot otherwise."""
        # Of what is neither short nor long the model does not know whether a stand-in is shorter.
        sure = [p for p in self._pieces() if p.text != INTERRUPTED and not p.element.endswith("_end")]
        piece = pick(sure, number)
        if piece is None:
            return
        if how != "full" and self._protected(piece):
            self._refused("protected", lambda: self.session.represent(piece.id, how))
        else:
            changed = self.session.represent(piece.id, how)
            assert changed == (piece.how != how)
            if changed:
                self.model.represent(piece, how)

    def end(self, target: str | int) -> None:
        """/dc-end."""
        if isinstance(target, int):
            piece = pick(self._pieces(), target)
            target = piece.id if piece is not None else "nothing"
        name = target
        if self.model.ends(name):
            self.session.end(name)
            self.model.end(name)
        else:
            self._refused("nothing_to_end", lambda: self.session.end(name))

    def pin(self, text: str) -> None:
        """/pin."""
        if self.model.turn == 0:
            self._refused("pin_too_early", lambda: self.session.pin(text))
            return
        numbers = [int(p.element[-2:]) for p in self._pieces() if p.element.startswith("pin_user_p")]
        piece = self.model.entry(f"pin_user_p{max(numbers, default=0) + 1:02d}", text.strip())
        assert self.session.pin(text) == piece.id

    def cancel_pin(self, number: int) -> None:
        """/cancelpin."""
        piece = pick([p for p in self._pieces() if p.element.startswith("pin_")], number)
        if piece is None:
            self._refused("unknown_pin", lambda: self.session.cancel_pin("p01"))
        elif piece.cancelled:
            self._refused("pin_cancelled", lambda: self.session.cancel_pin(piece.element))
        else:
            self.session.cancel_pin(piece.element)
            self.model.cancel(piece)

    def entry(self, element: str, text: str) -> None:
        """A slot of the host's."""
        piece = self.model.entry(element, text)
        assert self.session.add_entry(element, text) == piece.id

    def patch(self, patch: tuple[str, str, Mode, int | None], ahead: int) -> None:
        """A content patch without a message."""
        element, content, mode, turns = patch
        at = self.model.turn + 1 + ahead
        assert self.session.queue_patch(element, content, mode, turns, at) == at
        self.model.queue_patch(element, content, mode, turns, at)

    def rule(self, patch: tuple[str, Rule, str]) -> None:
        """A rule patch; one that the session refuses changes nothing."""
        element, rule, mode = patch
        before = self.session.state_hash()
        try:
            self.session.patch_rule(element, rule.start, rule.end, mode)
        except SessionError:
            assert self.session.state_hash() == before
        else:
            self.model.patch_rule(element, rule, mode)

    def undo(self, n: int) -> None:
        """Take back the newest transactions."""
        chosen = self.model.left()[-n:][::-1]
        if not chosen:
            self._refused("nothing_to_undo", lambda: self.session.undo(n))
            return
        numbers = self.session.undo(n)
        assert len(numbers) == len(chosen)
        for at in chosen:
            self.model.undo(at)

    def undo_at(self, number: int) -> None:
        """Take back one transaction."""
        history = self.session._recorder.ledger.history
        assert len(history) == len(self.model.deeds)
        at = pick(range(len(history)), number)
        if at is None:
            self._refused("not_undoable", lambda: self.session.undo_transaction(1))
        elif self.model.deeds[at].undone:
            self._refused("not_undoable", lambda: self.session.undo_transaction(history[at].number))
        elif self.model.blocked(at):
            self._refused("undo_blocked", lambda: self.session.undo_transaction(history[at].number))
        else:
            self.session.undo_transaction(history[at].number)
            self.model.undo(at)
