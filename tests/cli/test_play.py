"""``dcc play``: a scenario in, what every call held out."""

import json
from pathlib import Path
from typing import Any

import pytest

from dcc.cli.entry import run

SCENARIO = """
ruleset: {name: small, life_cycle: {user: [born, null], assistant: [born, null], toolResult: [born, born]}}
system: You are brief.
steps:
  - user: "hello /goal 翻译 remain 2"
    reply: ok
  - user: look
    calls:
      - assistant: {tool_calls: [{id: c1, name: read, arguments: {path: a.py}}]}
        results: [{id: c1, content: text}]
        usage: {input: 10, output: 5}
      - assistant: {text: seen}
  - user: /pin remember
  - {user: again, fail: provider}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario with a patch, a tool loop, a command and a failure."""
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


@pytest.fixture
def play(capsys: pytest.CaptureFixture[str], scenario: Path) -> Any:
    """Runs the verb on the scenario: the JSON document."""

    def call(*args: str) -> dict[str, Any]:
        assert run(["play", str(scenario), "--format", "json", *args]) == 0
        shown: dict[str, Any] = json.loads(capsys.readouterr().out)
        return shown

    return call


def test_the_document(play: Any) -> None:
    shown = play()
    assert shown["schema_version"] == 1
    assert shown["ruleset"] == "small"
    assert len(shown["steps"]) == 4
    assert shown["ranges"]["goal@1"] == [[1, 2]]
    assert shown["ranges"]["user@1"] == [[1, None]]


def test_a_step(play: Any) -> None:
    step = play()["steps"][0]
    assert (step["turn"], step["committed"], step["text"], step["error"]) == (1, True, "hello", None)
    assert step["stage"] == ["system@0", "goal@1", "user@1", "assistant@1"]
    assert [one["slot"] for one in step["opened"]] == ["system@0", "goal@1", "user@1", "assistant@1"]
    assert step["queue"] == []
    assert len(step["state_hash"]) == 64


def test_a_call(play: Any) -> None:
    call = play()["steps"][1]["calls"][1]
    assert (call["call"], call["ordinal"]) == (2, 3)
    shown = {slot["slot"]: slot for slot in call["visible"]}
    assert list(shown) == [
        "system@0", "goal@1", "user@1", "assistant@1", "user@2", "toolCall@2", "toolResult@2",
    ]  # fmt: skip
    result = shown["toolResult@2"]
    assert (result["element"], result["refined"], result["born"]) == ("toolResult", None, 2)
    assert (result["as"], result["on_stage"]) == ("full", True)
    assert call["tokens"] == sum(slot["tokens"] for slot in call["visible"])
    assert 0 < call["prefix_kept"] < call["tokens"]


def test_results_stand_with_the_call_that_they_answer(play: Any) -> None:
    first, second = play()["steps"][1]["calls"]
    assert first["results"] == [{"id": "c1", "slot": "toolResult@2", "is_error": False}]
    assert second["results"] == []


def test_a_command_is_no_turn(play: Any) -> None:
    step = play()["steps"][2]
    assert (step["turn"], step["committed"], step["calls"]) == (None, False, [])
    assert "pin_user_p01@2" in step["stage"]


def test_a_failed_first_call_leaves_nothing(play: Any) -> None:
    before, failed = play()["steps"][2:]
    assert (failed["turn"], failed["committed"], failed["error"]) == (None, False, "provider")
    assert failed["state_hash"] == before["state_hash"]
    assert failed["calls"][0]["failed"] == "provider"


@pytest.mark.parametrize("format", ["openai", "anthropic", "pi"])
def test_every_format(play: Any, format: str) -> None:
    call = play("--as", format)["steps"][0]["calls"][0]
    system = [block["text"] for block in call["system"]] if format == "anthropic" else None
    assert system == (["You are brief."] if format == "anthropic" else None)
    assert call["messages"][-1]["role"] == "user"


def test_another_ruleset(play: Any) -> None:
    assert play("--ruleset", "standard")["ruleset"] == "standard"


def test_for_people(capsys: pytest.CaptureFixture[str], scenario: Path) -> None:
    assert run(["play", str(scenario), "--requests"]) == 0
    out = capsys.readouterr().out
    assert "1. > hello /goal 翻译 remain 2   (turn 1)" in out
    assert "user: [goal] ⏎ 翻译" in out
    assert "toolResult@2 answers c1" in out
    lines = out.splitlines()
    table = lines[next(n for n, line in enumerate(lines) if line.split() == ["1", "2", "next"]) :]
    assert table[1].split() == ["system@0", "#", "#", "#"]
    assert [line.split() for line in table if line.startswith("goal@1")] == [["goal@1", "#", "#", "#"]]


WRONG = {
    "missing": (None, 2, "cannot read"),
    "broken YAML": ("steps: [", 1, "yaml"),
    "unknown key": ("steps:\n  - {user: a, rpely: b}\n", 1, "did you mean `reply`?"),
    "no such ruleset": ("ruleset: nope\nsteps: []\n", 1, "nope"),
    "wrong ruleset": ("ruleset: {life_cycle: {user: [born, sometime]}}\nsteps: []\n", 1, "sometime"),
    "missing result": (
        "steps:\n  - user: a\n    calls:\n"
        "      - assistant: {tool_calls: [{id: c1, name: ls}]}\n"
        "      - assistant: {text: b}\n",
        1,
        "no result for tool call 'c1'",
    ),
    "clock going back": ("steps:\n  - {user: a, reply: b, at: 1999-01-01}\n", 1, "cannot go back"),
    "nothing to resume": (
        "steps:\n  - {user: a, reply: b}\n  - {resume: true, calls: [{assistant: {text: c}}]}\n",
        1,
        "no turn is open",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_played_says_where_and_why(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, code, words = WRONG[name]
    path = tmp_path / "wrong.yaml"
    if text is not None:
        path.write_text(text)
    assert run(["play", str(path)]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert words in shown.err
    assert "Traceback" not in shown.err
    assert "wrong.yaml" in shown.err


def test_a_mistake_in_an_inline_ruleset_is_shown_where_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("ruleset:\n  life_cycle:\n    goal: [born, sometime]\nsteps: []\n")
    assert run(["play", str(path)]) == 1
    assert f"{path}:3:18: error: 'sometime'" in capsys.readouterr().err


def test_in_json_a_wrong_scenario_is_a_document_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.json"
    path.write_text('{"steps": [{"user": 3}]}')
    assert run(["play", str(path), "--format", "json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (found["severity"], found["start"]["line"]) == ("error", 1)


def test_a_folder_is_no_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["play", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
