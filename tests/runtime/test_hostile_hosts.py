"""Whatever a host hands to a session is taken whole, or refused with nothing changed."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import legality
import pytest

from dcc.compiler.load import load_program
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.kernel.content import Text
from dcc.runtime.session import Reply, Session, SessionError, ToolCall
from dcc.runtime.store.memory import MemoryStore

PROGRAM = load_program("standard")
CODING = load_program("coding")
NONE: Any = None


def open_call(*calls: ToolCall) -> Session:
    """A session whose first call waits for its results."""
    session = Session.create(PROGRAM, clock=ManualClock())
    session.begin("go")
    session.request()
    session.add_reply(Reply("on it", calls=calls or (ToolCall("c1", "ls", {}),)))
    return session


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param({"text": None}, "bad_content", id="no text"),
        pytest.param({"thinking": 5}, "bad_content", id="thinking that is a number"),
        pytest.param({"calls": (ToolCall("c", "ls", {"a": {1}}),)}, "bad_call", id="a set among arguments"),
        pytest.param({"calls": (ToolCall("c", "ls", b"{}"),)}, "bad_call", id="arguments as bytes"),
        pytest.param({"calls": (ToolCall(NONE, "ls", {}),)}, "bad_content", id="a call without an id"),
        pytest.param({"calls": (ToolCall("c", NONE, {}),)}, "bad_content", id="a call of no tool"),
        pytest.param({"calls": ({"id": "c", "name": "ls"},)}, "bad_call", id="a call as a mapping"),
    ],
)
def test_a_reply_that_cannot_be_kept_is_refused_whole(reply: dict[str, Any], code: str) -> None:
    session = Session.create(PROGRAM, clock=ManualClock())
    session.begin("go")
    before = session.request().messages
    with pytest.raises(SessionError) as refused:
        session.add_reply(Reply(**{"text": "hi", **reply}))
    assert refused.value.code == code
    assert refused.value.help
    assert session.request().messages == before


@pytest.mark.parametrize("program", [PROGRAM, CODING], ids=["no operations", "operations"])
@pytest.mark.parametrize("reply", ["hello", {"text": "hello"}, None])
def test_what_is_no_reply_is_refused(program: Any, reply: Any) -> None:
    session = Session.create(program, clock=ManualClock())
    session.begin("go")
    session.request()
    with pytest.raises(SessionError, match="expected Reply") as refused:
        session.add_reply(reply)
    assert refused.value.code == "bad_reply"
    session.add_reply(Reply("well then"))
    session.commit()
    assert "assistant@1" in session.stage()


@pytest.mark.parametrize("content", [None, 5, b"bytes", ["text"], {"text": "a"}])
def test_a_result_that_is_no_content_is_refused_and_can_be_given_again(content: Any) -> None:
    session = open_call()
    with pytest.raises(SessionError) as refused:
        session.add_result("c1", content)
    assert refused.value.code == "bad_content"
    assert session.add_result("c1", "there") == "toolResult@1"


def test_a_list_of_parts_is_taken_for_a_tuple() -> None:
    parts: Any = [Text("a"), Text("b")]
    session = open_call()
    session.add_result("c1", parts)
    assert session.request("anthropic").messages[-1]["content"][0]["content"] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]


@pytest.mark.parametrize("message", ["", " \n", None, "/dc-end", "/pin a\nb"])
def test_a_refused_message_leaves_the_open_turn_alone(message: Any) -> None:
    session = open_call()
    with suppress(SessionError):
        assert session.begin(message).error is not None
    assert session.is_open
    session.add_result("c1", "there")
    session.request()
    session.add_reply(Reply("done"))
    session.commit()


def test_labels_that_are_no_json_begin_no_turn() -> None:
    session = Session.create(PROGRAM, clock=ManualClock())
    with pytest.raises(SessionError) as refused:
        session.begin("go", labels={"type": {1}})
    assert refused.value.code == "bad_labels"
    assert not session.is_open


@pytest.mark.parametrize("element", ["", "a b", "a/b", "a@1", "-a"])
def test_an_entry_needs_a_name_that_ids_can_be_made_of(element: str) -> None:
    session = Session.create(PROGRAM, clock=ManualClock())
    with pytest.raises(SessionError) as refused:
        session.add_entry(element, "text")
    assert refused.value.code == "bad_element"


@pytest.mark.parametrize("message", ["", " \n", (), (Text(" "), Text("\n"))])
@pytest.mark.parametrize("way", [{"typed": False}, {"verbatim": True}, {}])
def test_a_message_that_says_nothing_begins_no_turn(message: Any, way: dict[str, Any]) -> None:
    session = open_call()
    with pytest.raises(SessionError) as refused:
        session.begin(message, **way)
    assert refused.value.code == "empty_message"
    assert session.is_open


ODD: dict[str, tuple[Any, str]] = {
    "a representation that there is not": (lambda s: s.represent("assistant@1", "half"), "bad_representation"),
    "a format that there is not": (lambda s: s.request("gemini"), "bad_format"),
    "messages of such a format": (lambda s: s.messages("gemini"), "bad_format"),
    "tokens of such a format": (lambda s: s.tokens("gemini"), "bad_format"),
    "no transactions": (lambda s: s.undo(0), "bad_number"),
    "a number of transactions as text": (lambda s: s.undo("1"), "bad_number"),
    "a reason to compact that there is not": (lambda s: s.on_host_compaction("later"), "bad_reason"),
    "system texts that are none": (lambda s: s.use_system(["You are brief.", 5]), "bad_content"),
    "a name that ids cannot be made of": (lambda s: s.patch_rule("a b", "born", None, "add_row"), "bad_element"),
}


@pytest.mark.parametrize(("act", "code"), ODD.values(), ids=ODD)
def test_what_cannot_be_done_is_refused_with_its_mend_and_changes_nothing(act: Any, code: str) -> None:
    session = open_call()
    session.add_result("c1", "a")
    session.keep("toolResult@1")
    before, messages = session.state_hash(), session.messages()
    with pytest.raises(SessionError) as refused:
        act(session)
    assert refused.value.code == code
    assert refused.value.help
    assert (session.state_hash(), session.messages()) == (before, messages)
    assert session.request().messages == messages


def test_torn_text_reaches_refinements_too() -> None:
    """A lone surrogate in what a pattern is searched in (a file name that is not UTF-8) is no reason to fail."""
    rules = {"life_cycle": {"odd": {"of": "toolResult", "match": {"tool": "/^r/"}, "end": "born+1"}}}
    session = Session.create(load_program(rules), clock=ManualClock())
    session.begin("go")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "r\ud800", {}),)))
    session.add_result("c1", "there")
    assert not legality.check_openai(session.request().messages)


def test_a_step_that_breaks_half_way_is_never_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt (Ctrl-C) in the middle of a transaction leaves what was acknowledged, whole."""
    store = MemoryStore()
    session = Session.create(PROGRAM, store=store, clock=ManualClock())
    session.begin("go")
    session.request()
    session.add_reply(Reply("a", calls=(ToolCall("c1", "ls", {}), ToolCall("c2", "ls", {}))))
    session.add_result("c1", "there")
    acknowledged = session.state_hash()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(session._recorder, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.add_result("c2", "there")
    monkeypatch.undo()
    for act in (lambda: session.add_result("c2", "x"), session.request, session.commit, session.abort):
        with pytest.raises(SessionError) as refused:
            act()
        assert refused.value.code in ("session_stale", "unknown_call")
    with session:
        pass
    again = Session.open(store, PROGRAM, clock=ManualClock())
    assert again.state_hash() == acknowledged
    assert [call.id for call in again.resume().pending] == ["c2"]


def test_an_interrupt_while_a_turn_opens_leaves_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    store = MemoryStore()
    session = Session.create(PROGRAM, store=store, clock=ManualClock())
    before = session.state_hash()
    monkeypatch.setattr(session._opening._recall, "surface", interrupted)
    with session, pytest.raises(KeyboardInterrupt):
        session.begin("go")
    again = Session.open(store, PROGRAM, clock=ManualClock())
    assert (again.state_hash(), again.turn, again.is_open) == (before, 0, False)


@pytest.mark.slow
def test_ten_thousand_calls_in_one_reply() -> None:
    calls = tuple(ToolCall("same", "read", {"path": f"f{n}"}) for n in range(10_000))
    session = Session.create(CODING, clock=ManualClock())
    session.begin("go")
    session.request()
    session.add_reply(Reply(calls=calls))
    for _ in calls:
        session.add_result("same", "text")
    request = session.request()
    assert not legality.check_openai(request.messages)
    assert sum(message["role"] == "tool" for message in request.messages) == len(calls)


class TestBeginning:
    """A name in place of what it names: the first slip that a host makes."""

    @pytest.mark.parametrize(
        ("program", "given", "code"),
        [
            ("standard", {}, "bad_program"),
            (PROGRAM, {"store": "sessions.db"}, "bad_store"),
            (PROGRAM, {"flags": {"window": 1000}}, "bad_flags"),
        ],
    )
    def test_a_session_is_not_created(self, program: Any, given: dict[str, Any], code: str) -> None:
        with pytest.raises(SessionError) as refused:
            Session.create(program, **given)
        assert refused.value.code == code
        assert refused.value.help

    @pytest.mark.parametrize(
        ("store", "program", "code"),
        [("sessions.db", PROGRAM, "bad_store"), (MemoryStore(), "standard", "bad_program")],
    )
    def test_a_session_is_not_opened(self, store: Any, program: Any, code: str) -> None:
        with pytest.raises(SessionError) as refused:
            Session.open(store, program)
        assert refused.value.code == code


def test_a_tool_that_is_started_twice_is_told_so() -> None:
    session = open_call()
    session.start_tool("c1")
    with pytest.raises(SessionError, match="'c1' has started already") as refused:
        session.start_tool("c1")
    assert refused.value.help == "add its result"


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda s: s.pin(5), id="pin"),
        pytest.param(lambda s: s.recall(None), id="recall"),
        pytest.param(lambda s: s.queue_patch("goal", 5, "remain", 1), id="patch"),
    ],
)
def test_what_is_no_text_is_refused(ask: Any) -> None:
    with pytest.raises(SessionError, match="expected text") as refused:
        ask(open_call())
    assert refused.value.code == "bad_content"


def test_tools_are_given_in_known_formats() -> None:
    unknown: Any = "gemini"
    with pytest.raises(SessionError, match="'gemini' is no format"):
        open_call().tools(unknown)
