"""Undo: takes transactions back, as one new transaction (kernel.md section 3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..errors import SessionError
from ..kernel.events import UNDOABLE, Event
from ..kernel.records import Transaction
from ..kernel.undo import inverse
from ..recorder import Emit
from .base import Control

#: How many transactions a message names.
_NAMED: Final = 5

#: How to go on where only births, turns, pins and patches are left.
_STAYS: Final = "turns, patches and pins stay: `/dc-end goal` ends the patches of an element, `/cancelpin p01` a pin"


class Undoing(Control):
    """Takes back what was done; turns, births and undos themselves cannot be."""

    def undo(self, n: int) -> tuple[int, ...]:
        """Take back the newest ``n`` transactions that can be undone; returns their numbers, newest first.

        One that purged a content is stepped over, with what came before it to the same slots, and with a notice.

        Raises SessionError: ``nothing_to_undo``, ``bad_number``.
        """
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise SessionError("bad_number", f"{n!r} is no number of transactions", help="give 1 or more")
        open_ones = [t for t in self._ledger.history if t.number not in self._ledger.undone]
        chosen, passed = self._newest(open_ones, n)
        if not chosen:
            help = f"what was purged cannot be brought back: {_numbers(passed)}" if passed else _STAYS
            raise SessionError("nothing_to_undo", "no transaction can be undone", help=help)
        self._take_back(chosen, passed)
        return tuple(t.number for t in chosen)

    def undo_transaction(self, number: int) -> None:
        """Take back one transaction.

        Raises SessionError: ``not_undoable`` (a turn, a birth, an undo, or undone already), ``undo_blocked``
        (a later transaction changed one of its slots; its number is named), ``undo_purged`` (it purged a content).
        """
        ledger = self._ledger
        chosen = next((t for t in ledger.history if t.number == number), None)
        if number in ledger.undone:
            raise SessionError("not_undoable", f"transaction #{number} was undone already")
        if chosen is None:
            others = [t.number for t in reversed(ledger.history) if t.number not in ledger.undone][:_NAMED]
            raise SessionError(
                "not_undoable", f"there is no transaction #{number} that can be undone",
                help=f"the newest that can: {_numbers(others)}" if others else "there is none that can",
            )  # fmt: skip
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

    def _newest(self, open_ones: list[Transaction], n: int) -> tuple[list[Transaction], list[int]]:
        """The newest ``n`` that nothing final stands in the way of, newest first, and the numbers passed over."""
        chosen: list[Transaction] = []
        passed: list[int] = []
        sealed: set[str] = set()
        for transaction in reversed(open_ones):
            if len(chosen) >= n:
                break
            subjects = _subjects(self._events(transaction)) if sealed or transaction.is_final else set()
            if transaction.is_final or sealed & subjects:
                sealed |= subjects
                passed.append(transaction.number)
            else:
                chosen.append(transaction)
        return chosen, passed

    def _take_back(self, chosen: list[Transaction], passed: Iterable[int] = ()) -> None:
        with self._recorder.transaction("undo") as emit:
            for transaction in chosen:
                self._invert(emit, transaction)
            emit("undone", transactions=[t.number for t in chosen])
            if passed:
                emit("notice", code="undo_passed_over", message=(
                    f"passed over {_numbers(passed)}: what was purged cannot be brought back"
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


def _numbers(transactions: Iterable[int]) -> str:
    return ", ".join(f"#{number}" for number in transactions)


def _subjects(events: Iterable[Event]) -> set[str]:
    names: set[str] = set()
    for event in events:
        if event.kind == "purged":
            names.update(event.data["slots"], event.data.get("notes", ()))
        if "slot" in event.data:
            names.add(event.data["slot"])
        if event.kind == "rule_changed":
            names.add("rule:" + event.data["element"])
    return names
