"""However dcc is started and whatever it is pointed at, it answers: no traceback, no hang, no wrong exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dcc.cli.entry import run
from dcc.compiler.compose import MAX_BYTES

COMMAND = f'"{sys.executable}" -m dcc'
PATIENCE = 60


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def shell(line: str) -> tuple[int, str]:
    """The exit code of a shell line and all that it printed; ``dcc`` is the command."""
    done = subprocess.run(
        ["bash", "-c", f'dcc() {{ {COMMAND} "$@"; }}; {line}'], capture_output=True, timeout=PATIENCE, check=False
    )
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param("dcc schema | true; exit ${PIPESTATUS[0]}", 0, id="a reader that reads nothing"),
        pytest.param("dcc schema | head -1 > out; exit ${PIPESTATUS[0]}", 0, id="a reader that leaves"),
        pytest.param("dcc parse <&-", 0, id="no standard input"),
        pytest.param("dcc check - <&-", 0, id="no standard input to check"),
        pytest.param("dcc rules >&-", 0, id="no standard output"),
        pytest.param("dcc rules >&- 2>&-", 0, id="nowhere to print"),
        pytest.param("dcc check nothing 2>&-", 2, id="no standard error"),
        pytest.param("dcc schema >/dev/full", 2, id="a full disk"),
        pytest.param("dcc init no-rights/../missing/x.yaml", 2, id="a folder that is not there"),
        pytest.param("ln -s loop loop && dcc init loop", 2, id="a link in a circle"),
        pytest.param("dcc init $(printf 'a%.0s' {1..300})", 2, id="a name that is too long"),
        pytest.param("dcc init $'\\xff.yaml' && dcc check $'\\xff.yaml'", 0, id="a name that is not UTF-8"),
        pytest.param("touch f; dcc new ruleset x --into f", 2, id="a file for a folder"),
        pytest.param("dcc check ''; exit $?", 2, id="an empty path"),
        pytest.param("mkdir d; ln -s .. d/up; mkfifo d/f.yaml; dcc check d", 0, id="a pipe in a folder"),
        pytest.param("dcc check <(printf 'name: a\\n')", 0, id="a pipe that is named"),
        pytest.param("mkfifo p; dcc check p", 2, id="a pipe to check"),
        pytest.param("mkfifo p; printf 'extends: [p]' > r.yaml; dcc check r.yaml", 1, id="a pipe that is extended"),
        pytest.param("mkfifo p; printf 'ruleset: p\nsteps: [{user: a}]' > s.yaml; dcc test s.yaml", 1, id="rules"),
        pytest.param("mkfifo p; dcc play p", 2, id="a pipe to play"),
        pytest.param("mkfifo p; dcc replay p", 2, id="a pipe to replay"),
        pytest.param("mkfifo p; dcc sessions import p --store s.db", 2, id="a pipe to import"),
        pytest.param("mkfifo p; dcc sessions list --store p", 2, id="sessions in a pipe"),
        pytest.param("dcc check /dev/zero", 1, id="a device that never ends"),
        pytest.param("printf 'extends: [/dev/zero]' > r.yaml; dcc check r.yaml", 1, id="a device that is extended"),
    ],
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a shell and the devices of Linux")
def test_however_it_is_started(line: str, code: int) -> None:
    got, said = shell(line)
    assert "Traceback" not in said
    assert "internal error" not in said
    assert got == code, said


def test_a_file_that_cannot_be_read_does_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").symlink_to("gone.yaml")
    Path("b.yaml").write_text("life_cycle: {user: [bron, null]}\n")
    assert run(["check", "."]) == 2
    said = capsys.readouterr()
    assert "cannot read a.yaml" in said.err
    assert "bad-bound" in said.out


def test_what_is_larger_than_any_ruleset_is_not_read_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    with Path("huge.yaml").open("wb") as file:
        file.truncate(MAX_BYTES * 50)
    assert run(["check", "huge.yaml", "--format", "concise"]) == 1
    assert "too-large" in capsys.readouterr().out


@pytest.mark.parametrize(
    "stem", ["yes", "null", "1", "1e3", '"', "'", "a\\b", "a\nb", "a: b", "$name", "#", "-", "é", "翻译", "\x01"]
)
def test_init_writes_a_ruleset_under_any_name(stem: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        Path(f"{stem}.yaml").touch()
        Path(f"{stem}.yaml").unlink()
    except (OSError, ValueError):
        pytest.skip("a name that this system does not take")
    assert run(["init", f"./{stem}.yaml"]) == 0
    assert run(["check", f"./{stem}.yaml", "--fail-on", "info"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("name", ["true", "null", "no", "on", "off-1"])
def test_new_writes_a_ruleset_under_any_name(name: str) -> None:
    assert run(["new", "ruleset", name]) == 0
    assert run(["check", f"{name}.yaml"]) == 0
    assert run(["test", "scenarios"]) == 0


@pytest.mark.parametrize("format", ["text", "concise", "json", "sarif", "github", "junit"])
def test_every_format_names_a_file_whose_name_is_not_utf8(format: str) -> None:
    try:
        Path(os.fsdecode(b"n\xff.yaml")).write_text("name: a\nname: b\n")
    except (OSError, UnicodeError):
        pytest.skip("a name that this system does not take")
    assert run(["check", os.fsdecode(b"n\xff.yaml"), "--format", format]) == 1


SCENARIO = r"""
ruleset: standard
steps:
- {user: "a \e[31mb \u202e", reply: "\e]0;title\a"}
- {user: "/goal \e[2J remain 3", expect: {text: "\e[1m"}}
- {user: "/dc-status \e[1m"}
"""


@pytest.mark.parametrize(
    "args",
    [["play", "s.yaml"], ["play", "--requests", "s.yaml"], ["test", "s.yaml"], ["why", "s.yaml", "user@1"],
     ["check", "r.yaml"], ["check", "r.yaml", "--format", "concise"], ["compile", "\x1b[2Jx"], ["play", "\x1b[2Jx"]],
)  # fmt: skip
def test_no_text_of_others_moves_the_terminal(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.yaml").write_text(SCENARIO)
    Path("r.yaml").write_text(r'life_cycle: {"\e[2J": [born, null], user: ["\e[1m", null]}' + "\n")
    run(args)
    said = capsys.readouterr()
    assert not {"\x1b", "\x07", "\u202e"} & set(said.out + said.err)
