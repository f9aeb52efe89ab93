"""Controls act from the next request and never before it; undo gives back just what was done.

Each case was found by the properties; a short history shows it.
"""

from __future__ import annotations

import pytest

from dcc.compiler.program import ElementRow, Program, Rule, Template
from dcc.grammar.ast import BORN, OPEN, Bound
from dcc.runtime.kernel.events import Event
from dcc.runtime.session import Reply, Session, SessionError, ToolCall
from dcc.runtime.store.memory import MemoryStore

TWO_CALLS = Bound("born", 2, "calls")


def program(**rules: Rule) -> Program:
    rows = {name: ElementRow(name, rule) for name, rule in rules.items()}
    return Program("few", "0" * 64, rows, declared=frozenset(rows), patchable=frozenset({"goal"}))


def session(**rules: Rule) -> Session:
    return Session.create(program(**rules))


def turn(one: Session, text: str = "hi", reply: str = "ok") -> list[str]:
    """A turn of one call; gives what its request held."""
    one.begin(text)
    held = [v.slot for v in one.request().visible]
    one.add_reply(Reply(reply))
    one.commit()
    return held


def held(one: Session, ordinal: int) -> list[str]:
    return [v.slot for v in one.projection(ordinal)]


def test_a_keep_given_while_tools_run_can_be_lifted_at_once() -> None:
    one = session()
    one.begin("hi")
    one.request()
    one.add_reply(Reply(calls=(ToolCall("c1", "ls", {}),)))
    assert one.keep("user@1") == ("user@1",)
    assert one.unkeep("all") == ("user@1",)


def test_an_entry_before_the_first_reply_stands_before_the_call() -> None:
    one = session()
    one.begin("hi")
    one.pin("remember")
    first = [v.slot for v in one.request().visible]
    one.add_reply(Reply(calls=(ToolCall("c1", "ls", {}),)))
    one.add_result("c1", "a.py")
    assert [v.slot for v in one.request().visible] == [*first, "toolCall@1", "toolResult@1"]


def test_what_was_done_in_a_turn_without_a_reply_can_be_undone_in_it() -> None:
    one = session(user=Rule(BORN, BORN))
    turn(one)
    one.begin("hi")
    one.keep("user@1")
    one.undo()
    assert "user@1" not in one.stage()


def test_a_turn_that_failed_leaves_no_rule_behind() -> None:
    store = MemoryStore()
    one = Session.create(program(note=Rule()), store=store)
    one.begin("hi")
    one.patch_rule("note", "born", "born")
    one.fail("provider")
    assert one.state_hash() == Session.open(store, program(note=Rule())).state_hash()


def test_undo_of_a_longer_life_ends_it_again() -> None:
    one = session(note=Rule(BORN, Bound("born", 3)))
    turn(one)
    one.add_entry("note", "x")
    one.patch_rule("note", "born", None, "force_refresh")
    turn(one)
    one.undo()
    assert [("note@1" in turn(one)) for _ in range(4)] == [True, True, False, False]


def test_undo_leaves_alone_what_ended_later_for_another_reason() -> None:
    one = session(goal=Rule())
    one.begin("/goal x remain 5\nhi")
    one.request()
    one.add_reply(Reply("ok"))
    one.commit()
    one.patch_rule("goal", "born", None, "force_refresh")
    turn(one)
    one.queue_patch("goal", "y", "refresh", 3)
    assert "goal@1" not in turn(one)
    one.undo()
    assert "goal@1" not in turn(one)


def test_undo_of_an_added_segment_that_is_over_changes_no_past_request() -> None:
    one = session(note=Rule(BORN, Bound("turn", 3)))
    turn(one)
    one.add_entry("note", "x")
    one.close("note@1")
    one.reopen("note@1")
    for _ in range(4):
        turn(one)
    before = [held(one, k) for k in range(1, 6)]
    one.undo()
    assert [held(one, k) for k in range(1, 6)] == before
    assert "note@1" not in turn(one)


def test_undo_takes_away_what_was_brought_back_in_an_added_segments_place() -> None:
    one = session(user=Rule(BORN, Bound("born", 1, "calls")))
    turn(one)
    turn(one)
    one.reopen("user@1")
    turn(one)
    one.close("assistant@1")
    one.undo(3)
    assert "user@1" not in turn(one)


