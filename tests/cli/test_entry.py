"""The command itself: version, help, explain, and what happens when dcc fails."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dcc
from dcc.cli import check
from dcc.cli.entry import VERBS, main, run


def test_version_imports_nothing_large() -> None:
    code = (
        "import sys\n"
        "from dcc.cli.entry import main\n"
        "try:\n    main(['--version'])\n"
        "finally:\n    assert not {'typer', 'yaml', 'pydantic', 'lark'} & set(sys.modules)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == f"dcc {dcc.__version__}\n"


def test_check_imports_only_what_it_needs() -> None:
    code = (
        "import sys\n"
        "from dcc.cli.entry import run\n"
        "run(['check', 'standard'])\n"
        "print([name for name in ('lark', 'jinja2', 're2', 'rich') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]", "plain bounds are read without the parser, and nothing else is needed"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    assert f"dcc {verb}" in capsys.readouterr().out


def test_help_lists_the_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f" {verb} " in out for verb in VERBS)


def test_main_leaves_with_the_exit_code() -> None:
    with pytest.raises(SystemExit) as left:
        main(["explain", "nothing-like-it"])
    assert left.value.code == 2


@pytest.mark.parametrize("name", ["DCC201", "dcc201", "bad-bound"])
def test_explain(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", name]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# DCC201 bad-bound (error)\n")
    assert "## Why it matters" in out


def test_explain_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    assert "DCC003  yaml-syntax" in capsys.readouterr().out


def test_explain_guesses(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "bad-bond"]) == 2
    assert "did you mean bad-bound?" in capsys.readouterr().err


def _broken(*_: object) -> None:
    raise ZeroDivisionError("on purpose")


def test_an_internal_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DCC_DEBUG", raising=False)
    monkeypatch.setattr(check, "check_all", _broken)
    assert run(["check", "standard"]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "please report it" in line
    assert "ZeroDivisionError" in line


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCC_DEBUG", "1")
    monkeypatch.setattr(check, "check_all", _broken)
    with pytest.raises(ZeroDivisionError):
        run(["check", "standard"])
