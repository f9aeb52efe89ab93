"""``dcc why``: the causes of what happened to a slot."""

import json
from pathlib import Path

import pytest

from dcc.cli.entry import run

SESSION = Path(__file__).parents[1] / "data" / "small_session.jsonl"

SCENARIO = """
ruleset: {life_cycle: {user: [born, null]}, context: {patch_end: {enabled: true, template: "END {content}"}},
  compact: {fields: [user, assistant], compressors: {summary: {prompt: "{content}"}}}}
steps:
  - {user: "a /goal x remain 1", reply: ok}
  - {user: b, reply: ok}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    """A goal that ends and takes its conversation with it."""
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO)
    return str(path)


def test_the_causes_are_named(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", scenario, "user@1"]) == 0
    assert "collapse" in capsys.readouterr().out


def test_a_result_that_left_with_its_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(
        """
ruleset: {life_cycle: {toolCall: [born, born+1], toolResult: [born, null]}}
steps:
  - user: look
    calls:
      - {assistant: {tool_calls: [{id: c1, name: ls, arguments: {}}]}, results: [{id: c1, content: a}]}
      - {assistant: done}
  - {user: b, reply: ok}
  - {user: c, reply: ok}
"""
    )
    assert run(["why", str(path), "toolResult@1"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "turn 3, after call #3: its call toolCall@1: its rule ended with turn 2 (turn_end)"


def test_the_end_of_a_rule_stands_in_its_place(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", scenario, "goal@1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "turn 2, after call #1: its rule ended with turn 1 (patch_end)"
    )


def test_up_to_a_turn(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", scenario, "user@1", "--turn", "1"]) == 0
    assert "collapse" not in capsys.readouterr().out


def test_in_json(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", scenario, "goal@1", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["schema_version"], shown["slot"]) == (1, "goal@1")
    assert shown["causes"]


def test_an_unknown_slot(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", scenario, "user@9"]) == 1
    assert capsys.readouterr().err == f"{scenario}: no slot user@9; newest of that element: user@1, user@2\n"


def test_a_recorded_session(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", str(SESSION), "toolResult@2", "--ruleset", "toolloop", "--format", "json"]) == 0
    kinds = [cause["kind"] for cause in json.loads(capsys.readouterr().out)["causes"]]
    assert kinds[0] == "slot_born"
    assert {"ripe", "segment_closed"} <= set(kinds)


def test_a_recorded_session_under_the_default_ruleset(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", str(SESSION), "user@1"]) == 0
    assert "born at turn 1" in capsys.readouterr().out


def test_a_session_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", str(tmp_path / "none.jsonl"), "user@1"]) == 2
    assert "none.jsonl" in capsys.readouterr().err


def test_a_scenario_names_its_ruleset_itself(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", scenario, "user@1", "--ruleset", "standard"]) == 2
    assert "help:" in capsys.readouterr().err
