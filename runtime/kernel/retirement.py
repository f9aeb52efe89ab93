"""Retirement: which slots are due, and what becomes of them (language.md section 2, retire and settle).

A slot is **ripe** when its end in calls, its idle time, a newer slot of its key, or the end of a row that
offloads has come. It is **due** when nothing spares it either: a keep, an undo, a touch, ``keep_last``,
``min_tokens``, or that no request has held it yet.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable

from ...compiler.program import ElementRow, Program
from .law import in_force, inside, representation
from .ledger import Ledger
from .places import Place, begun
from .reading import was_held
from .reduction import ContentOf, reduced_call, reduces
from .slots import Slot

#: (slot id) -> whether it is on stage with something left to retire.
Standing = Callable[[str], bool]


def row_of(program: Program, slot: Slot) -> ElementRow:
    """The row whose policy a slot follows: its refinement's, else its element's."""
    return program.row(slot.row_name)


def retires(row: ElementRow, slot: Slot) -> bool:
    """Whether the row ever makes the slot due (it may still be closed by turns and events)."""
    end = slot.rule.end
    return (
        end.unit == "calls"
        or end.kind == "idle"
        or row.supersede
        or row.at_most is not None
        or (end.kind in ("born", "turn") and retires_by_turns(row, slot.is_patch))
        or (end.kind == "until_superseded" and retires_the_old(row))
    )


def retires_the_old(row: ElementRow) -> bool:
    """Whether ``until_superseded`` makes the row's old slots due; in any other row a birth ends them at once."""
    return row.key is not None or row.retire != "drop" or bool(row.keep_last or row.min_tokens)


def retires_by_turns(row: ElementRow, is_patch: bool) -> bool:
    """Whether the last turn of a slot's rule makes it due: it is only reduced, or ``keep_last`` may spare it.

    Any other slot leaves with that turn. The turns of a patch are its own, not the ``end`` that ``keep_last`` is for.
    """
    return row.retire != "drop" or (row.keep_last > 0 and not is_patch)


def outlasts_turns(row: ElementRow, element: str, tokens: int, is_patch: bool) -> bool:
    """Whether no turn closes a slot's segment: retirement decides, or it is a result below ``min_tokens``."""
    return retires_by_turns(row, is_patch) or (tokens < row.min_tokens and element == "toolResult")


def ripe_at(ledger: Ledger, row: ElementRow, slot: Slot) -> Place | None:
    """The place from which on the clock makes the slot ripe; None: never by itself."""
    return ripe_after(row, slot, ledger.last_touch(slot))


def ripe_after(row: ElementRow, slot: Slot, touch: tuple[int, int]) -> Place | None:
    """The same when the last touch of its key was at ``touch``: a turn, and the ordinal of the call."""
    end = slot.rule.end
    if end.kind == "idle":
        turn, ordinal = touch
        return turn + end.n + 1 if end.unit == "turns" else -(ordinal + 1 + end.n)
    if end.kind == "born" and end.unit == "calls":
        return -(slot.shown_from + end.n)
    if end.kind in ("born", "turn") and retires_by_turns(row, slot.is_patch):
        return end.n + 1 + (slot.turn if end.kind == "born" else 0)
    return None


def supersedes(row: ElementRow, slot: Slot) -> bool:
    """Whether a newer slot of the row with the same key makes the slot ripe; one without its key stands alone."""
    if row.key is not None and (slot.link is None or slot.link.key is None):
        return False
    return row.supersede or (slot.rule.end.kind == "until_superseded" and retires_the_old(row))


def is_superseded(ledger: Ledger, row: ElementRow, slot: Slot) -> bool:
    """Whether a newer slot of the row has the same key (without a key: is of the same row)."""
    if not supersedes(row, slot):
        return False
    key = slot.link.key if slot.link is not None else None
    first = ledger.versions.first(slot)
    return ledger.newest.get((row.name, key), first) != first


def is_spared(ledger: Ledger, slot: Slot, subject: Slot | None = None) -> bool:
    """Whether an undo brought the slot back and nothing has touched it since: no automatic act takes it again.

    ``subject``: the slot whose touches count, for a call the result that it leaves with (default: its own).
    """
    spared = slot.marks.spared if slot.marks is not None else None
    return spared is not None and ledger.last_touch(subject or slot)[1] <= spared


