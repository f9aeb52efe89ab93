"""The volatile tail: report and manifest behind a request, of no slot and of no cache (kernel.md section 5)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import governed
import pytest
from legality import check_anthropic, check_openai, check_pi

from dcc.compiler.load import load_program
from dcc.runtime.governance.tags import without_tags
from dcc.runtime.kernel.tokens import count_text
from dcc.runtime.providers.choose import choose
from dcc.runtime.session import GovernanceFlags, Reply, Session, ToolCall
from dcc.runtime.store.sqlite import SqliteStore


def tail_of(session: Session, text: str = "go on", format: Any = "openai") -> str:
    """The tail of the first request of a turn, which is not sent."""
    session.begin(text)
    request = session.request(format)
    session.fail("not sent")
    if request.tail is None:
        return ""
    content = request.tail["content"]
    return str(content if isinstance(content, str) else content[0]["text"])


def rows(tail: str) -> dict[str, str]:
    return {line.split(" ")[0]: line for line in tail.splitlines() if "@" in line.split(" ")[0]}


def test_a_ruleset_without_operations_has_no_tail() -> None:
    session = Session.create(load_program({"name": "plain", "governance": {"window": 100_000}}))
    session.begin("hello")
    request = session.request()
    assert request.tail is None
    assert request.tail_tokens == 0
    assert request.messages == request.body


@pytest.mark.parametrize("off", ["flag", "command"])
def test_governance_that_is_off_has_none(off: str) -> None:
    session = Session.create(governed.program(), flags=GovernanceFlags(on=False if off == "flag" else None))
    if off == "command":
        assert session.begin("/cpat off").output == "governance is off"
    assert tail_of(session) == ""
    session.begin("hello")
    session.request()
    session.add_reply(Reply("", calls=(ToolCall("c", "context_update", {"reason": "r", "operations": []}),)))
    served = session.serve("c")
    assert served is not None
    assert served.is_error
    assert "governance is off" in served.content
    session.abort()
    assert session.begin("/cpat on").output == "governance is on"
    assert tail_of(session) != ""


def test_the_tail_is_last_and_beside_the_request() -> None:
    session = governed.governed()
    session.begin("go on")
    for format, check in (("openai", check_openai), ("pi", check_pi)):
        request = session.request(format)  # type: ignore[arg-type]
        assert request.messages == [*request.body, request.tail]
        assert check(request.messages) == check(request.body) == []
    request = session.request("anthropic")
    assert check_anthropic(request.system, request.messages) == []
    assert len(request.messages) == len(request.body)
    assert request.messages[:-1] == request.body[:-1]
    assert request.messages[-1]["content"][:-1] == request.body[-1]["content"]
    assert request.messages[-1]["content"][-1:] == request.tail["content"] if request.tail else False
    assert request.tokens == session.tokens("anthropic")
    assert request.tail_tokens > 0


def test_asked_again_it_says_the_same() -> None:
    session = governed.governed()
    session.begin("go on")
    assert session.request().messages == session.request().messages
    assert tail_of(governed.governed()) == tail_of(governed.governed())


def test_it_lists_what_an_operation_may_name() -> None:
    session = governed.governed()
    governed.operate(session, {
        "op": "payload_offload", "ids": ["toolResult@1"], "description": "d", "content": "c", "retrieval_hint": "h",
    })  # fmt: skip
    governed.operate(session, {"op": "set_visibility", "ids": ["assistant@1"]})
    governed.operate(session, {"op": "set_visibility", "ids": ["assistant@1.2"], "visibility": "hidden"})
    tail = tail_of(session)
    found = rows(tail)
    assert "[protected]" in found["user@1"]
    offloaded = r"toolResult@1 toolResult \d+ \[offloaded artifact://[0-9a-f]{16}\]: a line that"
    assert re.search(offloaded, found["toolResult@1"])
    assert "system@0" not in found
    assert "assistant@1.2" not in found
    lines = tail.splitlines()
    at = lines.index("archived (set_visibility visibility=model brings back):")
    assert lines[at + 1].startswith("assistant@1 assistant ")
    assert all(len(line.split(": ", 1)[1]) <= 110 for line in found.values())


def test_archived_slots_stand_in_the_order_of_their_birth(tmp_path: Path) -> None:
    """Whatever the order in which they were archived, and in whatever process it is asked."""
    store = SqliteStore(tmp_path / "s.db", "s")
    session = Session.create(governed.program(), store=store)
    for n in range(12):
        governed.talk(session, f"question {n}", reply=f"answer {n}")
    for numbers in ((9, 3, 7), (2, 8, 1, 6), (5, 4)):
        governed.operate(session, {"op": "set_visibility", "ids": [f"assistant@{n}" for n in numbers]})
    governed.operate(session, {"op": "set_visibility", "ids": ["assistant@3"], "visibility": "model"})
    manifest = session.governance.manifest()
    archived = manifest.split("archived (")[1].splitlines()[1:-1]
    assert [row.split()[0] for row in archived] == [f"assistant@{n}" for n in (1, 2, 4, 5, 6, 7, 8, 9)]
    session.__exit__(None, None, None)
    again = Session.open(SqliteStore(tmp_path / "s.db", "s"), governed.program())
    assert again.governance.manifest() == manifest


def test_the_report_names_the_largest_with_what_may_be_done() -> None:
    session = governed.governed()
    document = json.loads(session.governance.report())
    assert document["max"] == 85_000
    assert document["soft_limit"] == 59_500
    assert document["band"] == "ok"
    assert document["pressure"] == round(document["used"] / 85_000, 4)
    largest = document["largest"]
    assert [row["id"] for row in largest[:2]] == ["toolResult@1.2", "toolResult@1"]
    assert len(largest) == 5
    assert "payload_offload" in largest[0]["suggested_ops"]
    assert "payload_offload" not in largest[2]["suggested_ops"]


def test_with_room_and_no_news_it_is_one_line() -> None:
    session = governed.governed()
    governed.talk(session, "so?")
    assert re.fullmatch(r"\[context: [\d,]+ of 85,000 tokens\]", tail_of(session))
    governed.operate(session, {"op": "set_visibility", "ids": ["assistant@1"]})
    assert "<context_manifest" in tail_of(session)
    governed.talk(session, "so?")
    governed.talk(session, "read", [governed.LONG])
    session.begin("read more")
    session.request()
    session.add_reply(Reply("", calls=(ToolCall("c", "read", {}),)))
    session.add_result("c", governed.LONG)
    request = session.request()
    assert request.tail is not None
    assert "toolResult@5 toolResult" in request.tail["content"]


def test_a_full_context_is_told_at_every_call() -> None:
    session = governed.governed(max_context=2_000)
    governed.talk(session, "so?")
    assert '"band": "soft"' in tail_of(session)


@pytest.mark.parametrize("max_context", [12_000, 40_000])
def test_the_manifest_has_its_share_of_the_context(max_context: int) -> None:
    session = Session.create(governed.program(), flags=GovernanceFlags(max_context=max_context))
    for n in range(120):
        governed.talk(session, f"question {n} about something that takes a line")
    for n in range(1, 60):
        governed.operate(session, {"op": "set_visibility", "ids": [f"assistant@{n}"]})
    manifest = tail_of(session).partition("<context_manifest")[2]
    room = max(200, max_context * 2 // 100)
    assert count_text(manifest) <= room + 60
    assert re.search(r"\d+ older slots, about [\d,]+ tokens", manifest)
    assert re.search(r"\d+ older slots, [\d,]+ tokens, are archived too", manifest)
    assert "user@119" in manifest
    whole = session.artifact_text("manifest", 200_000)
    assert all(f"\nuser@{n} " in whole for n in range(1, 121))


def test_a_notice_is_told_in_one_call() -> None:
    program = load_program({
        "name": "tight", "life_cycle": {"toolResult": ["born", None]},
        "governance": {"ops": "cpat", "window": 100_000, "max_context": 2_500},
    })  # fmt: skip
    session = Session.create(program)
    session.begin("read all")
    told = []
    for n in range(6):
        request = session.request()
        told.append("slots are reduced" in str(request.tail))
        session.add_reply(Reply("", calls=(ToolCall(f"c{n}", "read", {"path": f"{n}"}),)))
        session.add_result(f"c{n}", f"{n} {governed.LONG}")
    assert told == [False, False, False, False, True, False]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[block:toolResult@3.2] it says 8080", "it says 8080"),
        ("done [block:tool_017]", "done "),
        ("a\n<context_manifest base=\"3\">\nuser@1 user 3: x\n</context_manifest>\nb", "a\nb"),
        ("the tag </context_manifest> alone", "the tag  alone"),
        ("```\n[block:user@1]\n```\n[block:user@1] x", "```\n[block:user@1]\n```\nx"),
        ("~~~text\n[block:user@1]", "~~~text\n[block:user@1]"),
        ("[block: of wood] and [Block:user@1]", "[block: of wood] and [Block:user@1]"),
        ("<context_manifesto>", "<context_manifesto>"),
    ],
)  # fmt: skip
def test_tags_that_a_model_writes_are_no_part_of_its_answer(written: str, said: str) -> None:
    assert without_tags(written) == said


def test_tags_are_taken_out_at_birth() -> None:
    session = governed.governed()
    governed.talk(session, "so?", reply="[block:assistant@1] the port")
    assert session.messages()[-1]["content"] == "the port"


def test_a_provider_gets_it_behind_what_a_cache_keeps() -> None:
    choice = choose({"type": "echo"}, environ={})
    session = governed.governed()
    session.begin("go on")
    request = session.request(choice.provider.format)
    sent = choice.request(request)
    assert sent.messages == request.body
    assert sent.tail == (request.tail,)


def test_the_tools_are_those_that_are_served() -> None:
    session = governed.governed(gates=("replace",))
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in session.tools()}
    assert list(tools) == ["context_update", "artifact_get", "dc_recall"]
    operation = tools["context_update"]["properties"]["operations"]["items"]
    assert "replace" in operation["properties"]["op"]["enum"]
    assert "redact" not in operation["properties"]["op"]["enum"]
    assert operation["additionalProperties"] is False
    assert [tool["name"] for tool in session.tools("anthropic")] == list(tools)
    session.govern(False)
    assert [tool["name"] for tool in session.tools("anthropic")] == ["artifact_get", "dc_recall"]
    plain = Session.create(load_program({"name": "plain"}))
    assert [tool["name"] for tool in plain.tools("anthropic")] == ["dc_recall"]
