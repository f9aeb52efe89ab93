"""Slots born in the place of others, and at the position of others (spec/cpat.md section 3; kernel.md section 1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from legality import check_anthropic, check_openai, check_pi

from dcc.compiler.load import load_program
from dcc.runtime.kernel.changes import representing
from dcc.runtime.kernel.slots import Slot
from dcc.runtime.purging import purge
from dcc.runtime.recorder import Emit
from dcc.runtime.session import Format, Reply, Session, SessionError, ToolCall

PROGRAM = load_program({"name": "small", "life_cycle": {"user": ["born", None], "toolResult": ["born", None]}})
LONG = "much to read\n" * 60
FORMATS: tuple[Format, ...] = ("openai", "anthropic", "pi")


@pytest.fixture
def session() -> Session:
    """Two turns: one with two tool calls and an answer, one that is open and has a reply with thinking and a call."""
    session = Session.create(PROGRAM, system="You are brief.")
    session.begin("look")
    session.request()
    calls = (ToolCall("c1", "ls", {"path": "."}), ToolCall("c2", "read", {"path": "a.py"}))
    session.add_reply(Reply("I look", "hm", calls))
    session.add_result("c1", "a.py")
    session.add_result("c2", LONG)
    session.request()
    session.add_reply(Reply("seen"))
    session.commit()
    session.begin("and now?")
    session.request()
    session.add_reply(Reply("", "hm, once more", (ToolCall("c1", "ls", {"path": "/"}),)))
    return session


def operate(session: Session, act: Callable[[Emit], Any]) -> Any:
    with session._recorder.transaction("op") as emit:
        made = act(emit)
    session._written(None)
    return made


def slot_of(session: Session, slot_id: str) -> Slot:
    return session._recorder.ledger.slots[slot_id]


def replace(session: Session, slot_id: str, text: str) -> str:
    born = operate(session, lambda emit: session._births.replace(emit, slot_of(session, slot_id), text))
    return str(born.id)


def summarise(session: Session, at: str, *sources: str) -> str:
    """A summary at the position of a slot, in the place of some."""

    def act(emit: Emit) -> Slot:
        last, number = session._recorder.last_request, session._recorder.ledger.transaction + 1
        born = session._births.bear(
            emit, "summary", "what it was about", at=slot_of(session, at), shown_from=last + 1, superseded_end=-last,
            cause="op",
        )  # fmt: skip
        for source in sources:
            emit("hold_begun", slot=source, name=f"op:{number}", since=-(last + 1))
        return born

    return str(operate(session, act).id)


def next_request(session: Session, format: Format) -> tuple[list[str], str]:
    """The slots of the request after the tools' results, and its text. It is legal."""
    session.add_result("c1", "etc")
    request = session.request(format)
    match format:
        case "anthropic":
            found = check_anthropic(request.system, request.messages)
        case "openai":
            found = check_openai(request.messages)
        case _:
            found = check_pi(request.messages)
    assert found == []
    return [v.slot for v in request.visible], str(request.messages)