class Retirement:
    """The slots of a stage whose time may have come, and the rows that have a floor or a ceiling.

    What it remembers are hints: :meth:`due` asks the law anew, so a hint too many does no harm.
    """

    def __init__(self, ledger: Ledger, program: Program, content: ContentOf) -> None:
        self._ledger = ledger
        self._program = program
        self._content = content
        self._hints: dict[Place, list[str]] = {}
        self._ripe: dict[str, None] = {}
        self._lines: dict[str, list[str]] = {}
        self._reducible: dict[str, bool] = {}

    def watch(self, slot: Slot, turn: int, ordinal: int) -> None:
        """Take note of a slot that was born or changed, as seen at the request (turn, ordinal)."""
        row = row_of(self._program, slot)
        if slot.tokens < row.min_tokens:
            return
        if row.keep_last or row.at_most is not None:
            line = self._lines.setdefault(row.name, [])
            if slot.id not in line:
                insort(line, slot.id, key=lambda i: self._ledger.slots[i].number)
        if retires(row, slot):
            self._wait(slot, row, turn, ordinal)

    def drops(self, slot: Slot) -> bool:
        """Whether the slot's row takes it off stage, rather than reduce it."""
        return row_of(self._program, slot).retire == "drop"

    def outdate(self, slot_id: str) -> None:
        """A newer slot of its row and key was born."""
        self._ripe[slot_id] = None

    def forget(self, slot_id: str) -> None:
        """A slot is no more: its turn was taken back. Another one may be born under its id."""
        for line in self._lines.values():
            if slot_id in line:
                line.remove(slot_id)
        self._ripe.pop(slot_id, None)
        self._reducible.pop(slot_id, None)

    def advance(self, turn: int, ordinal: int) -> None:
        """The next request is (turn, ordinal)."""
        for place in (turn, -ordinal):
            for slot_id in self._hints.pop(place, ()):
                self._ripe[slot_id] = None

    def due(self, turn: int, ordinal: int, standing: Standing) -> list[Slot]:
        """The due slots of the request (turn, ordinal), by position; ``standing`` ones can be retired."""
        if not self._ripe and not self._lines:
            return []
        lines = {name: [i for i in line if standing(i)] for name, line in self._lines.items()}
        self._lines = lines
        found: dict[str, Slot] = {}
        for slot_id in list(self._ripe):
            slot = self._ledger.slots.get(slot_id)
            if slot is None or not standing(slot_id):
                del self._ripe[slot_id]
                self._reducible.pop(slot_id, None)
                continue
            row = row_of(self._program, slot)
            if self._is_ripe(slot, row, lines, turn, ordinal) and self._may_go(slot, row, turn, ordinal):
                found[slot_id] = slot
        for name, line in lines.items():
            for slot_id in _beyond(line, self._program.row(name).at_most):
                slot = self._ledger.slots[slot_id]
                if self._may_go(slot, row_of(self._program, slot), turn, ordinal):
                    found[slot_id] = slot
        return sorted(found.values(), key=lambda s: s.position)

    def _is_ripe(
        self, slot: Slot, row: ElementRow, lines: dict[str, list[str]], turn: int, ordinal: int
    ) -> bool:
        is_last = bool(row.keep_last) and slot.id in lines.get(row.name, [])[-row.keep_last :]
        if is_superseded(self._ledger, row, slot):
            # keep_last is a floor for ``end``; ``supersede`` comes on top of that.
            return row.supersede or not is_last
        place = ripe_at(self._ledger, row, slot)
        if place is None:
            del self._ripe[slot.id]
            return False
        if not begun(place, turn, ordinal):
            del self._ripe[slot.id]
            self._hints.setdefault(place, []).append(slot.id)
            return False
        return not is_last

    def _may_go(self, slot: Slot, row: ElementRow, turn: int, ordinal: int) -> bool:
        """Whether nothing spares a slot whose time has come."""
        if slot.is_purged or slot.tokens < row.min_tokens or not inside(slot, turn, ordinal):
            return False
        if not was_held(self._ledger, slot):
            return False
        marks = slot.marks
        if marks is not None:
            if in_force(marks.keeps, turn, ordinal):
                return False
            if is_spared(self._ledger, slot):
                return False
        return self._reduces(slot, row, turn, ordinal)

    def _reduces(self, slot: Slot, row: ElementRow, turn: int, ordinal: int) -> bool:
        """Whether retiring the slot, or the call that it answers, makes the request shorter."""
        known = self._reducible.get(slot.id)
        if known is None:
            known = self._reducible[slot.id] = reduces(slot, row, self._content)
        return known or self._reduces_call(slot, row, turn, ordinal)

    def _reduces_call(self, slot: Slot, row: ElementRow, turn: int, ordinal: int) -> bool:
        """Whether a chain's call is full, has long arguments, and no undo brought them back since the last touch."""
        if row.of != "chain" or slot.link is None or slot.link.answers is None:
            return False
        call = self._ledger.slots[slot.link.answers]
        if call.is_purged or is_spared(self._ledger, call, slot):
            return False
        content = self._content(call)
        return representation(call, turn, ordinal) == "full" and reduced_call(content, row.key) != content

    def _wait(self, slot: Slot, row: ElementRow, turn: int, ordinal: int) -> None:
        place = ripe_at(self._ledger, row, slot)
        if is_superseded(self._ledger, row, slot) or (place is not None and begun(place, turn, ordinal)):
            self._ripe[slot.id] = None
        elif place is not None:
            self._hints.setdefault(place, []).append(slot.id)


def _beyond(line: list[str], at_most: int | None) -> list[str]:
    """The oldest of a line, beyond its ceiling."""
    return line[: max(0, len(line) - at_most)] if at_most is not None else []
