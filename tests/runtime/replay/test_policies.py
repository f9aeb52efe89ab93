"""Reference policies: what each of them holds, and that it is legal."""

from __future__ import annotations

import pytest
from recordings import got, read_loop, recording, say, turn, use

from dcc.runtime.hosts.recording import Compaction, Usage
from dcc.runtime.replay.calls import Replayed, bits_of
from dcc.runtime.replay.choice import NAMES, REFERENCES
from dcc.runtime.replay.compare import compare
from dcc.runtime.replay.history import History, read_history
from dcc.runtime.replay.policies.clearing import KEEP, TRIGGER
from dcc.runtime.replay.policies.holding import PLACEHOLDER
from dcc.runtime.replay.policies.summary import KEEP_RECENT, RESERVE, SUMMARY
from dcc.runtime.replay.totals import sum_up

#: 60 results of about 4,000 tokens: 240,000 in all.
LONG = recording(turn("hello", say("hi")), read_loop(60, 2_650), turn("and now?", say("done")))


@pytest.fixture(scope="module")
def long() -> tuple[History, Replayed]:
    return read_history(LONG)


def run(history: History, name: str, window: int = 128_000) -> Replayed:
    return REFERENCES[name](history, name, window)


@pytest.mark.parametrize("name", [name for name in REFERENCES if name != "as-recorded"])
def test_every_policy_is_legal(name: str, long: tuple[History, Replayed]) -> None:
    history, _ = long
    call_of = {i: max(j for j in range(i) if slot_kind(history, j) == "reply") for i in bits_of(history.results)}
    for past, call in zip(history.calls, run(history, name, 100_000).calls, strict=True):
        assert call.full >> past.typed & 1, "the message typed last is there word for word"
        assert call.shown < 1 << past.held
        for result in bits_of(call.shown & history.results):
            assert call.shown >> call_of[result] & 1, "no result without its call"


def slot_kind(history: History, slot: int) -> str:
    return history.slots[slot].kind


def test_nothing_happens_to_a_session_that_fits() -> None:
    history, kept = read_history(recording(read_loop(5, 100)))
    for name in REFERENCES:
        if name != "as-recorded":
            assert run(history, name).calls == kept.calls


def test_threshold_summary_fires_above_window_less_reserve(long: tuple[History, Replayed]) -> None:
    history, kept = long
    done = run(history, "threshold-summary")
    limit = 128_000 - RESERVE
    fired = next(i for i, call in enumerate(kept.calls) if call.tokens > limit)
    assert done.calls[:fired] == kept.calls[:fired]
    assert max(call.tokens for call in done.calls) <= limit
    first = done.calls[fired]
    typed = history.slots[history.calls[fired].typed].tokens
    assert first.prefix_kept == 0
    assert KEEP_RECENT - 5_000 < first.tokens - SUMMARY - typed <= KEEP_RECENT
    again = done.calls[fired + 1]
    assert again.prefix_kept == first.tokens, "the summary stays, and with it the prefix"


def test_sliding_window_keeps_half_the_window_and_breaks_the_prefix(long: tuple[History, Replayed]) -> None:
    history, kept = long
    done = run(history, "sliding-window", 100_000)
    assert max(call.tokens for call in done.calls) <= 50_000
    slid = [i for i, call in enumerate(kept.calls) if call.tokens > 50_000]
    typed = max(history.slots[past.typed].tokens for past in history.calls)
    assert all(done.calls[i].prefix_kept <= typed for i in slid[1:])


def test_a_newest_chain_larger_than_the_window_stays_whole() -> None:
    history, _ = read_history(recording(read_loop(3, 5_000)))
    for name in ("sliding-window", "threshold-summary"):
        done = run(history, name, 4_000)
        assert sum_up(done, done, history, ()).unread_removed == 0


def test_clearing_starts_above_its_trigger_and_spares_the_newest(long: tuple[History, Replayed]) -> None:
    history, kept = long
    done = run(history, "clear-results")
    first = next(i for i, call in enumerate(kept.calls) if call.tokens > TRIGGER)
    assert done.calls[:first] == kept.calls[:first]
    call, past = done.calls[first], history.calls[first]
    born = list(bits_of(history.results & (1 << past.held) - 1))
    assert list(bits_of(call.shown & ~call.full)) == born[:-KEEP]
    cleared = sum(history.slots[i].tokens - PLACEHOLDER for i in born[:-KEEP])
    assert call.tokens == kept.calls[first].tokens - cleared
    for before, after in zip(done.calls, done.calls[1:], strict=False):
        assert before.shown & ~before.full & after.full == 0, "what is cleared stays cleared"


def test_clearing_in_batches_waits_until_a_round_is_worth_it(long: tuple[History, Replayed]) -> None:
    history, kept = long
    each, batched = (sum_up(run(history, n), kept, history, ()) for n in ("clear-results", "clear-results-batched"))
    assert batched.prefix_kept > each.prefix_kept
    assert batched.prompt_tokens > each.prompt_tokens
    assert not each.restorable
    assert each.user_verbatim


def test_as_recorded_has_the_figures_of_the_provider() -> None:
    session = recording(
        turn("a", say("b", Usage(input=10, output=9, cache_read=0, cache_write=90))),
        turn("c", say("d", Usage(input=5, output=9, cache_read=100, cache_write=15))),
    )
    history, kept = read_history(session)
    totals = sum_up(run(history, "as-recorded"), kept, history, ())
    assert (totals.prompt_tokens, totals.peak, totals.prefix_kept) == (220, 120, 100)
    assert totals.cost == pytest.approx(0.1 * 100 + 1.25 * 120)


def test_a_recorded_compaction_takes_what_lies_before_the_kept_part() -> None:
    reads = use("c1", "read", path="a.py"), got("c1", "the text"), say("seen")
    turns = turn("one", *reads), turn("two", say("ok")), turn("three", say("ok"))
    # Items: one, call, result, seen, two, ok, three, ok. Kept from "two" on, before "three" was typed.
    history, _ = read_history(recording(*turns, compactions=(Compaction(at=6, first_kept=4),)))
    done = run(history, "as-recorded")
    assert done.names(done.calls[-2].shown)[0] == "user@1"
    assert done.names(done.calls[-1].shown) == ("user@2", "assistant@2", "user@3")
    assert not done.user_verbatim


def test_a_compaction_may_keep_from_a_reply_on() -> None:
    turns = turn("one", say("a"), say("b")), turn("two", say("ok"))
    history, _ = read_history(recording(*turns, compactions=(Compaction(at=3, first_kept=2),)))
    done = run(history, "as-recorded")
    assert done.names(done.calls[-1].shown) == ("assistant@1.2", "user@2")


def test_names_are_printed_in_their_order() -> None:
    found = compare(recording(read_loop(2, 10)), [])
    assert tuple(result.totals.name for result in found.results) == NAMES
    chosen = compare(recording(read_loop(2, 10)), [], ["sliding-window"])
    assert [result.totals.name for result in chosen.results] == ["keep-everything", "sliding-window"]
