"""echo: what it answers, and what a script makes it do."""

from __future__ import annotations

import pytest

from dcc.compiler.load import load_program
from dcc.runtime.providers.abort import Abort
from dcc.runtime.providers.choose import choose
from dcc.runtime.providers.echo import EchoProvider
from dcc.runtime.providers.protocol import ModelReply, ModelRequest
from dcc.runtime.session import Session
from dcc.runtime.values import ToolCall

SCRIPT = """look it up
echo: think two files
echo: call read {"path": "a.py"}
echo: and read {"path": "b.py"}
echo: call list
echo: say found it
echo: say at last"""


def turn(session: Session, text: str) -> list[ModelReply]:
    """One turn with echo; every tool says ``done``."""
    choice = choose(None, environ={})
    session.begin(text)
    replies: list[ModelReply] = []
    while not replies or replies[-1].reply.calls:
        replies.append(choice.provider.complete(choice.request(session.request("openai"))))
        session.add_reply(replies[-1].reply)
        for call in replies[-1].reply.calls:
            session.add_result(call.id, "done")
    session.commit()
    return replies


def texts(replies: list[ModelReply]) -> list[str]:
    return [reply.reply.text for reply in replies]


def test_it_answers_what_was_typed_last() -> None:
    with Session.create(load_program("standard")) as session:
        assert texts(turn(session, "hello")) == ["hello"]
        assert texts(turn(session, "again /goal 翻译 remain 3")) == ["again"]
        assert texts(turn(session, "two\nlines")) == ["two\nlines"]
        assert texts(turn(session, one := "a\rb\vc\fd\x1ce\x85f\u2028g")) == [one], "only a line feed ends a line"
        assert texts(turn(session, "echo: say done\r\nmore")) == ["done"]


def test_a_script_calls_tools() -> None:
    with Session.create(load_program("standard")) as session:
        first, second, last = turn(session, SCRIPT)
        assert texts(turn(session, "and now?")) == ["and now?"]
    assert first.reply.thinking == "two files"
    assert first.reply.calls == (
        ToolCall("echo_1_1", "read", '{"path": "a.py"}'), ToolCall("echo_1_2", "read", '{"path": "b.py"}'),
    )  # fmt: skip
    assert second.reply.calls == (ToolCall("echo_2_1", "list", "{}"),)
    assert (last.reply.text, last.reply.thinking, last.reply.calls) == ("found it\nat last", "", ())
    assert [reply.stop_reason for reply in (first, second, last)] == ["tool_calls", "tool_calls", "stop"]


def test_without_say_the_rest_of_the_text_is_answered() -> None:
    with Session.create(load_program("standard")) as session:
        assert texts(turn(session, "look\necho: call list {}\nit up")) == ["", "look\nit up"]


def test_it_is_deterministic_and_counts_by_the_one_counter() -> None:
    request = ModelRequest("echo", [{"role": "user", "content": [{"type": "text", "text": "hello there"}]}])
    reply = EchoProvider().complete(request)
    assert EchoProvider().complete(request) == reply
    assert reply.usage is not None
    assert reply.usage.input > reply.usage.output > 0


@pytest.mark.parametrize("text", ["", "  ", "a  b\n\nc ", "你好 世界"])
def test_what_it_says_comes_in_pieces(text: str) -> None:
    said: list[str] = []
    reply = EchoProvider().complete(ModelRequest("echo", [{"role": "user", "content": text}]), on_text=said.append)
    assert "".join(said) == reply.reply.text == text.strip()


def test_an_empty_request_gets_an_empty_answer() -> None:
    assert EchoProvider().complete(ModelRequest("echo", [])).reply.text == ""


def test_an_abort_stops_it_between_two_pieces() -> None:
    abort = Abort()
    request = ModelRequest("echo", [{"role": "user", "content": "one two\necho: call list"}])
    again = ModelRequest("echo", [*request.messages, {"role": "assistant", "content": None}])
    reply = EchoProvider().complete(again, on_text=lambda piece: abort.set(), abort=abort)
    assert (reply.stop_reason, reply.reply.text) == ("aborted", "one ")
    assert EchoProvider().complete(request, abort=abort).reply.calls == ()