# Positions


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("at", ["think@1", "assistant@1", "toolCall@1", "toolCall@1.2", "toolResult@1.2"])
def test_a_summary_at_a_piece_of_a_reply_stands_behind_the_reply_with_its_results(
    at: str, format: Format, session: Session
) -> None:
    summary = summarise(session, at, "toolResult@1.2")
    slots, text = next_request(session, format)
    assert slots[slots.index("toolResult@1") :][:3] == ["toolResult@1", "toolResult@1.2", summary]
    assert "what it was about" in text


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("at", ["user@1", "toolCall@1", "assistant@1.2"])
def test_a_summary_in_the_place_of_all_that_it_tells(at: str, format: Format, session: Session) -> None:
    told = [s for s in session._recorder.ledger.slots if s.split("@")[1].startswith("1")]
    summary = summarise(session, at, *told)
    slots, _ = next_request(session, format)
    assert slots == ["system@0", summary, "user@2", "think@2", "toolCall@2", "toolResult@2"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("at", ["think@2", "toolCall@2", "user@2"])
def test_a_summary_in_the_open_turn(at: str, format: Format, session: Session) -> None:
    summary = summarise(session, at, "assistant@1.2")
    slots, _ = next_request(session, format)
    behind = slots[slots.index(summary) :]
    assert behind == [summary] if at != "user@2" else behind[1:] == ["think@2", "toolCall@2", "toolResult@2"]


def test_a_summary_has_a_number_of_its_own_and_is_there_from_the_next_request_on(session: Session) -> None:
    summary = slot_of(session, summarise(session, "user@1"))
    source = slot_of(session, "user@1")
    assert summary.position[:4] == source.position[:4]
    assert summary.number > slot_of(session, "toolCall@2").number
    assert session.ranges()[summary.id] == [["#4", None]]
    assert summary.id not in [v.slot for ordinal in (1, 2) for v in session.projection(ordinal)]


# Replacements


@pytest.mark.parametrize("format", FORMATS)
def test_a_replaced_result_answers_its_call(format: Format, session: Session) -> None:
    before = session.projection(2)
    newer = replace(session, "toolResult@1", "b.py")
    slots, text = next_request(session, format)
    assert slots[slots.index("toolCall@1.2") + 1 :][:2] == [newer, "toolResult@1.2"]
    assert "b.py" in text
    assert session.projection(2) == before, "past requests keep the older one"
    assert newer not in [v.slot for v in session.projection(2)]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("slot", ["assistant@1", "assistant@1.2"])
def test_a_replaced_text_stands_where_it_stood(slot: str, format: Format, session: Session) -> None:
    place = session.stage().index(slot)
    newer = replace(session, slot, "in other words")
    slots, text = next_request(session, format)
    assert slots.index(newer) == place
    assert "in other words" in text


def test_the_result_of_a_request_is_the_one_of_its_time(session: Session) -> None:
    ledger = session._recorder.ledger
    newer = replace(session, "toolResult@1", "b.py")
    newest = replace(session, newer, "c.py")
    session.add_result("c1", "etc")
    session.request()
    session.add_reply(Reply("done"))
    session.commit()
    session.undo()
    found = [ledger.result_at("toolCall@1", ledger.turn_of_ordinal(o), o) for o in (2, 3, 4, 5)]
    assert [slot and slot.id for slot in found] == ["toolResult@1", "toolResult@1", newest, newer]
    assert ledger.result_at("toolCall@9", 1, 1) is None


def test_an_undo_puts_the_one_before_in_place_again(session: Session) -> None:
    state, stage = session.state_hash(), session.stage()
    newer = replace(session, "toolResult@1", "b.py")
    assert session._recorder.ledger.result_of["toolCall@1"] == newer
    session.undo()
    slots, _ = next_request(session, "openai")
    assert session._recorder.ledger.result_of["toolCall@1"] == "toolResult@1"
    assert slots == [*stage, "think@2", "toolCall@2", "toolResult@2"]
    assert newer not in slots
    assert state != session.state_hash()


def test_between_turns_an_undo_gives_the_same_state_but_for_the_segment_that_the_hold_left(session: Session) -> None:
    session.add_result("c1", "etc")
    session.request()
    session.add_reply(Reply("done"))
    session.commit()
    state, stage = session.state_hash(), session.stage()
    replace(session, "assistant@1", "in other words")
    assert session.state_hash() != state
    session.undo()
    assert (session.state_hash(), session.stage()) == (state, stage)


def test_what_holds_and_keeps_goes_over_to_the_new_one(session: Session) -> None:
    session.keep("toolResult@1")
    newer = replace(session, "toolResult@1", "b.py")
    assert set(session.unkeep("all")) == {newer, "toolCall@1"}
    assert session.undo(2)
    slots, _ = next_request(session, "openai")
    assert newer not in slots


def test_a_replacement_is_no_touch_and_no_newer_slot() -> None:
    program = load_program(
        {
            "name": "small",
            "life_cycle": {
                "read": {
                    "of": "toolResult", "match": {"tool": "read"}, "key": "args.path", "end": "until_superseded",
                    "retire": "offload",
                }
            },
        }
    )  # fmt: skip
    session = Session.create(program)
    for n in (1, 2):
        session.begin(f"read {n}")
        session.request()
        session.add_reply(Reply(calls=(ToolCall("c1", "read", {"path": "a.py"}),)))
        session.add_result("c1", f"{n} {LONG}")
        session.request()
        session.add_reply(Reply("seen"))
        session.commit()
    session.represent("toolResult@1", "full")
    older = replace(session, "toolResult@1", f"3 {LONG}")
    session.begin("go on")
    shown = {v.slot: v.how for v in session.request().visible}
    assert (shown[older], shown["toolResult@2"]) == ("full", "full"), "the older one is unread, the newer one newest"
    session.add_reply(Reply("ok"))
    session.commit()
    session.begin("go on")
    shown = {v.slot: v.how for v in session.request().visible}
    assert (shown[older], shown["toolResult@2"]) == ("ref", "full")


# What is refused


@pytest.mark.parametrize(
    "control",
    [
        lambda s: s.keep("toolResult@1"), lambda s: s.close("toolResult@1"), lambda s: s.reopen("toolResult@1"),
        lambda s: s.represent("toolResult@1", "stub"), lambda s: s.end("toolResult@1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("gone", ["replaced", "purged"])
def test_controls_on_what_is_gone(gone: str, control: Callable[[Session], Any], session: Session) -> None:
    newer = replace(session, "toolResult@1", "b.py")
    if gone == "purged":
        _purge(session, "toolResult@1")
    state = session.state_hash()
    with pytest.raises(SessionError) as error:
        control(session)
    assert error.value.code == gone
    assert (newer if gone == "replaced" else "deleted") in error.value.message
    assert session.state_hash() == state


@pytest.mark.parametrize("row", [{"keep_last": 1}, {"at_most": 3}])
def test_a_replacement_is_taken_back_with_the_turn_that_has_no_reply(row: dict[str, int]) -> None:
    """Its row counts its newest; the slot that is no more is not among them, and its id is free for another."""
    program = load_program({"name": "counting", "life_cycle": {
        "toolResult": {"start": "born", "end": None, **row},
    }})  # fmt: skip
    session = Session.create(program)
    session.begin("look")
    session.request()
    session.add_reply(Reply("", "", (ToolCall("c1", "ls", {}), ToolCall("c2", "ls", {}))))
    session.add_result("c1", LONG)
    session.add_result("c2", "short")
    session.request()
    session.add_reply(Reply("seen"))
    session.commit()
    state, stage = session.state_hash(), session.stage()
    for text in ("b.py", LONG + "c.py"):
        session.begin("and now?")
        replace(session, "toolResult@1.2", text)
        session.request()
        session.fail("provider")
        assert (session.state_hash(), session.stage()) == (state, stage)
    session.begin("and now?")
    newer = replace(session, "toolResult@1.2", "d.py")
    assert newer == "toolResult@1.3"
    assert newer in [v.slot for v in session.request().visible]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("act", ["replace", "purge"])
def test_the_stub_beside_a_call_is_what_it_was_when_the_turn_is_taken_back(act: str, format: Format) -> None:
    session = Session.create(PROGRAM)
    session.begin("look")
    session.request(format)
    session.add_reply(Reply("", calls=(ToolCall("c1", "ls", {}),)))
    session.add_result("c1", LONG)
    session.request(format)
    session.add_reply(Reply("seen"))
    session.commit()
    session.close("toolResult@1")
    before = session.messages(format), session.tokens(format), session.state_hash()
    session.begin("and now?")
    if act == "replace":
        replace(session, "toolResult@1", "in other words " * 20)
    else:
        _purge(session, "toolResult@1")
    assert session.request(format).messages[:-1] != before[0]
    session.fail("provider")
    assert (session.messages(format), session.tokens(format), session.state_hash()) == before


# Purges


def _purge(session: Session, *slots: str) -> int:
    digests = sorted({slot_of(session, s).digest for s in slots})
    operate(session, lambda emit: purge(session._recorder, emit, digests))
    return session._recorder.ledger.transaction


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("slot", ["toolResult@1.2", "toolCall@1", "assistant@1", "think@1", "assistant@1.2"])
def test_a_purged_slot_is_off_stage_and_told_in_the_past(slot: str, format: Format, session: Session) -> None:
    _purge(session, slot)
    held = {v.slot: v.how for v in session.projection(2)}
    assert held.get(slot, "stub") == "stub"
    slots, text = next_request(session, format)
    assert slot not in session.stage()
    assert ("[purged]" in text) == (slot == "toolResult@1.2"), "only beside its call"
    assert LONG.splitlines()[0] not in text or slot != "toolResult@1.2"
    assert "".join(slots)


def test_not_even_a_keep_brings_it_back(session: Session) -> None:
    session.keep("toolResult@1.2")
    _purge(session, "toolResult@1.2")
    assert "toolResult@1.2" not in next_request(session, "openai")[1]
    assert "toolResult@1.2" not in session.stage()


def test_a_purge_cannot_be_undone_and_is_stepped_over(session: Session) -> None:
    session.keep("user@1")
    kept = session._recorder.ledger.transaction
    purge = _purge(session, "toolResult@1.2")
    with pytest.raises(SessionError) as error:
        session.undo_transaction(purge)
    assert error.value.code == "undo_purged"
    assert session.undo() == (kept,)
    notices = dict(session.take_happenings().notices)
    assert f"#{purge}" in notices["undo_passed_over"]
    with pytest.raises(SessionError, match="no transaction") as error:
        session.undo()
    assert (error.value.code, f"#{purge}" in str(error.value.help)) == ("nothing_to_undo", True)


def test_an_undo_that_a_purge_blocks_says_so(session: Session) -> None:
    session.represent("toolResult@1.2", "ref")
    number = session._recorder.ledger.transaction
    purge = _purge(session, "toolResult@1.2")
    with pytest.raises(SessionError) as error:
        session.undo_transaction(number)
    assert error.value.code == "undo_blocked"
    assert error.value.help == f"#{purge} purged contents, and cannot be undone"


# Notes and previews


def test_a_note_stands_before_the_address_and_an_undo_restores_the_one_before(session: Session) -> None:
    def note(text: str, preview: int = 0) -> None:
        slot = slot_of(session, "toolResult@1.2")
        digest = session._recorder.keep_content(text).hex() if text else None
        since = -(session._recorder.last_request + 1)
        operate(session, lambda emit: emit("represented", **representing(slot, "ref", since, digest, preview)))

    note("60 lines of reading (look for read)")
    note("", 100)
    assert slot_of(session, "toolResult@1.2").shape.preview == 100
    session.undo()
    _, text = next_request(session, "openai")
    assert "60 lines of reading (look for read)\\nartifact://" in text


def test_a_note_that_would_make_it_longer_is_left_out(session: Session) -> None:
    slot, note = slot_of(session, "toolResult@1.2"), session._recorder.keep_content("as long " * 400).hex()
    since = -(session._recorder.last_request + 1)
    operate(session, lambda emit: emit("represented", **representing(slot, "ref", since, note)))
    _, text = next_request(session, "openai")
    assert "as long" not in text
    assert "artifact://" in text


# Causes


def test_what_changes_in_a_tool_loop_keeps_its_cause(session: Session) -> None:
    session.represent("toolResult@1.2", "ref")
    session.add_result("c1", "etc")
    session.request()
    session.add_reply(Reply("done"))
    assert [cause for *_, cause in session.take_happenings().breaks] == ["op"]


def test_why_names_what_happened(session: Session) -> None:
    newer = replace(session, "toolResult@1", "b.py")
    _purge(session, "toolResult@1")
    assert any("in the place of toolResult@1" in cause.text for cause in session.why(newer))
    assert any("its content was deleted" in cause.text for cause in session.why("toolResult@1"))
