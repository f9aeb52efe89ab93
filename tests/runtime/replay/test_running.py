"""A recorded session under other rules: what each call would have held."""

from pathlib import Path
from typing import Any

import pytest

from dcc.compiler.load import load_program
from dcc.runtime.hosts.recording import Entry, Recording, Reply, Step, ToolResult, Turn, Usage, UserMessage
from dcc.runtime.kernel.content import Call, Content
from dcc.runtime.replay.calls import Replayed
from dcc.runtime.replay.history import KEEP_EVERYTHING
from dcc.runtime.replay.run import replay
from dcc.runtime.replay.totals import cost_of


def said(text: str, *calls: Call) -> Reply:
    return Reply(text, "", calls, Usage(), "stop")


def result(call_id: str, content: Content = "a result") -> ToolResult:
    return ToolResult(call_id, "read", content, False)


def call(call_id: str) -> Call:
    return Call(call_id, "read", {"path": "a.py"})


def recording(*turns: tuple[Content | None, list[Step]]) -> Recording:
    made = tuple(Turn(None if user is None else UserMessage(user), tuple(steps)) for user, steps in turns)
    return Recording(Path("session.jsonl"), "/home/ada/tide", made, (), ())


def visible(done: Replayed, call: int) -> tuple[str, ...]:
    return done.names(done.calls[call].shown)


def run(rules: Any, *turns: tuple[Content | None, list[Step]]) -> Replayed:
    return replay(recording(*turns), load_program(rules))


def test_keep_everything_keeps_everything() -> None:
    done = run(
        KEEP_EVERYTHING,
        ("look", [said("one moment", call("c1")), result("c1"), said("seen")]),
        ("thanks", [said("welcome")]),
    )
    assert [visible(done, call) for call in range(3)] == [
        ("user@1",),
        ("user@1", "assistant@1", "toolCall@1", "toolResult@1"),
        ("user@1", "assistant@1", "toolCall@1", "toolResult@1", "assistant@1.2", "user@2"),
    ]
    assert [(one.ordinal, one.turn) for one in done.calls] == [(1, 1), (2, 1), (3, 2)]
    assert done.user_verbatim
    assert [one.full for one in done.calls] == [one.shown for one in done.calls]
    assert [one.prefix_kept for one in done.calls] == [0, done.calls[0].tokens, done.calls[1].tokens]


def test_a_kept_prefix_costs_a_tenth_and_the_rest_a_quarter_more() -> None:
    done = run(KEEP_EVERYTHING, ("a", [said("b")]), ("c", [said("d")]))
    first, second = done.calls
    fresh = first.tokens + second.tokens - second.prefix_kept
    assert cost_of(done) == pytest.approx(0.1 * second.prefix_kept + 1.25 * fresh)


def test_nothing_recorded_is_read_as_a_patch_or_a_command() -> None:
    done = run(KEEP_EVERYTHING, ("/goal x remain 3", [said("ok")]), ("/dc-end goal", [said("ok")]))
    assert visible(done, 1) == ("user@1", "assistant@1", "user@2")
    assert done.user_verbatim


def test_a_message_during_a_tool_loop_begins_a_turn() -> None:
    done = run(KEEP_EVERYTHING, ("look", [said("", call("c1"))]), ("stop", [said("ok")]))
    assert visible(done, 1) == ("user@1", "toolCall@1", "toolResult@1", "user@2")


def test_a_result_that_was_never_recorded_is_stood_in_for() -> None:
    done = run(KEEP_EVERYTHING, ("look", [said("", call("c1"), call("c2")), result("c2"), said("ok")]))
    assert len(visible(done, 1)) == 5


def test_a_message_that_was_never_answered_is_in_later_requests() -> None:
    done = run(KEEP_EVERYTHING, ("first try", []), ("second try", [said("ok")]))
    assert visible(done, 0) == ("user@0", "user@1")
    assert done.user_verbatim


def test_what_the_host_put_in_stands_after_its_turn() -> None:
    bash = Entry("user", "bashExecution", "$ ls")
    done = run(KEEP_EVERYTHING, ("a", [said("b"), bash]), ("c", [said("d")]))
    assert visible(done, 1) == ("user@1", "assistant@1", "bashExecution@1", "user@2")


def test_results_without_a_call_are_counted() -> None:
    done = run(KEEP_EVERYTHING, (None, [said("before")]), ("a", [result("c9"), said("b")]))
    assert done.skipped == 2


def test_messages_that_rules_take_away_are_not_verbatim() -> None:
    rules = {"life_cycle": {"user": ["born", "born"]}}
    assert not run(rules, ("a", [said("b")]), ("c", [said("d")])).user_verbatim


def test_what_is_offloaded_comes_back_byte_for_byte() -> None:
    rules = {
        "life_cycle": {
            "toolResult": {"end": "born+1 calls", "retire": "offload"},
            "edits": {"of": "chain", "match": {"tool": "edit"}, "end": "born+1 calls", "retire": "offload"},
        }
    }
    long = "a line of the file\n" * 40
    done = run(
        rules,
        ("look", [said("", call("c1")), result("c1", long), said("seen")]),
        ("edit", [said("", Call("c2", "edit", {"path": "a.py", "oldText": long})), result("c2", long), said("done")]),
        ("thanks", [said("welcome")]),
    )
    last = done.calls[-1]
    assert done.names(last.shown & ~last.full) == ("toolResult@1", "toolCall@2", "toolResult@2")
    assert done.restorable


def test_policies_share_the_numbers_of_slots() -> None:
    turns = ("look", [said("", call("c1")), result("c1"), said("seen")]), ("thanks", [said("welcome")])
    kept = run(KEEP_EVERYTHING, *turns)
    short = replay(recording(*turns), load_program({"life_cycle": {"user": ["born", "born"]}}), slots=kept.slots)
    assert short.slots == kept.slots
    assert kept.names(kept.calls[-1].shown & ~short.calls[-1].shown) == ("user@1",)
