"""Undo: takes transactions back, as one new transaction (kernel.md section 3)."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import SessionError
from ..kernel.events import UNDOABLE, Event
from ..kernel.records import Transaction
from ..kernel.undo import inverse
from ..recorder import Emit
from .base import Control


class Undoing(Control):
    """Takes back what was done; turns, births and undos themselves cannot be."""

    def undo(self, n: int) -> tuple[int, ...]:
        """Take back the newest ``n`` transactions that can be undone; returns their numbers, newest first.

        One that purged a content is stepped over, with a notice.

        Raises SessionError: ``nothing_to_undo``.
        """
        open_ones = [t for t in self._ledger.history if t.number not in self._ledger.undone]
        chosen = [t for t in open_ones if not t.is_final][-n:][::-1] if n > 0 else []
        oldest = chosen[-1].number if chosen else 0
        final = [t.number for t in open_ones if t.is_final and t.number > oldest]
        if not chosen:
            help = f"{_numbers(final)} purged contents, which cannot be undone" if final else None
            raise SessionError("nothing_to_undo", "no transaction can be undone", help=help)
        self._take_back(chosen, final)
        return tuple(t.number for t in chosen)

    def undo_transaction(self, number: int) -> None:
        """Take back one transaction.

        Raises SessionError: ``not_undoable`` (a turn, a birth, an undo, or undone already), ``undo_blocked``
        (a later transaction changed one of its slots; its number is named), ``undo_purged`` (it purged a content).
        """
        ledger = self._ledger
        chosen = next((t for t in ledger.history if t.number == number), None)
        if chosen is None or number in ledger.undone:
            raise SessionError("not_undoable", f"transaction #{number} cannot be undone, or was already")
        if chosen.is_final:
            raise SessionError(
                "undo_purged", f"transaction #{number} purged contents: what was deleted cannot be brought back"
            )
        subjects = _subjects(self._events(chosen))
        for later in reversed(ledger.history):
            if later.number <= number:
                break
            if later.number not in ledger.undone and subjects & _subjects(self._events(later)):
                raise SessionError(
                    "undo_blocked", f"transaction #{later.number} came later and changed a slot of #{number}",
                    help=f"undo #{later.number} first" if not later.is_final
                    else f"#{later.number} purged contents, and cannot be undone",
                )  # fmt: skip
        self._take_back([chosen])

    def _take_back(self, chosen: list[Transaction], final: list[int] | None = None) -> None:
        with self._recorder.transaction("undo") as emit:
            for transaction in chosen:
                self._invert(emit, transaction)
            emit("undone", transactions=[t.number for t in chosen])
            if final:
                emit("notice", code="undo_passed_over", message=(
                    f"{_numbers(final)} purged contents and cannot be undone: it was passed over"
                ))  # fmt: skip

    def _invert(self, emit: Emit, transaction: Transaction) -> None:
        for event in reversed(self._events(transaction)):
            for kind, data in inverse(self._ledger, event, self._last_request):
                emit(kind, **data)

    def _events(self, transaction: Transaction) -> list[Event]:
        found: list[Event] = []
        for event in self._recorder.events(transaction.first - 1):
            if event.seq > transaction.last:
                break
            if event.transaction == transaction.number and event.cause in UNDOABLE:
                found.append(event)
        return found


def _numbers(transactions: list[int]) -> str:
    return ", ".join(f"#{number}" for number in transactions)


def _subjects(events: Iterable[Event]) -> set[str]:
    names: set[str] = set()
    for event in events:
        names.update(event.data.get("slots", ()) if event.kind == "purged" else ())
        if "slot" in event.data:
            names.add(event.data["slot"])
        if event.kind == "rule_changed":
            names.add("rule:" + event.data["element"])
    return names
