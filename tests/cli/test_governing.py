"""What the command line says of governance: limits, gates, on and off, under their names and those of the seed."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from dcc.cli.entry import run
from dcc.runtime.errors import SessionError
from dcc.runtime.values import GovernanceFlags

RULES = "name: governed\ngovernance: {ops: cpat, window: 100000}\n"


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DCC_STORE", str(tmp_path / "sessions.db"))
    path = tmp_path / "rules.yaml"
    path.write_text(RULES)
    return path


def said(rules: Path, monkeypatch: pytest.MonkeyPatch, *options: str, typed: str = "/cpat\n") -> int:
    """The exit code of a chat that is typed ``typed``."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return run(["chat", "-r", str(rules), "--session", "talk", "--provider", "echo", *options])


@pytest.mark.parametrize("option", ["--max-context", "--cpat-max-context"])
def test_the_most_that_a_request_may_hold(
    option: str, rules: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(rules, monkeypatch, option, "5000", typed="hello\n/cpat\n") == 0
    assert "tokens of 5,000 (" in capsys.readouterr().out


@pytest.mark.parametrize("options", [("--governance", "off"), ("--cpat-off",)])
def test_off_and_on_again(
    options: tuple[str, ...], rules: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(rules, monkeypatch, *options) == 0
    assert "governance: off" in capsys.readouterr().out
    assert said(rules, monkeypatch) == 0
    assert "governance: off" in capsys.readouterr().out, "it stays as it was left"
    assert said(rules, monkeypatch, "--governance", "on") == 0
    assert "governance: on" in capsys.readouterr().out


def test_a_session_without_operations_has_nothing_to_switch_on(
    rules: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules.write_text("name: plain\n")
    assert said(rules, monkeypatch, "--governance", "on") == 1
    assert "names no operations" in capsys.readouterr().err
    assert said(rules, monkeypatch, "--governance", "off") == 0


def test_on_and_off_contradict_each_other(
    rules: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(rules, monkeypatch, "--governance", "on", "--cpat-off") == 2
    assert "contradict" in capsys.readouterr().err


@pytest.mark.usefixtures("rules")
@pytest.mark.parametrize(
    ("options", "gates"),
    [
        (("--allow-replace",), {"replace"}),
        (("--cpat-allow-redact",), {"redact"}),
        (("--cpat-allow-replace", "--allow-redact", "--allow", "mine"), {"replace", "redact", "mine"}),
        ((), set()),
    ],
)
def test_gates_that_are_open(options: tuple[str, ...], gates: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[GovernanceFlags] = []

    def opened(*args: Any) -> None:
        seen.append(args[3])
        raise SessionError("seen", "enough was seen")

    monkeypatch.setattr("dcc.cli.chat.open_session", opened)
    monkeypatch.setattr("dcc.cli.chat.check_gates", lambda *_: None)
    assert run(["chat", *options]) == 1
    assert seen[0].allow == gates
    assert not seen[0].canon_read_only


@pytest.mark.parametrize("verb", [("chat",), ("run", "hello")])
def test_canon_for_reading_only(rules: Path, verb: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []

    def canon_of(*_: object, read_only: bool = False) -> None:
        seen.append(read_only)

    monkeypatch.setattr("dcc.runtime.session.canon_of", canon_of)
    monkeypatch.setattr(sys, "stdin", io.StringIO("hello\n"))
    for option in (["--canon-read-only"], []):
        seen.clear()
        assert run([*verb, "-r", str(rules), "--provider", "echo", *option]) == 0
        assert set(seen) == {bool(option)}


@pytest.mark.parametrize("verb", [("chat",), ("run", "hello")])
def test_a_gate_that_no_operation_has(
    rules: Path, verb: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(option: str, *more: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("hello\n"))
        assert run([*verb, "-r", str(rules), "--provider", "echo", option, *more]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        return err

    assert refused("--allow", "nonsense") == (
        "dcc: no operation of the ruleset governed has the gate nonsense\nhelp: its gates are redact or replace\n"
    )
    rules.write_text("name: plain\n")
    assert refused("--allow-replace") == (
        "dcc: no operation of the ruleset plain has the gate replace\n"
        "help: name operations in it: governance: {ops: cpat}\n"
    )
