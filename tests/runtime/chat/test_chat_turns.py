"""Chat: turns with a provider that says what it is told, and what becomes of them when it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from dcc.compiler.load import load_program
from dcc.grammar.errors import DccError
from dcc.runtime.chat.chat import MAX_CALLS, Chat
from dcc.runtime.providers.abort import Abort
from dcc.runtime.providers.choose import Choice
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.protocol import TOTAL_S, ModelReply, ModelRequest, OnText, StopReason, ignore
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.values import Format


@dataclass
class Scripted:
    """A provider that gives its replies one by one. A text may be stopped: what is before ``|`` has come."""

    script: list[str | Reply | ProviderError]
    stop: StopReason = "stop"
    seen: list[ModelRequest] = field(default_factory=list)
    name: str = "scripted"
    format: Format = "openai"

    def complete(
        self, request: ModelRequest, *, on_text: OnText = ignore, on_thinking: OnText = ignore,
        abort: Abort | None = None, timeout_s: float = TOTAL_S,
    ) -> ModelReply:  # fmt: skip
        self.seen.append(request)
        said = self.script.pop(0)
        if isinstance(said, ProviderError):
            raise said
        reply = Reply(said) if isinstance(said, str) else said
        text, bar, _ = reply.text.partition("|")
        on_text(text)
        if bar:
            return ModelReply(Reply(text), "aborted", None, "small", "")
        return ModelReply(reply, self.stop, None, "small", "")


RULES: Mapping[str, Any] = {"extends": ["standard"], "name": "small"}
OVERLOADED = ProviderError("overloaded", "too busy")


def asks(name: str = "dc_recall", arguments: str = '{"query": "hello"}') -> Reply:
    return Reply(calls=(ToolCall("c1", name, arguments),))


def chat(
    *script: str | Reply | ProviderError, rules: Mapping[str, Any] = RULES, store: MemoryStore | None = None
) -> Chat:
    store = store or MemoryStore()
    program = load_program(rules)
    session = Session.open(store, program) if store.last else Session.create(program, store=store)
    return Chat(session, Choice(Scripted(list(script)), ModelRequest("small", [])))


def seen(chat: Chat) -> list[ModelRequest]:
    provider = chat.choice.provider
    assert isinstance(provider, Scripted)
    return provider.seen


def texts(chat: Chat, call: int = -1) -> list[str]:
    return [str(message.get("content")) for message in seen(chat)[call].messages]


def elements(chat: Chat) -> Sequence[str]:
    return chat.session.stage()


def test_a_turn_is_asked_answered_and_committed() -> None:
    pieces: list[str] = []
    talk = chat("there")
    outcome = talk.say("hello /goal x remain 3", on_text=pieces.append)
    assert (outcome.kind, outcome.turn, outcome.answer, outcome.error) == ("turn", 1, "there", None)
    assert pieces == ["there"]
    assert texts(talk) == ["[goal]\nx", "hello"]
    assert not talk.session.is_open


def test_a_model_that_ends_without_a_word_is_told_of() -> None:
    talk = chat(asks(), "", "there")
    assert talk.say("hello").notices == (("answer_empty", "the model ended the turn without a word"),)
    assert talk.say("hello?").notices == ()


def test_the_tool_of_dcc_is_offered_and_served() -> None:
    talk = chat("first", asks(), "found")
    talk.say("hello there")
    outcome = talk.say("what did I say?")
    assert outcome.answer == "found"
    assert [tool.name for tool in seen(talk)[0].tools] == ["dc_recall"]
    assert "hello there" in texts(talk)[-1]


def test_the_tools_that_go_out_beside_the_talk_count_against_its_limits() -> None:
    rules = {**RULES, "governance": {"max_context": 10_000}}
    with_tools, without = chat(rules=rules), chat(rules={**rules, "chat": {"tools": "none"}})
    counted = [talk.session._planner.used() for talk in (with_tools, without)]
    assert counted[0] > counted[1] + 50


def test_a_ruleset_may_offer_no_tools() -> None:
    talk = chat("there", rules={**RULES, "chat": {"tools": "none"}})
    talk.say("hello")
    assert seen(talk)[0].tools == ()


def test_a_tool_that_is_not_there_is_answered_with_an_error() -> None:
    talk = chat(asks("rm", "{}"), "then not")
    assert talk.say("clean up").answer == "then not"
    assert texts(talk)[-1] == "there is no tool rm; this chat has dc_recall"


def test_a_model_that_never_stops_asking_is_stopped() -> None:
    talk = chat(*[asks() for _ in range(MAX_CALLS)])
    outcome = talk.say("hello")
    assert outcome.error is not None
    assert (outcome.error.code, outcome.is_open) == ("too_many_calls", True)
    assert talk.keep().turn == 1


def test_thinking_pins_and_elements_become_slots() -> None:
    rules = {**RULES, "answer": {"parser": "tagged", "outputs": {"card": {"role": "assistant"}}}}
    talk = chat("<think>t</think>ok<pin>one</pin><card>c</card><pin>two</pin>", "fine", rules=rules)
    outcome = talk.say("hello")
    assert outcome.answer == "ok"
    assert [message for code, message in outcome.notices if code == "pinned_by_model"] == [
        "the model pinned: one", "the model pinned: two"
    ]  # fmt: skip
    assert elements(talk) == (
        "user@1", "think@1", "assistant@1", "card@1", "pin_model_p01@1", "pin_model_p02@1"
    )  # fmt: skip
    talk.say("/pin three")
    talk.say("next")
    assert texts(talk) == [
        "hello", "ok", "[card]\nc", "[pin_model_p01]\none", "[pin_model_p02]\ntwo", "[pin_user_p03]\nthree", "next"
    ]  # fmt: skip


def test_pins_stand_behind_the_results_of_their_call() -> None:
    talk = chat(Reply("<pin>one</pin>", calls=asks().calls), "done")
    talk.say("hello")
    assert elements(talk) == ("user@1", "toolCall@1", "toolResult@1", "pin_model_p01@1", "assistant@1")


def test_py_pin_03_pins_of_the_model() -> None:
    rules = {"life_cycle": {"think": ["born", "born"]}, "roles": "python", "context": {"roles": {"think": "assistant"}}}
    talk = chat("<think>t</think><pin>fact one</pin>ok<pin>fact two</pin>", "fine", rules=rules)
    talk.say("hello")
    talk.say("next")
    assert texts(talk) == ["hello", "ok", "[pin_model_p01]\nfact one", "[pin_model_p02]\nfact two", "next"]
    assert talk.session.ranges()["pin_model_p02@1"] == [[1, None]]


def test_instructions_of_outputs_stand_at_turn_0() -> None:
    rules = {**RULES, "answer": {"outputs": {"card": {"instruction": "End with <card>.</card>"}}}}
    talk = chat("ok", rules=rules)
    talk.say("hello")
    assert texts(talk)[0] == "[card_instruction]\nEnd with <card>.</card>"


def test_a_wrong_parser_is_told_at_once() -> None:
    with pytest.raises(DccError, match=r"answer\.parser"):
        chat(rules={**RULES, "answer": {"parser": "xml"}})


def test_a_first_call_that_fails_takes_the_turn_back() -> None:
    talk = chat(OVERLOADED, "there")
    before = talk.session.state_hash()
    outcome = talk.say("hello /goal x remain 3")
    assert (outcome.turn, outcome.error, outcome.is_open) == (None, OVERLOADED, False)
    assert talk.session.turn == 0
    assert [patch.element for patch in talk.session.queue()] == ["goal"], "the patch stays due"
    assert talk.session.state_hash() != before
    assert talk.say("hello").turn == 1
    assert texts(talk) == ["[goal]\nx", "hello"]


def test_a_later_call_that_fails_leaves_the_turn_open() -> None:
    talk = chat(asks(), OVERLOADED, "there")
    outcome = talk.say("hello")
    assert (outcome.turn, outcome.error, outcome.is_open) == (1, OVERLOADED, True)
    assert talk.resume().answer == "there"
    assert elements(talk) == ("user@1", "toolCall@1", "toolResult@1", "assistant@1")


def test_what_has_come_of_a_stopped_answer_is_a_whole_turn() -> None:
    talk = chat("one two |three", "there")
    outcome = talk.say("count")
    assert (outcome.turn, outcome.stopped, outcome.answer) == (1, True, "one two")
    talk.say("go on")
    assert texts(talk) == ["count", "one two", "go on"]


def test_stopped_before_an_answer_nothing_is_kept() -> None:
    talk = chat("|", "there")
    outcome = talk.say("count")
    assert (outcome.turn, outcome.stopped, outcome.error) == (None, True, None)
    assert talk.session.turn == 0


def test_stopped_after_its_tools_the_turn_ends_with_them() -> None:
    talk = chat(asks(), "|")
    assert talk.say("count").turn == 1
    assert not talk.session.is_open
    assert elements(talk) == ("user@1", "toolCall@1", "toolResult@1")


@pytest.mark.parametrize(("stop", "code"), [("length", "answer_cut"), ("refused", "answer_refused")])
def test_an_answer_that_ends_early_is_told(stop: StopReason, code: str) -> None:
    talk = chat("half of")
    provider = talk.choice.provider
    assert isinstance(provider, Scripted)
    provider.stop = stop
    assert code in dict(talk.say("hello").notices)


def test_a_required_element_that_no_answer_brings_is_asked_for_before_the_call() -> None:
    """py-config-18, py-fail-02: the turn is not committed, and nothing of it stays behind."""
    talk = chat("there", "there", rules={**RULES, "context": {"required_elements": ["user", "assistant", "goal"]}})
    before = talk.session.state_hash()
    outcome = talk.say("hello")
    assert outcome.error is not None
    assert (outcome.error.code, outcome.turn) == ("missing_required_element", None)
    assert seen(talk) == []
    assert talk.session.state_hash() == before
    assert talk.say("hello /goal x remain none").turn == 1


def test_a_required_element_that_an_answer_owes_is_asked_for_after_it() -> None:
    rules = {**RULES, "answer": {"parser": "tagged", "outputs": {"card": {"role": "assistant"}}},
             "context": {"required_elements": ["card"]}}  # fmt: skip
    talk = chat("no card", "<card>c</card>", rules=rules)
    error = talk.say("hello").error
    assert error is not None
    assert error.code == "missing_required_element"
    assert talk.say("hello").turn == 1


def test_py_stuck_01_an_ending_without_a_compact_section_holds_nothing_up() -> None:
    rules = {"context": {"patch_end": {"template": "END {element}: {content}"}}}
    talk = chat("a", "b", "c", rules=rules)
    talk.say("one /goal x remain 1")
    assert [talk.say(text).turn for text in ("two", "three")] == [2, 3]


class Crashed:
    """A chat whose process died when its turn had come so far; and the one that follows it."""

    def __init__(self, *script: str) -> None:
        self.store = MemoryStore()
        self.first = chat(store=self.store)
        self.script = script

    def next(self) -> Chat:
        return chat(*self.script, store=self.store)


def test_resume_commits_a_turn_that_had_its_answer() -> None:
    crashed = Crashed()
    session = crashed.first.session
    session.begin("hello")
    session.request()
    session.add_reply(Reply("there"))
    talk = crashed.next()
    assert talk.outlook().answered
    assert talk.resume().turn == 1
    assert elements(talk) == ("user@1", "assistant@1")


def test_resume_runs_what_had_not_started_and_asks_again() -> None:
    crashed = Crashed("found")
    session = crashed.first.session
    session.begin("hello")
    session.request()
    session.add_reply(Reply(calls=(*asks().calls, ToolCall("c2", "rm", "{}"))))
    session.start_tool("c2")
    talk = crashed.next()
    assert talk.resume().answer == "found"
    assert any("interrupted" in text for text in texts(talk))


@pytest.mark.parametrize(
    ("decision", "next_request"),
    [("keep", ["user@1", "toolCall@1", "toolResult@1", "user@2"]), ("drop", ["goal@1", "user@2"])],
)
def test_keep_and_drop(decision: str, next_request: list[str]) -> None:
    crashed = Crashed("there")
    session = crashed.first.session
    session.begin("hello" if decision == "keep" else "hello /goal x remain 2")
    session.request()
    session.add_reply(asks())
    talk = crashed.next()
    assert (talk.keep() if decision == "keep" else talk.drop()).turn == 1
    assert not talk.session.is_open
    talk.say("next")
    ordinal = talk.session.ordinal
    assert [visible.slot for visible in talk.session.projection(ordinal)] == next_request


def test_there_is_nothing_to_decide_about_between_turns() -> None:
    talk = chat()
    assert {outcome.kind for outcome in (talk.resume(), talk.keep(), talk.drop())} == {"nothing"}


def test_py_resume_01_a_roll_goes_on_after_a_restart() -> None:
    store = MemoryStore()
    talk = chat("a1", "a2", store=store)
    talk.say("a /goal x roll 4")
    talk.say("b")
    again = chat("a3", store=store)
    again.say("c")
    ranges = again.session.ranges()
    assert [ranges[f"goal@{turn}"] for turn in (1, 2, 3)] == [[[1, 1]], [[2, 2]], [[3, 3]]]
    (patch,) = again.session.queue()
    assert (patch.element, patch.mode, patch.at, patch.turns) == ("goal", "roll", 1, 4)


def test_py_resume_02_and_03_a_restart_changes_no_slot() -> None:
    store = MemoryStore()
    talk = chat("a1", "a2", store=store)
    talk.say("a /goal x remain 5")
    talk.say("/dc-end goal")
    talk.say("b")
    before = talk.session.ranges(), talk.session.state_hash()
    again = chat(store=store)
    assert (again.session.ranges(), again.session.state_hash()) == before


def test_py_resume_04_a_pin_cancelled_in_its_own_turn_stays_so() -> None:
    store = MemoryStore()
    talk = chat("a1", store=store)
    for text in ("a", "/pin x", "/cancelpin p01"):
        talk.say(text)
    for session in (talk.session, chat(store=store).session):
        assert "pin_user_p01@1" not in session.stage()


def test_tags_are_not_shown_while_an_answer_comes() -> None:
    text: list[str] = []
    thinking: list[str] = []
    talk = chat("<think>hm</think>so it is <pin>b</pin>", rules=RULES)
    outcome = talk.say("a", on_text=text.append, on_thinking=thinking.append)
    assert ("".join(text), "".join(thinking), outcome.answer) == ("so it is ", "hm", "so it is")


def test_a_command_leaves_an_open_turn_open() -> None:
    talk = chat(asks(), OVERLOADED, "here")
    talk.say("a")
    for line, kind in (("/dc-status", "command"), ("/dc-recall a", "command"), ("/goal x remain 2", "bare")):
        assert not talk.begins_turn(line)
        assert (talk.say(line).kind, talk.session.is_open) == (kind, True)
    assert talk.begins_turn("b")
    assert (talk.resume().answer, talk.session.turn) == ("here", 1)
