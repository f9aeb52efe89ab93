"""Calls and results of foreign sessions (runtime spec, section 4.4). Columns: openclaw's repair, what dcc makes of it.

The seed says nothing of it. In the sequences A(x) is a reply that calls x, A(x)- one that broke off, A one that calls
nothing, R(x) a result and U a person's message; in what comes of them R(x)! is a result that says that there is none.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from recordings import got, recording, say, turn, use

from dcc.compiler.load import load_program
from dcc.runtime.hosts.pairing import paired
from dcc.runtime.hosts.recording import Recording, Reply, Step, Turn, UserMessage
from dcc.runtime.replay.run import session_of
from dcc.runtime.session import Reply as SessionReply
from dcc.runtime.session import Session, ToolCall

EVERYTHING = load_program({
    "name": "x",
    "life_cycle": {element: ["born", None] for element in ("user", "assistant", "toolCall", "toolResult")},
})  # fmt: skip


def read(sequence: str) -> Recording:
    """A recording, begun by a message, of a sequence such as ``A(c1) U R(c1) A``."""
    turns: list[Turn] = []
    steps: list[Step] = []
    user = UserMessage("u")
    for n, word in enumerate(sequence.split()):
        id = word[2:].rstrip(")-")
        if word == "U":
            turns.append(Turn(user, tuple(steps)))
            user, steps = UserMessage(f"u{n}"), []
        elif word.startswith("R"):
            steps.append(got(id, f"result {n}"))
        else:
            reply = use(id, "read", path=id) if id else say("said")
            steps.append(replace(reply, stop_reason="aborted") if word.endswith("-") else reply)
    return recording(*turns, Turn(user, tuple(steps)))


def told(session: Session) -> str:
    """The messages of a session, as such a sequence."""
    words: list[str] = []
    for message in session.messages()[1:]:
        match message["role"]:
            case "user":
                words.append("U")
            case "assistant":
                calls = message.get("tool_calls") or ()
                words.append(f"A({calls[0]['id'].rstrip('_')})" if calls else "A")
            case "tool":
                said = str(message["content"]).startswith("result")
                words.append(f"R({message['tool_call_id'].rstrip('_')}){'' if said else '!'}")
    return " ".join(words)


VECTORS = [
    ("A(c1) R(c1) A", "A(c1) R(c1) A", "A(c1) R(c1) A", ""),
    ("A(c1) U R(c1) A", "A(c1) R(c1) U A", "A(c1) R(c1) U A", ""),
    ("A(c1) R(x) A", "A(c1) R(c1)! A", "A(c1) R(c1)! A", ""),
    ("R(c1) A(c2) R(c2) A", "A(c2) R(c2) A", "A(c2) R(c2) A", ""),
    ("A(c1) R(c1) A R(c1) A", "A(c1) R(c1) A A", "A(c1) R(c1) A A", ""),
    ("A(c1) R(c1) R(c1) A", "A(c1) R(c1) A", "A(c1) R(c1) A", ""),
    ("A(c1) U U R(c1) A", "A(c1) R(c1) U U A", "A(c1) R(c1) U U A", ""),
    ("A(c1) U A R(c1) A", "A(c1) R(c1)! U A A", "A(c1) R(c1)! U A A", ""),
    ("A(c1) U A", "A(c1) R(c1)! U A", "A(c1) R(c1)! U A", ""),
    ("A(c1)", "A(c1) R(c1)!", "A(c1) R(c1)!", ""),
    ("A(c1)- R(c1) A", "A(c1) A", "A(c1) R(c1) A",
     "what a reply that broke off asked for and got stays: a call without its result is refused"),
    ("A(c1)- A", "A(c1) A", "A(c1) R(c1)! A", "the same"),
    ("A(c1) R(c1) A(c1) R(c1) A", "A(c1) R(c1) A(c1) R(c1)! A", "A(c1) R(c1) A(c1) R(c1) A",
     "an id that is used again is another call (P10): its result is not a doubled one"),
]  # fmt: skip


@pytest.mark.parametrize(("sequence", "openclaw", "dcc", "why"), VECTORS)
def test_every_call_is_answered_once_and_beside_it(sequence: str, openclaw: str, dcc: str, why: str) -> None:
    assert _ids_aside(told(session_of(read(sequence), EVERYTHING))) == _ids_aside(dcc)
    assert (openclaw != dcc) == bool(why)


def _ids_aside(words: str) -> str:
    """Ids that stand twice get another on the wire."""
    return words.replace("c1_2", "c1").replace("c1-2", "c1")


def test_what_stands_together_is_left_as_it_is() -> None:
    whole = recording(turn("a", use("c1", "read"), got("c1", "x"), say("done")), turn("b", use("c2", "read")))
    assert paired(whole) is whole


def test_a_result_that_is_moved_is_lost_to_nobody_and_doubled_for_nobody() -> None:
    found = paired(read("A(c1) U R(c1) R(c1) A"))
    assert [len(turn.steps) for turn in found.turns] == [2, 2]


def test_of_a_reply_with_two_calls_each_gets_its_own() -> None:
    both = Reply("", "", (*use("a", "read").calls, *use("b", "read").calls), use("a", "read").usage, "toolUse")
    later = Turn(UserMessage("v"), (got("a", "result a"), say("ok")))
    whole = recording(Turn(UserMessage("u"), (both, got("b", "result b"))), later)
    session = session_of(whole, EVERYTHING)
    assert [m["content"] for m in session.messages() if m["role"] == "tool"] == ["result a", "result b"]


def test_issue_9769_where_a_call_leaves_its_result_leaves_too() -> None:
    """A large call is summarised away: the small result that answers it is no orphan in the next request."""
    compact = {"fields": ["user", "assistant"], "compressors": {"summary": {
        "prompt": "{content}", "periodic": {"keep_recent_turns": 1}}}}  # fmt: skip
    program = load_program({
        "name": "x", "life_cycle": {"toolResult": ["born", None], "assistant": ["born", None]}, "compact": compact,
    })  # fmt: skip
    session = Session.create(program)
    session.begin("first. " + "we decided on port 8080. " * 40)
    session.request()
    session.add_reply(SessionReply("word " * 4_000, calls=(ToolCall("c1", "write", {"text": "w " * 4_000}),)))
    session.add_result("c1", "ok")
    session.request()
    session.add_reply(SessionReply("done"))
    session.commit()
    session.begin("second")
    session.request()
    session.add_reply(SessionReply("ok"))
    session.commit()
    session.compact()
    assert not any(m["role"] == "tool" or m.get("tool_calls") for m in session.messages())
    assert not any("toolResult" in slot or "toolCall" in slot for slot in session.stage())
