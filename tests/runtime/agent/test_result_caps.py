"""What a result may be, and what becomes of one that is more (conformance/result_caps.yaml)."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import yaml
from agents import giving, looks_up, rules, run
from huge_results import lines
from loopback.behaviour import Says
from loopback.server import Loopback
from pictures import picture

from dcc.compiler.load import load_program
from dcc.runtime.agent import truncation_plan
from dcc.runtime.agent.tools.tool import AgentTool, ToolContext, ToolOutput
from dcc.runtime.agent.truncation_plan import Result, is_oversized, plan_truncation, room_of
from dcc.runtime.governance.cutting import Room, Short, shortened
from dcc.runtime.kernel.content import Content, Text, content_hash, decode, text_of
from dcc.runtime.kernel.representation import stand_in
from dcc.runtime.kernel.tokens import count_tokens
from dcc.runtime.session import GovernanceFlags, Reply, Session, ToolCall

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[2] / "conformance" / "result_caps.yaml").read_text("utf-8")
)
PROGRAM = load_program({"name": "x", "life_cycle": {"toolResult": ["born", None]}})
WINDOW = 128_000


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=str)


SHOWN = [case[part] for case in CASES["shown"] for part in ("head", "tail")]
ROWS = [row for name in ("caps", "numbers", "oversized", "kept", "guard") for row in CASES[name]] + SHOWN


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_says_why_where_its_columns_differ(row: dict[str, Any]) -> None:
    assert bool(row.get("why")) == (row["openclaw"] != row["dcc"])


@cases("caps")
def test_the_most_that_one_result_may_have_after_a_refusal(case: dict[str, Any]) -> None:
    assert room_of(case["window"]) == Room(case["tokens"], case["dcc"])
    assert case["today"] <= case["dcc"]


@cases("numbers")
def test_numbers(case: dict[str, Any]) -> None:
    assert attrgetter(case["name"])(truncation_plan) == case["dcc"]


def written(case: dict[str, Any]) -> Content:
    """A content as a row describes it."""
    unit = "上下文太长了" if case.get("script") == "chinese" else "x word "
    text = (unit * (case["text"] // len(unit) + 1))[: case["text"]]
    if not case["blocks"]:
        return text
    size = -(-len(text) // case["blocks"])
    blocks = [Text(text[n * size : (n + 1) * size]) for n in range(case["blocks"])]
    return (*blocks, *(picture(n) for n in range(case.get("images", 0))))


@cases("oversized")
def test_which_result_is_too_large_by_itself(case: dict[str, Any]) -> None:
    content = written(case)
    result = Result("r", len(text_of(content)), count_tokens(content))
    assert is_oversized(result, room_of(WINDOW)) is case["dcc"]


@cases("cuts")
def test_what_is_cut_fits_with_all_that_is_said_of_it(case: dict[str, Any]) -> None:
    assert bool(case.get("why")) == (case["openclaw"] > case["most"])
    content: Content
    if "blocks" in case:
        content = tuple(Text("x" * length) for length in case["blocks"])
    else:
        text = "x" * case["x"]
        at = case.get("newline")
        content = text if at is None else f"{text[:at]}\n{text[at + 1 :]}"
    length = len(text_of(content))
    if length <= case["most"]:
        return
    short = shortened(content, content_hash(content), Room(10**9, case["most"]))
    assert short is not None
    made = stand_in(content, "ref", content_hash(content), preview=short.preview)
    assert made is not None
    assert len(made) == short.characters <= min(case["most"], length)
    assert "characters left out: artifact_get reads them" in made


@cases("shown")
def test_what_is_seen_of_a_log_that_is_cut(case: dict[str, Any]) -> None:
    log = "first line of all\n" + lines(100_000) + case["end"]
    short = shortened(log, content_hash(log), room_of(8_000))
    assert short is not None
    made = stand_in(log, "ref", content_hash(log), preview=short.preview)
    assert made is not None
    assert ("first line of all" in made) is case["head"]["dcc"]
    assert made.endswith(case["end"]) is case["tail"]["dcc"]


@pytest.mark.parametrize(("used", "cut"), [(96_000, 0), (96_001, 1), (128_000, 4)])
def test_all_that_is_on_stage_has_three_quarters_of_the_window_after_a_refusal(used: int, cut: int) -> None:
    """Results of 12,000 tokens, each of which is fine by itself; the oldest are cut until it is enough.

    openclaw has the same share (3.3), and guesses it: four characters a token, and each of a result counted twice.
    """
    results = [Result(f"r{n}", 48_000, 12_000) for n in range(8)]
    cuts = plan_truncation(results, used, WINDOW, lambda slot, room: Short(0, 0, room.tokens, room.characters))
    assert [cut.slot for cut in cuts] == [f"r{n}" for n in range(cut)]


def answered(session: Session, *results: Content) -> list[str]:
    """One call with these results; the slots that hold them."""
    session.request()
    calls = tuple(ToolCall(f"c{session._recorder.ledger.ordinal}_{n}", "look_up", {}) for n in range(len(results)))
    session.add_reply(Reply(calls=calls))
    return [session.add_result(call.id, result) for call, result in zip(calls, results, strict=True)]


@cases("kept")
def test_what_is_kept_of_a_result(case: dict[str, Any]) -> None:
    session = Session.create(PROGRAM, flags=GovernanceFlags(window=200_000))
    session.begin("go")
    content = (Text(lines(case["characters"] + 25)[: case["characters"]]),)
    (slot,) = answered(session, content)
    (shown,) = [message["content"] for message in session.request().messages if message["role"] == "tool"]
    kept = decode(session._recorder.content(session._recorder.ledger.slots[slot].digest))
    assert kept == content
    assert len(text_of(kept)) == case["dcc"]
    assert count_tokens(shown) <= 0.85 * 200_000
    if shown != content[0].text:
        assert session.artifact(shown.split()[0]) == content


def how(content: Content, shown: str) -> str:
    """What is shown of a content: whole, cut, or named only."""
    text = text_of(content)
    if shown == text:
        return "whole"
    assert shown.startswith("artifact://")
    if "\n" not in shown:
        return "named"
    assert text[:100] in shown
    assert text[-100:].rstrip("\n") in shown
    return "cut"


@cases("guard")
def test_what_a_request_shows_of_results_before_anything_was_refused(case: dict[str, Any]) -> None:
    window = case["window"]
    flags = GovernanceFlags(window=window, reserve=0 if window is None else window // 8)
    session = Session.create(PROGRAM, flags=flags)
    session.begin("go")
    sizes, new = case["characters"], case.get("unread", 1)
    chinese = "上下文太长了，需要截断。\n"
    texts = [
        (chinese * (size // len(chinese) + 1))[:size] if case.get("script") == "chinese" else lines(size + 25, n)[:size]
        for n, size in enumerate(sizes)
    ]
    images = tuple(picture(n) for n in range(case.get("images", 0)))
    contents: list[Content] = [(Text(text), *images) if images else text for text in texts]
    for content in contents[: len(contents) - new]:
        answered(session, content)
    answered(session, *contents[len(contents) - new :])
    request = session.request()
    shown = [message["content"] for message in request.messages if message["role"] == "tool"]
    assert [how(*pair) for pair in zip(contents, shown, strict=True)] == case["dcc"]
    assert window is None or session._planner.used() <= window * 7 // 8
    pictures = [part for m in request.messages if isinstance(m["content"], list) for part in m["content"]]
    assert len([part for part in pictures if part["type"] == "image_url"]) == len(images)


@cases("not_done")
def test_what_is_not_done_is_seen_to_otherwise(case: dict[str, Any]) -> None:
    assert case["why"]
    assert (Path(__file__).parents[3] / case["instead"]).exists()


def test_details_of_a_result_are_for_the_host_and_in_no_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look_up(arguments: object, context: ToolContext) -> ToolOutput:
        return ToolOutput("found", details={"log": "a word that no model reads " * 100_000})

    tool = giving()
    monkeypatch.chdir(tmp_path)
    with Loopback(looks_up(1), Says(("ok",))) as server:
        run(rules(server), "go", tmp_path, tools=(AgentTool("look_up", "Looks.", tool.parameters, look_up),))
    assert b"no model reads" not in server.seen[-1].raw
    assert len(server.seen[-1].raw) < 100_000
