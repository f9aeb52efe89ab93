"""The stage law for one slot: keeps, cancels and holds beside its segments."""

from __future__ import annotations

import pytest

from dcc.compiler.program import ElementRow, Rule
from dcc.grammar.ast import BORN, Bound
from dcc.runtime.kernel.birth import slot_to_data
from dcc.runtime.kernel.events import Event
from dcc.runtime.kernel.law import on_stage
from dcc.runtime.kernel.ledger import Ledger
from dcc.runtime.kernel.places import begun
from dcc.runtime.kernel.retirement import ripe_at
from dcc.runtime.kernel.segments import SegmentError
from dcc.runtime.kernel.slots import PATCH, USER, Mark, Marks, Segment, Slot


def slot(*segments: tuple[int, int | None], marks: Marks | None = None, born: int = 1, phase: int = PATCH) -> Slot:
    found = tuple(Segment(*s) for s in segments)
    return Slot("x@1", "x", born, phase, 0, 0, 1, born, Rule(), found, b"", 1, marks=marks)


def shown(subject: Slot, turns: list[int]) -> list[bool]:
    """On stage in the first request of each turn, with one call a turn."""
    return [on_stage(subject, turn, turn) for turn in turns]


def test_a_cancelled_slot_is_off_whatever_its_segments_say() -> None:
    cancelled = slot((1, None), marks=Marks(cancels=(Mark("cancel", 3),)))
    assert shown(cancelled, [1, 2, 3, 9]) == [True, True, False, False]


def test_a_kept_slot_is_on_from_the_keep_never_before() -> None:
    kept = slot((1, 2), marks=Marks(keeps=(Mark("keep", 5),), cancels=(Mark("cancel", 2),)))
    assert shown(kept, [1, 2, 3, 4, 5, 99]) == [True, False, False, False, True, True]


def test_a_keep_shows_nothing_before_its_birth() -> None:
    kept = slot((4, 5), marks=Marks(keeps=(Mark("keep", 1),)), born=4)
    assert shown(kept, [1, 3, 4, 9]) == [False, False, True, True]


def test_a_hold_takes_a_slot_off_until_it_is_lifted() -> None:
    held = slot((1, None), marks=Marks(holds=(Mark("op:7", 3, 5),)))
    assert shown(held, [2, 3, 4, 5]) == [True, False, False, True]


def test_two_holds_are_lifted_one_by_one() -> None:
    held = slot((1, None), marks=Marks(holds=(Mark("op:7", 3, 5), Mark("collapse:goal_end@4", 4, 8))))
    assert shown(held, [3, 4, 6, 8]) == [False, False, False, True]


def test_a_message_is_on_stage_in_its_own_turn_whatever_its_rule_says() -> None:
    held = slot((3, None), marks=Marks(holds=(Mark("op:7", 1),)), phase=USER)
    assert shown(held._replace(element="user"), [1, 2]) == [True, False]
    assert shown(held._replace(element="summary"), [1, 2]) == [False, False], "at the position of one is not one"


def test_what_is_purged_is_off_whatever_keeps_it() -> None:
    purged = slot((1, None), marks=Marks(keeps=(Mark("keep", 1),), purged=3), phase=USER, born=3)
    assert shown(purged._replace(element="user"), [1, 2, 3, 4]) == [False, False, False, False]
    assert shown(purged._replace(turn=1, shown_from=1), [1, 2, 3, 4]) == [True, True, False, False]


@pytest.mark.parametrize(("ordinal", "due"), [(1, False), (3, False), (4, True)])
def test_a_count_of_calls_runs_out_after_that_many_requests(ordinal: int, due: bool) -> None:
    rule = Rule(BORN, Bound("born", 3, "calls"))
    subject = Slot("x@1", "x", 1, PATCH, 0, 0, 1, 1, rule, (Segment(1, None),), b"", 1)
    place = ripe_at(Ledger(), ElementRow("x", rule), subject)
    assert place is not None
    assert begun(place, 1, ordinal) is due


def test_an_id_is_born_once() -> None:
    ledger = Ledger()
    data = slot_to_data(slot((1, None)))
    ledger.apply(Event(1, 0, 0, 1, "slot_born", "born", data))
    with pytest.raises(SegmentError) as caught:
        ledger.apply(Event(2, 0, 0, 1, "slot_born", "born", data))
    assert caught.value.code == "duplicate_slot"
