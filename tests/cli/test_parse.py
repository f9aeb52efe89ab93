"""``dcc parse``: one chat message in, one JSON document out."""

import io
import json
import sys
from typing import Any

import pytest

from dcc.cli.entry import run


@pytest.fixture
def parse(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the verb on the bytes of a message: exit code and document."""

    def call(message: bytes, *args: str) -> tuple[int, dict[str, Any]]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(message)))
        code = run(["parse", *args])
        return code, json.loads(capsys.readouterr().out)

    return call


def test_text_and_patches(parse: Any) -> None:
    code, shown = parse("hello /goal 翻译 remain 3\n".encode())
    assert code == 0
    assert shown == {
        "schema_version": 1,
        "text": "hello",
        "patches": [{"element": "goal", "content": "翻译", "mode": "remain", "turns": 3, "span": [6, 23]}],
        "command": None,
        "diagnostics": [],
    }


def test_none_is_null(parse: Any) -> None:
    _, shown = parse(b"/goal x remain none")
    assert shown["text"] is None
    assert shown["patches"][0]["turns"] is None


def test_a_command(parse: Any) -> None:
    code, shown = parse(b"/dc-keep user@1\n")
    assert code == 0
    assert shown["command"] == {"name": "dc-keep", "args": {"slot": "user@1"}}
    assert shown["text"] is None


def test_a_wrong_command_is_no_command_and_exit_code_1(parse: Any) -> None:
    code, shown = parse(b"/cancelpin\n")
    assert code == 1
    assert shown["command"] is None
    assert [d["severity"] for d in shown["diagnostics"]] == ["error"]


def test_a_hint_is_no_failure(parse: Any) -> None:
    code, shown = parse(b"/etc/hosts is wrong\n")
    assert code == 0
    assert shown["text"] == "/etc/hosts is wrong"
    assert [d["severity"] for d in shown["diagnostics"]] == ["info"]


@pytest.mark.parametrize(
    ("message", "text"), [(b"a\n", "a"), (b"a\r\n", "a"), (b"a", "a"), (b"one\ntwo\n", "one\ntwo")]
)
def test_the_final_newline_is_no_part_of_the_message(parse: Any, message: bytes, text: str) -> None:
    assert parse(message)[1]["text"] == text


def test_places_count_lines_columns_and_characters(parse: Any) -> None:
    _, shown = parse("你好\n/pin\n".encode())
    (hint,) = shown["diagnostics"]
    assert hint["start"] == {"line": 2, "column": 1, "offset": 3}


def test_bytes_that_are_no_utf8_are_a_diagnostic_and_exit_code_2(parse: Any) -> None:
    code, shown = parse("né".encode("latin-1"))
    assert code == 2
    assert shown["diagnostics"][0]["code"] == "not_utf8"
    assert shown["diagnostics"][0]["start"] == {"line": 1, "column": 2, "offset": 1}


def test_a_ruleset_declares_what_may_be_patched(parse: Any, tmp_path: Any) -> None:
    ruleset = tmp_path / "tone.yaml"
    ruleset.write_text("life_cycle:\n  tone: [born, null]\n")
    message = b"hello /tone formal remain 2\n"
    assert parse(message)[1]["patches"] == []
    assert [p["element"] for p in parse(message, "--ruleset", str(ruleset))[1]["patches"]] == ["tone"]


def test_a_ruleset_that_does_not_exist(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hi")))
    assert run(["parse", "--ruleset", "nope"]) == 2
    assert "nope" in capsys.readouterr().err
