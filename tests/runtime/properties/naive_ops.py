"""The naive model's operations: holds, notes, summaries and replacements at a position, purges (spec/cpat.md).

A slot that was replaced is held, and its successor stands in its place; what is undone or purged is simply gone. What
a past request showed is written down when it goes out, so nothing here has to remember what was once the case.
"""

from __future__ import annotations

from typing import Any

from naive import Deed, Piece, Seen
from naive_retirement import Part, Retiring, unit_of
from naive_rows import Item
from spots import Window, passed, reached

from dcc.compiler.program import Program, Rule

PURGED = "[purged]"


class Operating(Retiring):
    """The naive model of a session in which operations act."""

    def __init__(self, program: Program, folder: str, format: str) -> None:
        super().__init__(program, folder, format)
        self.governed = True
        self.calibration: dict[str, Any] | None = None
        self.keys: list[str] = []
        #: What each request showed of its slots, and the notes and previews that its refs had.
        self.bodies: dict[int, dict[str, Any]] = {}
        self.noted: dict[int, dict[str, tuple[str, int]]] = {}
        #: The slots and the requests that had a note which was deleted, with the preview beside it.
        self.lost: dict[tuple[str, int], int] = {}
        self._past: int | None = None

    # What is in place

    def current(self, piece: Piece) -> Item:
        """The slot in the place of this one: the newest that was not taken back."""
        first = self.first(self.item(piece.id))
        return next(i for i in reversed(self.items()) if self.first(i) is first and not i.undone)

    def is_gone(self, piece: Piece) -> bool:
        """Whether nothing more can be done to it."""
        return piece.undone or piece.purged or self.current(piece) is not piece

    def chain(self, piece: Piece) -> list[Piece]:
        """The piece, and the other half of its chain."""
        return [p for p in super().chain(piece) if p is piece or not self.is_gone(p)]

    def visible(self, ordinal: int) -> list[Seen]:
        """What the request with this ordinal holds; a call has the current version of its result."""
        seen = super().visible(ordinal)
        if ordinal in self.held and ordinal < self.next:
            return seen
        in_place = [s for s in seen if s.on_stage or self.current(self.pieces[s.slot]).id == s.slot]
        # A reply and its results stay together: a summary at the position of one of them stands behind them.
        return sorted(in_place, key=lambda s: unit_of(self.pieces[s.slot]))

    def body(self, seen: Seen) -> Any:
        """What a request shows of a slot: a past one what it did then."""
        if self._past is not None:
            return self.bodies[self._past][seen.slot]
        return PURGED if self.pieces[seen.slot].purged else super().body(seen)

    def parts(self, request: list[Seen], format: str) -> list[Part]:
        """A request as what prefixes are compared by."""
        self._past = next((o for o, held in self.held.items() if held is request and o in self.bodies), None)
        parts = super().parts(request, format)
        self._past = None
        return parts

    def ask(self) -> None:
        """The request goes out."""
        super().ask()
        held = self.held[self.ordinal + 1]
        self.bodies[self.ordinal + 1] = {s.slot: self.body(s) for s in held}
        shown = [(s.slot, self.pieces[s.slot]) for s in held if s.on_stage]
        self.noted[self.ordinal + 1] = {slot: (piece.note, piece.preview) for slot, piece in shown}

    # Operations

    def hold(self, pieces: list[Piece], name: str) -> None:
        """Off stage, for a reason of that name."""
        self._do([self._held(p, name) for p in pieces])

    def _held(self, piece: Piece, name: str) -> tuple[Any, ...]:
        piece.holds.add(name)
        return ("hold", piece, name)

    def lift(self, piece: Piece) -> None:
        """No operation holds the piece any more."""
        names = [name for name in piece.holds if name.startswith("op:")]
        piece.holds -= set(names)
        self._do([("lift", piece, name) for name in names])

    def represent(self, piece: Piece, how: str, note: str = "", preview: int = 0) -> None:
        """Another representation from the next request on, with a note or a preview."""
        self._do([("shape", piece, piece.how, piece.note, piece.preview)])
        self._shape_as(piece, how, note, preview)

    def _shape_as(self, piece: Piece, how: str, note: str, preview: int) -> None:
        self._shape(piece, how)
        piece.note, piece.preview = note, preview
        self.item(piece.id).notes.add(note)

    def summarise(self, text: str, sources: list[Piece], name: str) -> Item:
        """A summary at the position of the earliest source; the sources are held."""
        at = min(sources, key=lambda p: p.place)
        born = self._bear_at(self.item(at.id), "summary", text)
        born.row, born.rule = self.program.row("summary"), Rule()
        born.windows = [Window(("call", self.next), None)]
        born.touch = (born.turn, born.first - 1)
        self._do([("born", born), *(self._held(p, name) for p in sources)])
        return born

    def replace(self, piece: Piece, text: str, name: str, *, purge: list[Piece] | None = None) -> Item:
        """A slot in the place of another; perhaps with contents that are purged."""
        old = self.item(piece.id)
        born = self._bear_at(old, old.element, text)
        born.row, born.rule, born.key, born.tool, born.args = old.row, old.rule, old.key, old.tool, old.args
        born.answers, born.looped, born.replaces = old.answers, old.looped, old.id
        born.windows = [
            Window(("call", self.next) if reached(w.start, self.coming()) else w.start, w.last)
            for w in old.windows
            if w.last is None or not passed(w.last, self.coming())
        ]
        born.touch = old.touch if old.key is not None else (born.turn, born.first - 1)
        changes: list[tuple[Any, ...]] = [("born", born), *(self._held(born, h) for h in sorted(old.holds))]
        if old.kept:
            changes += [("keep", old, True), ("keep", born, False)]
            old.kept, born.kept = False, True
        self._do([*changes, self._held(old, name)])
        if purge is not None:
            self._lose(self.deeds[-1], purge)
        return born

    def purge(self, pieces: list[Piece]) -> None:
        """Their content is deleted."""
        self.deeds.append(Deed([]))
        self._lose(self.deeds[-1], pieces)

    def _lose(self, deed: Deed, pieces: list[Piece]) -> None:
        deed.final = True
        text = pieces[0].text
        for piece in pieces:
            deed.changes.append(("purged", piece))
            piece.purged = True
        for item in self.items():
            if text in item.notes and not item.purged:
                self._unnote(deed, item, text)

    def _unnote(self, deed: Deed, item: Item, text: str) -> None:
        """A note of it is deleted, with the text that it shares: from now on, and in what past requests are told."""
        deed.changes.append(("unnoted", item))
        item.notes.discard(text)
        item.note = "" if item.note == text else item.note
        for ordinal, noted in self.noted.items():
            note, preview = noted.get(item.id, ("", 0))
            if note == text:
                self.lost[item.id, ordinal] = preview

    def _bear_at(self, at: Item, element: str, text: str) -> Item:
        same = sum(p.element == element and p.turn == at.turn for p in self.pieces.values())
        name = f"{element}@{at.turn}" + (f".{same + 1}" if same else "")
        place = (*at.place[:4], len(self.pieces) + 1)
        born = self.pieces[name] = Item(name, element, at.turn, place, self.next, Rule(), [], text)
        return born

    # Undo

    def left(self) -> list[int]:
        """The transactions that can still be undone: none that purged a content, or came before one to its slots."""
        free: list[int] = []
        sealed: set[str] = set()
        for at in reversed(super().left()):
            deed = self.deeds[at]
            if deed.final or sealed & deed.touched():
                sealed |= deed.touched()
            else:
                free.append(at)
        return free[::-1]

    def undo(self, at: int) -> None:
        """Take one transaction back, from the next request on."""
        super().undo(at)
        for kind, subject, *rest in reversed(self.deeds[at].changes):
            match kind:
                case "born":
                    subject.undone = True
                case "lift":
                    subject.holds.add(rest[0])
                case "shape":
                    self._shape_as(subject, *rest)
