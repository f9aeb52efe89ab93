"""Of a result that leaves while its call stays there is a stub: it counts wherever a request to come is measured."""

from __future__ import annotations

import json

from dcc.compiler.load import load_program
from dcc.runtime.session import Reply, Session, ToolCall

RESULT = "the port of the database is 8080 and its host is db.local"


class Saying:
    """A compressor that says the same of everything."""

    def __init__(self, text: str) -> None:
        self._text = text

    def summarise(self, transcript: str, prompt: str) -> str:
        return self._text


def looked_up(session: Session) -> None:
    session.begin("Look it up.")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "read", {"path": "a.txt"}),)))
    session.add_result("c1", RESULT)
    session.request()
    session.add_reply(Reply("Done."))
    session.commit()


def test_the_size_without_results_that_leave_has_their_stubs() -> None:
    session = Session.create(load_program({"name": "brief", "life_cycle": {"toolResult": ["born", "born"]}}))
    looked_up(session)
    gone = set(session._recorder.stage.leaving(session.turn + 1))
    assert gone == {"toolResult@1"}
    size, freed, before = session._requests.bytes_without(gone), session._requests.tokens_freed(gone), session.tokens()
    session.begin("next")
    *messages, _ = session.request("openai").messages
    session.fail("only looking")
    assert size == len(json.dumps(messages, ensure_ascii=False, separators=(",", ":")).encode())
    session.begin("next")
    assert freed == before - (session.request("openai").tokens - session.request("openai").visible[-1].tokens)


def test_a_summary_that_is_longer_than_what_leaves_without_its_stub_is_no_gain() -> None:
    program = load_program({
        "name": "results", "life_cycle": {"toolResult": ["born", None]},
        "compact": {
            "fields": ["toolResult"],
            "compressors": {"summary": {"prompt": "{content}", "periodic": {"keep_recent_turns": 1}}},
        },
    })  # fmt: skip
    session = Session.create(program, compressor=Saying("the database: db.local at 8080"))
    looked_up(session)
    session.begin("And?")
    session.request()
    session.add_reply(Reply("That was all."))
    session.commit()
    before = session.tokens()
    session.compact()
    assert session.tokens() == before
    assert [code for code, _ in session.take_happenings().notices] == ["compaction_no_gain"]
