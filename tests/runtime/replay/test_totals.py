"""The figures of a policy: what is hidden, off-loaded, restored, read again."""

from __future__ import annotations

from typing import Any

from recordings import got, recording, say, turn, use

from dcc.compiler.load import load_program
from dcc.runtime.hosts.recording import Recording, Turn
from dcc.runtime.replay.history import read_history
from dcc.runtime.replay.run import replay
from dcc.runtime.replay.totals import Totals, sum_up

LONG = "a line of the file\n" * 40


def totals(rules: Any, *turns: Turn) -> Totals:
    session: Recording = recording(*turns)
    history, kept = read_history(session)
    return sum_up(replay(session, load_program(rules), slots=history.ids), kept, history, ())


def read(id: str, path: str = "a.py") -> tuple[Any, Any]:
    return use(id, "read", path=path), got(id, LONG)


def test_keeping_everything_is_the_measure() -> None:
    found = totals({"life_cycle": {"toolResult": ["born", None]}}, turn("a", *read("c1"), say("b")))
    assert (found.tokens_ratio, found.cost_ratio) == (1.0, 1.0)
    assert (found.hidden, found.offloaded, found.restored, found.unread_removed) == (0, 0, 0, 0)
    assert (found.user_verbatim, found.restorable) == (True, True)


def test_without_a_call_nothing_was_saved() -> None:
    found = totals({"life_cycle": {}}, Turn(None, ()))
    assert (found.prompt_tokens, found.peak, found.tokens_ratio) == (0, 0, 1.0)


def test_what_leaves_the_stage_is_hidden_and_what_is_reduced_is_offloaded() -> None:
    turns = turn("a", *read("c1"), say("b")), turn("c", say("d"))
    dropped = totals({"life_cycle": {"toolResult": ["born", "born"]}}, *turns)
    assert (dropped.hidden, dropped.offloaded) == (1, 0)
    offload = {"life_cycle": {"toolResult": {"end": "born+1 calls", "retire": "offload"}}}
    reduced = totals(offload, *turns)
    assert (reduced.hidden, reduced.offloaded, reduced.restorable) == (0, 1, True)


def test_a_read_of_what_is_gone_is_a_repeated_read() -> None:
    rules = {"life_cycle": {"toolResult": ["born", "born"]}}
    again = turn("a", *read("c1"), say("b")), turn("c", *read("c2", "./a.py"), say("d"))
    assert totals(rules, *again).repeated_reads == 1
    assert totals({"life_cycle": {"toolResult": ["born", None]}}, *again).repeated_reads == 0
    other = turn("a", *read("c1"), say("b")), turn("c", *read("c2", "b.py"), say("d"))
    assert totals(rules, *other).repeated_reads == 0


def test_results_that_leave_before_they_are_read_are_counted() -> None:
    rules = {"life_cycle": {"toolResult": ["born", "born"], "toolCall": ["born", "born"]}}
    cut = turn("look", use("c1", "read", path="a.py"), got("c1", LONG)), turn("go on", say("ok"))
    assert totals(rules, *cut).unread_removed == 1


def test_messages_that_rules_take_away_are_not_verbatim() -> None:
    found = totals({"life_cycle": {"user": ["born", "born"]}}, turn("a", say("b")), turn("c", say("d")))
    assert (found.user_verbatim, found.hidden) == (False, 1)
