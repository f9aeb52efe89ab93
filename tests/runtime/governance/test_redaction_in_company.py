"""A redaction beside other operations of its transaction: nothing of it holds the value, and nothing else is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import governed
import pytest

from dcc.runtime.kernel.tokens import count_tokens
from dcc.runtime.session import Format, Reply, Session, ToolCall

FORMATS: tuple[Format, ...] = ("openai", "anthropic", "pi")
REDACT = {"op": "redact", "ids": ["toolResult@1.2"], "drop": ["token"]}
SAYING = f"the token is {governed.SECRET}"
WRITING: tuple[dict[str, Any], ...] = (
    {
        "op": "compact", "ids": ["assistant@1", "toolCall@1", "toolResult@1"], "description": "d", "content": SAYING,
        "preserve": ["token"],
    },
    {"op": "payload_offload", "ids": ["toolResult@1"], "description": "d", "content": SAYING, "retrieval_hint": "h"},
    {"op": "replace", "ids": ["assistant@2"], "description": "d", "content": SAYING},
)  # fmt: skip


@pytest.mark.parametrize("redacts_first", [True, False])
@pytest.mark.parametrize("writing", WRITING, ids=lambda operation: operation["op"])
def test_an_operation_that_writes_the_value_again_is_named_and_nothing_is_done(
    writing: dict[str, Any], redacts_first: bool
) -> None:
    session = governed.governed()
    before = session.state_hash()
    outcome = governed.operate(session, *((REDACT, writing) if redacts_first else (writing, REDACT)))
    assert [r.rule for r in outcome.rejections] == ["redact_elsewhere"]
    assert f"operation {1 if redacts_first else 0} writes" in outcome.rejections[0].message
    assert session.state_hash() == before


def test_the_value_of_one_result_may_not_stay_in_another_that_is_redacted_with_it() -> None:
    session = _with({"token": "s3cr3t-1", "x": 1}, {"token": "other-99", "note": "not s3cr3t-1"})
    redact = {"op": "redact", "ids": ["toolResult@1", "toolResult@1.2"], "drop": ["token"]}
    outcome = governed.operate(session, redact)
    assert [r.rule for r in outcome.rejections] == ["redact_elsewhere"]
    assert "what stays of toolResult@1.2" in outcome.rejections[0].message
    assert governed.operate(session, {**redact, "drop": ["token", "note"]}).ok
    assert session._recorder.store.holding("s3cr3t-1") == []


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_written_with_the_bytes_of_the_redacted_result_is_full_and_counted(format: Format) -> None:
    """Where what goes is no value to look for (null), the same bytes may be written elsewhere (P10)."""
    session = _with({"t": None, "x": 1}, {"y": 2, "log": governed.LONG})
    text = json.dumps({"t": None, "x": 1})
    outcome = governed.operate(
        session, {"op": "redact", "ids": ["toolResult@1"], "drop": ["t"]},
        {"op": "replace", "ids": ["toolResult@1.2"], "description": "d", "content": text},
    )  # fmt: skip
    assert outcome.ok, outcome.rejections
    _, born = outcome.created
    for one in (session, Session.open(session._recorder.store, governed.program())):
        one.begin("and?")
        request = one.request(format)
        shown = {v.slot: v for v in request.visible}
        assert (shown[born].how, shown[born].tokens) == ("full", count_tokens(text))
        assert request.tokens == sum(v.tokens for v in request.visible)
        assert "[purged]" not in str(request.messages)
        one.fail("not sent")


def test_no_argument_of_a_call_that_goes_with_it_is_kept(tmp_path: Path) -> None:
    """A call that is reduced leaves its long arguments as artifacts; one that holds the value leaves none."""
    own = tmp_path / "own.ops"
    own.write_text('op shorten { "Shorten." ids: slots "which" effect represent ref }')
    session = Session.create(governed.program(ops=["cpat", str(own)]))
    governed.talk(session, "Find it.", [json.dumps({"token": governed.SECRET, "x": 1})], "I see.")
    session.begin("Write it.")
    session.request()
    session.add_reply(Reply("", calls=(ToolCall("w", "write", {"text": f"{governed.SECRET} {governed.LONG}"}),)))
    session.add_result("w", "written")
    session.request()
    session.add_reply(Reply("done"))
    session.commit()
    outcome = governed.operate(
        session, {"op": "shorten", "ids": ["toolCall@2"]}, {"op": "redact", "ids": ["toolResult@1"], "drop": ["token"]}
    )
    assert outcome.ok, outcome.rejections
    assert set(outcome.purged) == {"toolResult@1", "toolCall@2"}
    assert session._recorder.store.holding(governed.SECRET) == []
    assert Session.open(session._recorder.store, session.program).state_hash() == session.state_hash()


def test_a_redacted_slot_is_not_read_though_another_has_its_bytes() -> None:
    session = governed.governed()
    assert governed.operate(session, REDACT).ok
    governed.talk(session, "Once more.", [governed.OBJECT])
    newer = session._recorder.ledger.by_element["toolResult"][-1]
    told = session.governance.artifact("toolResult@1.2")
    assert (told[1], governed.SECRET in told[0], "was deleted by a redaction" in told[0]) == (True, False, True)
    text, is_error = session.governance.artifact(newer)[:2]
    assert (governed.SECRET in text, is_error) == (True, False)


def _with(*results: object) -> Session:
    session = Session.create(governed.program(), system="You are brief.")
    governed.talk(session, "Find it.", [json.dumps(result) for result in results], "I see.")
    governed.talk(session, "Thanks.")
    return session
