"""``dcc test``: scenarios compared with what they expect."""

import json
from pathlib import Path

import pytest

from dcc.cli.entry import run

GOOD = "steps:\n  - user: hi\n    reply: ok\n    expect: {turn: 1, stage: [user@1, assistant@1]}\n"
BAD = "steps:\n  - user: hi\n    reply: ok\n    expect:\n      turn: 2\n      ranges: {user@1: [[1, 1]]}\n"


def test_all_as_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "good.yaml"
    path.write_text(GOOD)
    assert run(["test", str(path)]) == 0
    assert capsys.readouterr().out == "1 scenario, all as expected\n"


def test_a_difference_names_its_place_and_both_sides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(BAD)
    assert run(["test", str(path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{path}:5: turn differs at: > hi",
        "  expected  2",
        "  got       1",
        f"{path}:6: ranges user@1 differs at: > hi",
        "  expected  [[1, 1]]",
        "  got       [[1, null]]",
        "1 scenario, 1 failed",
    ]


def test_a_message_of_several_lines_is_told_on_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text('steps: [{user: "/goal ship it remain 1\\nhi", reply: ok, expect: {turn: 2}}]')
    assert run(["test", str(path)]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first == f"{path}:1: turn differs at: > /goal ship it remain 1 ⏎ hi"


def test_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(BAD)
    assert run(["test", str(path), "--format", "json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert (shown["schema_version"], shown["passed"], shown["failed"]) == (1, 0, 1)
    first = shown["scenarios"][0]["differences"][0]
    assert (first["line"], first["at"], first["expected"], first["got"]) == (
        5, ["steps", 0, "expect", "turn"], 2, 1,
    )  # fmt: skip


def test_a_folder_is_walked_for_scenarios(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.yaml").write_text(GOOD)
    (tmp_path / "b.json").write_text('{"steps": [{"user": "hi", "reply": "ok"}]}')
    (tmp_path / "rules.yaml").write_text("life_cycle: {user: [born, null]}\n")
    assert run(["test", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "2 scenarios, all as expected\n"


def test_a_folder_without_scenarios(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", str(tmp_path)]) == 2
    assert "steps" in capsys.readouterr().err


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", str(tmp_path / "none.yaml")]) == 2
    assert "none.yaml" in capsys.readouterr().err


def test_a_scenario_that_cannot_be_read_fails_and_the_others_are_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text("steps: 3\n")
    (tmp_path / "b.yaml").write_text(GOOD)
    assert run(["test", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert f"{tmp_path / 'a.yaml'}:1:8: error: `steps` is a number, expected a list" in out
    assert out.endswith("2 scenarios, 1 failed\n")


def test_an_expected_call_that_was_never_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        "steps:\n  - user: /goal x remain 1\n    calls:\n      - assistant: {text: a}\n        expect: {visible: []}\n"
    )
    assert run(["test", str(path)]) == 1
    assert "no call was made" in capsys.readouterr().out