def test_what_an_undo_brings_back_under_its_own_rule_is_not_due_at_once() -> None:
    one = session(note=Rule(BORN, TWO_CALLS))
    turn(one)
    one.add_entry("note", "x")
    one.patch_rule("note", "born", "born", "force_refresh")
    for _ in range(3):
        turn(one)
    one.undo()
    assert ["note@1" in turn(one) for _ in range(2)] == [True, True]


def test_a_segment_taken_away_does_not_wait_for_a_newer_slot() -> None:
    """A reply supersedes the older one before that begins; reopening and undoing must not wake it."""
    one = session(assistant=Rule(Bound("born", 1), Bound("until_superseded")))
    one.begin("hi")
    for text in ("one", "two"):
        one.request()
        one.add_reply(Reply(text))
    one.commit()
    one.reopen("assistant@1")
    one.undo()
    asked = turn(one)
    assert held(one, 3) == asked


def test_a_close_reaches_a_result_that_leaves_after_one_more_request() -> None:
    one = session(toolResult=Rule(BORN, Bound("until_superseded")))
    one.begin("hi")
    one.request()
    one.add_reply(Reply(calls=(ToolCall("c1", "ls", {}), ToolCall("c2", "ls", {}))))
    one.add_result("c1", "a")
    one.add_result("c2", "b")
    one.close("toolResult@1")
    assert [v.on_stage for v in one.request().visible if v.slot == "toolResult@1"] == [False]


def test_a_slot_that_is_rendered_short_still_leaves_by_its_rule() -> None:
    one = session(user=Rule(BORN, TWO_CALLS))
    turn(one, "long " * 300)
    one.represent("user@1", "stub")
    assert ["user@1" in turn(one) for _ in range(2)] == [True, False]


def test_a_new_process_knows_why_the_request_breaks() -> None:
    rules = program(assistant=Rule(BORN, Bound("until_superseded")))
    store = MemoryStore()
    one = Session.create(rules, store=store)
    one.begin("hi")
    for text in ("one", "two"):
        one.request()
        one.add_reply(Reply(text))
    one.commit()
    one = Session.open(store, rules)
    turn(one)
    breaks = [event.cause for event in map(Event.from_row, store.rows()) if event.kind == "break"]
    assert breaks == ["event_end"]


def test_an_ending_is_looked_for_only_where_a_patch_has_a_slot() -> None:
    rules = Program(
        "few", "0" * 64, {"goal": ElementRow("goal", Rule(BORN, OPEN))},
        ending_template=Template("plain", "END {element}"), declared=frozenset({"goal"}), patchable=frozenset({"goal"}),
    )  # fmt: skip
    one = Session.create(rules)
    one.begin("/goal x remain 1\nhi")
    one.fail("provider")
    one.end("goal")
    assert turn(one) == ["user@1"]


def test_a_rule_patched_while_a_request_is_in_flight_does_not_change_it() -> None:
    one = session(user=Rule())
    for _ in range(3):
        turn(one)
    one.begin("hi")
    asked = [v.slot for v in one.request().visible]
    one.patch_rule("user", "born", "born+2 calls", "force_refresh")
    one.add_reply(Reply("ok"))
    assert held(one, 4) == asked


def test_a_newer_slot_ends_all_that_is_open_of_the_older_one() -> None:
    """Reopened before its rule's start, a slot has two open segments."""
    one = session(assistant=Rule(Bound("turn", 3), Bound("until_superseded")))
    turn(one)
    one.reopen("assistant@1")
    turn(one)
    one.undo()
    assert "assistant@1" not in turn(one)


def test_a_slot_reopened_before_its_start_stays_up_to_it() -> None:
    one = session(note=Rule(Bound("turn", 4)), goal=Rule())
    turn(one)
    one.add_entry("note", "x")
    one.reopen("note@1")
    assert one.ranges()["note@1"] == [[4, None], [2, 3]]
    one.queue_patch("note", "y", "refresh", None, 5)
    assert ["note@1" in turn(one) for _ in range(4)] == [True, True, True, False]


def test_a_slot_whose_rule_ends_before_it_starts_cannot_be_ended() -> None:
    one = session(note=Rule(Bound("turn", 3), Bound("turn", 2)))
    turn(one)
    one.add_entry("note", "x")
    with pytest.raises(SessionError, match="nothing"):
        one.end("note")
