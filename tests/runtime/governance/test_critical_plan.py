"""What a critical pass would do, from facts alone (spec/cpat.md section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.governance.budget.cache_gate import is_worth_a_break
from dcc.runtime.governance.budget.limits import Limits
from dcc.runtime.governance.critical import Chain, Held, Plan, Result, plan
from dcc.runtime.governance.cutting import NO_ROOM, Room, Short
from dcc.runtime.governance.passes import Passes

#: The quarter that read results are freed down to is 2,500.
LIMITS = Limits(None, 0, 10_000, 7_000, 8_000, 9_500)


def read(slot: str, tokens: int, age: int = 1, **facts: Any) -> Result:
    known = {"unread": False, "digest": slot.encode(), "characters": 3 * tokens} | facts
    return Result(slot=slot, tokens=tokens, age=age, **known)


def short(slot: str, room: Room) -> Short | None:
    """A bare address has ten tokens; whatever there is room for is shown beside it."""
    return Short(3 * room.tokens, 0, 10 + room.tokens, 40 + 3 * room.tokens)


def planned(results: Sequence[Result], chains: Sequence[Chain] = (), *, other: int = 0, pressing: bool = False) -> Plan:
    raw = other + sum(result.tokens for result in results)
    return plan(results, chains, Held(raw, 0), LIMITS, lambda raw, chains: raw, short, pressing=pressing)


def offloaded(made: Plan) -> list[str]:
    return [slot for slot, _ in made.offloads]


def test_large_and_old_results_come_first_and_a_quarter_is_left() -> None:
    made = planned([read("a", 3_000, age=1), read("b", 2_000, age=9), read("c", 4_500, age=2)])
    assert offloaded(made) == ["b", "c", "a"]
    made = planned([read("a", 2_400, age=1), read("b", 2_600, age=9), read("c", 4_500, age=2)])
    assert (offloaded(made), made.left) == (["b", "c"], 2_420)


def test_what_stands_there_twice_goes_before_what_was_asked_again_and_both_before_the_rest() -> None:
    results = [
        read("old", 2_000, age=99),
        read("same", 1_000, digest=b"1"),
        read("asked", 1_000, path="a.py", asked="read a.py"),
        read("changed", 1_000, path="b.py", asked="read b.py"),
        read("again", 1_500, path="a.py", asked="read a.py"),
        read("edit", 1_500, path="b.py", asked="edit b.py", changes=True),
        read("twin", 1_500, digest=b"1"),
    ]
    assert offloaded(planned(results))[:4] == ["same", "asked", "changed", "old"]


def test_another_part_of_a_file_does_not_make_the_first_one_old() -> None:
    first, second = read("first", 5_000, path="a.py", asked="1-9"), read("second", 5_000, 9, path="a.py", asked="10-")
    assert offloaded(planned([first, second])) == ["second", "first"]


def test_small_results_are_left_alone() -> None:
    assert planned([read("small", 299)], other=9_600).offloads == ()
    assert planned([read("large", 300)], other=9_600).offloads == (("large", Short(0, 0, 10, 40)),)


def test_nothing_is_put_in_the_place_of_something_shorter() -> None:
    result = read("a", 5_000)
    made = plan([result], (), Held(9_900, 0), LIMITS, lambda raw, _: raw, lambda slot, room: None)
    assert (made.offloads, made.freed) == ((), 0)


def test_unread_results_are_touched_only_when_the_read_ones_are_not_enough() -> None:
    unread = read("new", 6_000, unread=True)
    assert offloaded(planned([read("old", 3_600), unread])) == ["old"]
    assert offloaded(planned([unread], other=3_600)) == ["new"]
    assert planned([unread], other=3_400).offloads == ()


def test_unread_results_keep_a_head_and_a_tail_that_fit() -> None:
    made = planned([read("big", 30_000, unread=True), read("small", 500, unread=True)], other=1_000)
    (big,) = made.offloads
    assert big == ("big", short("big", Room(4_400)))  # 80 % of the 5,500 tokens that are left below the soft limit
    assert made.left < LIMITS.soft


def test_a_result_that_was_cut_before_gives_way_to_a_new_one() -> None:
    cut, new = read("cut", 6_000), read("new", 30_000, unread=True)
    made = planned([cut, new], other=1_000)
    assert dict(made.offloads)["cut"] == short("cut", NO_ROOM)
    assert dict(made.offloads)["new"] == short("new", Room((7_000 - 1_010) * 80 // 100))


def test_small_results_that_are_too_many_are_cut_when_nothing_else_helps() -> None:
    many = [read(f"r{n}", 250, unread=True) for n in range(41)]
    made = planned(many)
    assert made.left < LIMITS.soft
    assert offloaded(made) == [f"r{n}" for n in range(len(made.offloads))]
    assert planned(many[:40]).offloads == ()  # as much as fits
    assert planned(many[:40], pressing=True).left < LIMITS.soft  # and yet it was refused


def test_chains_are_archived_whole_from_the_oldest_on_when_nothing_else_helps() -> None:
    chains = [Chain(f"toolCall@{n}", f"toolResult@{n}", 900, 100) for n in range(1, 6)]
    made = planned([], chains, other=9_800)
    assert [chain.call for chain in made.archived] == ["toolCall@1", "toolCall@2", "toolCall@3"]
    assert made.left == 6_800
    assert made.slots == 6


def test_a_chain_that_is_archived_after_its_result_was_reduced_is_counted_once() -> None:
    made = planned([read("toolResult@1", 4_000)], [Chain("toolCall@1", "toolResult@1", 500, 4_000)], other=9_600)
    assert made.left == 9_600 - 500
    assert made.slots == 2


def test_a_request_that_a_provider_refused_is_shortened_below_the_limit_too() -> None:
    unread = read("new", 6_000, unread=True)
    assert planned([unread], other=2_000).offloads == ()
    assert offloaded(planned([unread], other=2_000, pressing=True)) == ["new"]


@given(
    st.lists(st.tuples(st.integers(1, 9_000), st.integers(0, 50), st.booleans(), st.integers(0, 3)), max_size=12),
    st.integers(0, 12_000),
)
def test_a_plan_only_ever_frees_and_touches_each_result_once(
    facts: list[tuple[int, int, bool, int]], other: int
) -> None:
    results = [
        read(f"r{n}", tokens, age, unread=unread, digest=bytes([same]), path=f"{same}", asked=f"{same}")
        for n, (tokens, age, unread, same) in enumerate(facts)
    ]
    made = planned(results, other=other)
    assert len(set(offloaded(made))) == len(made.offloads)
    assert made.freed == other + sum(r.tokens for r in results) - made.left >= 0
    assert bool(made.offloads) == (made.freed > 0)


def test_no_pass_follows_before_the_context_has_grown_by_a_twentieth() -> None:
    after = Passes().ran(9_600, 9_300, LIMITS)
    assert not after.may_run(9_799, LIMITS)
    assert after.may_run(9_800, LIMITS)
    assert Passes(after=9_900).may_run(10_001, LIMITS)


def test_after_two_passes_that_free_little_only_one_that_frees_more_is_worth_it() -> None:
    once = Passes().ran(9_600, 9_000, LIMITS)
    twice = once.ran(9_600, 9_000, LIMITS)
    assert (once.is_stuck, twice.is_stuck) == (False, True)
    assert not twice.is_worth(9_600, 999, LIMITS)
    assert twice.is_worth(9_600, 1_000, LIMITS)
    assert twice.is_worth(10_100, 100, LIMITS)  # without it the request would not fit
    assert not twice.is_worth(10_000, 100, LIMITS)  # it fits as it is
    assert not twice.is_worth(10_101, 100, LIMITS)  # it would not even so
    assert not twice.ran(9_600, 8_000, LIMITS).is_stuck


def test_passes_come_back_from_json_as_they_were() -> None:
    for passes in (Passes(), Passes(7, 2, True)):
        assert Passes.from_json(passes.to_json()) == passes
    assert Passes.from_json(None) == Passes()


@pytest.mark.parametrize(
    ("freed", "tail", "remaining", "hit", "pays"),
    [
        pytest.param(10_000, 50_000, 20, 0.0, True, id="without a cache it pays soon"),
        pytest.param(10_000, 50_000, 20, 0.95, False, id="what is cached costs little to keep"),
        pytest.param(10_000, 1_000, 20, 0.95, True, id="a break near the end costs little"),
        pytest.param(10_000, 50_000, 1, 0.0, False, id="near the end of the work it does not pay"),
    ],
)
def test_the_cache_gate(freed: int, tail: int, remaining: int, hit: float, pays: bool) -> None:
    assert is_worth_a_break(freed, tail, remaining, hit) is pays
