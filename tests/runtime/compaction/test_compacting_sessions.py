"""Compaction as a host sees it: by hand, in an open turn, for a host that compacts by itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.session import HostCompaction, Reply, Session, SessionError, ToolCall, Usage
from dcc.runtime.store.memory import MemoryStore

LONG = "a reply that is long enough for a summary of it to be shorter"


class Noting:
    """A compressor that answers with a fixed text, and remembers what it was given."""

    def __init__(self, answer: str = "in short") -> None:
        self.answer = answer
        self.given: list[tuple[str, str]] = []

    def summarise(self, transcript: str, prompt: str) -> str:
        self.given.append((transcript, prompt))
        if self.answer == "fail":
            raise OSError("no route")
        return self.answer


class Billed(Noting):
    """One whose summaries are paid for."""

    def take_spent(self) -> Usage:
        return Usage(100, 5)


def program(**periodic: int) -> Program:
    rules: dict[str, Any] = {
        "life_cycle": {"user": ["born", None], "assistant": ["born", None], "think": ["born", "born"]},
        "compact": {
            "fields": ["user", "assistant"],
            "compressors": {"summary": {"prompt": "Sum up: {content}", "periodic": periodic}},
        },
    }
    return load_program(rules)


def talk(session: Session, text: str = "a message", reply: str = LONG) -> None:
    session.begin(text)
    session.request()
    session.add_reply(Reply(reply, thinking="hm"))
    session.commit()


def notices(session: Session) -> list[str]:
    return [code for code, _ in session.take_happenings().notices]


def test_what_is_asked_for_in_an_open_turn_is_done_when_it_is_committed_even_by_a_new_process() -> None:
    store, compressor = MemoryStore(), Noting()
    rules = program(keep_recent_turns=0)
    session = Session.create(rules, store=store, compressor=compressor)
    session.begin("one")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "read", {}),)))
    assert session.compact() == "compaction follows when turn 1 is committed"
    session = Session.open(store, rules, compressor=compressor)
    session.add_result("c1", "a file")
    session.request()
    session.add_reply(Reply(LONG))
    assert compressor.given == []
    session.commit()
    assert compressor.given == [(f"[第1轮 user] one\n[第1轮 assistant] {LONG}", "Sum up: {content}")]
    assert notices(session) == ["compacted"]
    talk(session)
    assert len(compressor.given) == 1


def test_a_turn_that_is_taken_back_takes_what_was_asked_in_it_along() -> None:
    session = Session.create(program(keep_recent_turns=0), compressor=(compressor := Noting()))
    talk(session)
    session.begin("two")
    session.compact()
    session.fail("provider")
    talk(session)
    assert compressor.given == []


def test_without_a_prompt_there_is_nothing_to_ask_for() -> None:
    session = Session.create(load_program({}))
    assert session.on_host_compaction("threshold") == HostCompaction(cancel=False)
    with pytest.raises(SessionError) as error:
        session.compact()
    assert error.value.code == "no_compaction"


def test_a_host_that_compacts_by_itself_gets_a_summary_of_what_is_on_stage() -> None:
    session = Session.create(program(), compressor=(compressor := Noting()))
    assert session.on_host_compaction("threshold") == HostCompaction(cancel=False)
    talk(session, "one", "first")
    talk(session, "two", "second")
    session.close("user@1")
    before = session.state_hash()
    assert session.on_host_compaction("threshold") == HostCompaction(cancel=False, summary="in short")
    assert compressor.given == [("[assistant] first\n[user] two\n[assistant] second", "Sum up: {content}")]
    assert session.state_hash() == before
    compressor.answer = "fail"
    assert session.on_host_compaction("overflow") == HostCompaction(cancel=False)
    (*_, (code, message)) = session.take_happenings().notices
    assert (code, message) == (
        "compaction_failed",
        "no summary could be made: no route (the host compacts: overflow)",
    )


def test_a_summary_knows_the_turns_that_it_stands_for_also_after_a_restart() -> None:
    store = MemoryStore()
    rules = program(interval_turns=4, keep_recent_turns=1)
    session = Session.create(rules, store=store, compressor=Noting())
    for _ in range(8):
        talk(session)
    for known in (session, Session.open(store, rules)):
        ledger = known._recorder.ledger
        assert ledger.slots["3_summary@3"].compact_range == (1, 3)
        assert ledger.slots["6_summary@6"].compact_range == (1, 6)


def test_the_size_is_that_of_the_next_request_without_its_message() -> None:
    rules = program()
    session = Session.create(rules, system="You are brief.")
    for text in ("one", "你好 two", 'three "quoted"'):
        session.begin(text)
        session.request()
        session.add_reply(Reply(thinking="hm", calls=(ToolCall("c1", "read", {"path": "ä.py"}),)))
        session.add_result("c1", "a file")
        session.request()
        session.add_reply(Reply(LONG, thinking="so"))
        session.commit()
        gone = set(session._recorder.stage.leaving(session.turn + 1))
        assert gone == {f"think@{session.turn}", f"think@{session.turn}.2"}
        size = session._requests.bytes_without(gone)
        session.begin("next")
        *messages, _ = session.request("openai").messages
        session.fail("only looking")
        assert size == len(json.dumps(messages, ensure_ascii=False, separators=(",", ":")).encode())


def test_why_tells_where_turns_went() -> None:
    session = Session.create(program(interval_turns=4, keep_recent_turns=1), compressor=Noting())
    for _ in range(5):
        talk(session)
    told = [(cause.cause, cause.text) for cause in session.why("user@1")]
    assert told[-1] == ("compaction", "held off stage by compaction:3_summary@3 from #5")
    assert [(c.cause, c.text) for c in session.why("3_summary@3")] == [
        ("compaction", "born at turn 3, on stage from #5 without end")
    ]


def test_a_summary_for_a_host_stays_paid_for_when_its_turn_fails() -> None:
    """Usage is maintenance (kernel.md section 3): it survives the turn that it was made in."""
    store, rules = MemoryStore(), program()
    session = Session.create(rules, store=store, compressor=Billed())
    talk(session)
    before = session.state_hash()
    session.begin("two")
    session.request()
    assert session.on_host_compaction("overflow").summary == "in short"
    session.fail("context_overflow")
    assert session.spending.billed == (100, 5, 0, 0)
    assert session.state_hash() == before
    assert Session.open(store, rules).spending == session.spending
