"""Why a slot was due, what it waited for, and when it left: the story of a retirement."""

from __future__ import annotations

from typing import Any

from recordings import got, recording, say, turn, use

from dcc.compiler.load import load_program
from dcc.runtime.hosts.recording import Step, Turn
from dcc.runtime.replay.run import session_of
from dcc.runtime.session import Reply, Session

LONG = "a line of the file\n" * 40


def read(id: str, path: str) -> list[Step]:
    return [use(id, "read", path=path), got(id, LONG)]


def session(rules: dict[str, Any], *turns: Turn, settle: dict[str, Any] | None = None) -> Session:
    ruleset: dict[str, Any] = {"life_cycle": rules}
    if settle is not None:
        ruleset["settle"] = settle
    return session_of(recording(*turns), load_program(ruleset))


def told(one: Session, slot: str) -> list[tuple[int, str]]:
    """What is said of a slot: after how many calls, and the sentence."""
    return [(cause.ordinal, cause.text) for cause in one.why(slot) if cause.kind in ("ripe", "not_ripe", "represented")]


CALLS = {"toolResult": {"end": "born+2 calls", "retire": "offload"}}
READS = {
    "read": {"of": "toolResult", "match": {"tool": "read"}, "key": "args.path", "end": "idle+2 calls",
             "supersede": True, "retire": "offload"},
}  # fmt: skip


def test_without_a_settle_section_what_is_ripe_is_retired_at_once() -> None:
    one = session(CALLS, turn("a", *read("c1", "a.py"), say("b")), turn("c", say("d")), turn("e", say("f")))
    assert told(one, "toolResult@1") == [
        (3, "from #4 on ripe: its 2 calls are over; retired at once"),
        (3, "rendered as ref (was full) from #4"),
    ]


def test_what_is_ripe_waits_for_the_settle() -> None:
    turns = [turn("a", *read("c1", "a.py"), say("b")), *(turn("go on", say("ok")) for _ in range(5))]
    one = session(CALLS, *turns, settle={"every": 6, "min_tokens": 10})
    assert told(one, "toolResult@1") == [
        (3, "from #4 on ripe: its 2 calls are over; due with the next settle (every 6 calls, from 10 tokens on)"),
        (6, "rendered as ref (was full) from #7"),
    ]


def test_a_newer_read_supersedes_once_a_request_has_held_both() -> None:
    one = session(READS, turn("a", *read("c1", "a.py"), *read("c2", "./a.py"), say("b")))
    assert told(one, "toolResult@1")[0] == (2, "from #3 on ripe: toolResult@1.2 superseded it; retired at once")


def test_a_touch_makes_it_wait_again() -> None:
    rules = {**READS, "edits": {"of": "chain", "match": {"tool": "edit"}, "key": "args.path", "end": "idle+9 calls"}}
    edit = [use("c2", "edit", path="a.py", oldText="x", newText="y"), got("c2", "ok", "edit")]
    turns = [turn("a", *read("c1", "a.py"), *([say("b")] * 3), *edit, say("c"), say("d"), say("e"))]
    one = session(rules, *turns, settle={"every": 50})
    assert told(one, "toolResult@1") == [
        (3, "from #4 on ripe: idle for 2 calls since toolResult@1 touched its key; "
            "due with the next settle (every 50 calls, from 0 tokens on)"),
        (5, "from #6 on not ripe: toolResult@1.2 touched its key"),
        (7, "from #8 on ripe: idle for 2 calls since toolResult@1.2 touched its key; "
            "due with the next settle (every 50 calls, from 0 tokens on)"),
    ]  # fmt: skip


def test_floors_are_named() -> None:
    rules = {"toolResult": {"end": "born+1 calls", "retire": "offload", "keep_last": 1}}
    one = session(rules, turn("a", *read("c1", "a.py"), say("b"), *read("c2", "b.py"), say("d")))
    assert told(one, "toolResult@1")[0] == (
        2, "from #3 on ripe: its 1 call is over; it is among the newest 1 of toolResult, which stay"
    )  # fmt: skip
    assert told(one, "toolResult@1")[-1] == (3, "rendered as ref (was full) from #4")


def test_ceilings_are_named() -> None:
    rules = {"toolResult": {"end": None, "at_most": 1, "retire": "offload"}}
    one = session(rules, turn("a", *read("c1", "a.py"), *read("c2", "b.py"), say("d")))
    assert told(one, "toolResult@1")[0] == (
        2, "from #3 on ripe: it is not among the newest 1 of toolResult; retired at once"
    )  # fmt: skip


def test_small_results_stay() -> None:
    rules = {"toolResult": {"end": "born+1 calls", "retire": "offload", "min_tokens": 9_999}}
    one = session(rules, turn("a", *read("c1", "a.py"), say("b"), say("c")))
    assert told(one, "toolResult@1") == [
        (2, "from #3 on ripe: its 1 call is over; smaller than 9999 tokens, it stays as long as its call")
    ]


def test_a_kept_slot_says_so() -> None:
    one = session(CALLS, turn("a", *read("c1", "a.py"), say("b")))
    one.keep("toolResult@1")
    for n in range(3):
        one.begin(f"message {n}")
        one.request()
        one.add_reply(Reply("ok"))
        one.commit()
    assert told(one, "toolResult@1")[-1][1].endswith("kept")


def test_a_call_tells_the_story_of_its_chain() -> None:
    rules = {"edits": {"of": "chain", "match": {"tool": "read"}, "end": "born+1 calls"}}
    one = session(rules, turn("a", *read("c1", "a.py"), say("b"), say("c")))
    assert told(one, "toolCall@1") == told(one, "toolResult@1")
    assert told(one, "toolCall@1")[0][1] == "from #3 on ripe: its 1 call is over; retired at once"


def test_what_only_turns_end_has_no_such_story() -> None:
    one = session({"toolResult": ["born", "born+1"]}, turn("a", *read("c1", "a.py"), say("b")))
    assert told(one, "toolResult@1") == []
    assert told(one, "user@1") == []


def test_up_to_a_turn() -> None:
    one = session(CALLS, turn("a", *read("c1", "a.py"), say("b")), turn("c", say("d")), turn("e", say("f")))
    assert [cause.kind for cause in one.why("toolResult@1", 2)] == ["slot_born"]
