"""``dcc check`` as a linter: choice, settings, fixes, exit codes, colour, formats."""

from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from dcc.cli.entry import run

ERROR = "life_cycle:\n  a: [5, 3]\n"
WARNING = "life_cycle:\n  a: [born, cycle]\n"
INFO = "life_cycle:\n  toolResult: [born, born]\n  toolCall: [born, null]\n  a: [born, null]\n"
FIXABLE = "canon: {surface: on}  # why\n"
FIXED = "canon: {surface: true}  # why\n"
UNSAFE = "recall: {type: gerp, search_fields: [user]}\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def stdin(monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> None:
    data = text.encode() if isinstance(text, str) else text
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def told(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, list[str]]:
    """The exit code, and the codes of the findings."""
    code = run(["check", "--format", "json", *args])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, [d["code"] for d in document["diagnostics"]]


# --- which findings, and what they do to the exit code -----------------------------------------------------


def test_select_and_ignore(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", f"{ERROR}  b: [born, cycle]\nzzz: 1\n")
    assert told(capsys, "a.yaml") == (1, ["DCC205", "DCC207", "DCC101"])
    assert told(capsys, "--select", "DCC2", "a.yaml") == (1, ["DCC205", "DCC207"])
    assert told(capsys, "--select", "DCC207,unknown-key", "a.yaml") == (1, ["DCC207", "DCC101"])
    assert told(capsys, "--ignore", "DCC1", "--ignore", "DCC205", "a.yaml") == (0, ["DCC207"])


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_a_word_that_is_no_check_is_wrong_usage(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", option, "unknown-kee"]) == 2
    assert capsys.readouterr().err == f"dcc check: {option}: unknown-kee is no check\nhelp: did you mean unknown-key?\n"


@pytest.mark.parametrize(
    ("text", "fail_on", "code"),
    [(ERROR, "error", 1), (ERROR, "warning", 1), (ERROR, "never", 0), (WARNING, "error", 0), (WARNING, "warning", 1),
     (WARNING, "info", 1), (WARNING, "never", 0), (INFO, "warning", 0), (INFO, "info", 1)],
)  # fmt: skip
def test_fail_on(text: str, fail_on: str, code: int) -> None:
    write("a.yaml", text)
    assert run(["check", "--select", "DCC205,DCC207,DCC802", "--fail-on", fail_on, "a.yaml"]) == code


def test_exit_zero_is_about_findings_only() -> None:
    write("a.yaml", ERROR)
    assert run(["check", "--exit-zero", "a.yaml"]) == 0
    assert run(["check", "--exit-zero", "a.yaml", "missing.yaml"]) == 2


def test_what_is_silenced_is_not_told_and_does_not_fail(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", "life_cycle:\n  a: [5, 3]  # dcc: ignore[DCC205]\n")
    assert told(capsys, "a.yaml") == (0, [])


def test_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", f"{ERROR}  b: [5, 3]\n  c: [born, cycle]\n")
    assert run(["check", "--statistics", "a.yaml"]) == 1
    first, second, _ = capsys.readouterr().out.splitlines()
    assert (first, second) == (
        "2  DCC205 end-before-start error    2 with a fix",
        "1  DCC207 needs-labels     warning",
    )
    run(["check", "--statistics", "--format", "json", "a.yaml"])
    document = json.loads(capsys.readouterr().out)
    assert [row["count"] for row in document["statistics"]] == [2, 1]
    assert len(document["diagnostics"]) == 3
    assert run(["check", "--statistics", "--format", "sarif", "a.yaml"]) == 2


# --- fixes -------------------------------------------------------------------------------------------------


def test_fix_writes_the_safe_ones(capsys: pytest.CaptureFixture[str]) -> None:
    path = write("a.yaml", FIXABLE + UNSAFE)
    assert run(["check", "--fix", "--format", "concise", "a.yaml"]) == 1
    assert path.read_bytes().decode() == FIXED + UNSAFE
    assert capsys.readouterr().out.splitlines()[1:] == [
        "1 error in 1 file; 1 fixed; can be fixed: 1 by --fix --unsafe-fixes"
    ]


def test_unsafe_fixes_write_all(capsys: pytest.CaptureFixture[str]) -> None:
    path = write("a.yaml", FIXABLE + UNSAFE)
    assert run(["check", "--fix", "--unsafe-fixes", "a.yaml"]) == 0
    assert path.read_bytes().decode() == FIXED + UNSAFE.replace("gerp", "grep")
    assert capsys.readouterr().out == "no findings in 1 file; 2 fixed\n"


def test_fix_keeps_rights_and_links_and_leaves_nothing_behind() -> None:
    path = write("real/a.yaml", FIXABLE)
    path.chmod(0o640)
    Path("link.yaml").symlink_to(path)
    assert run(["check", "--fix", "link.yaml"]) == 0
    assert Path("link.yaml").is_symlink()
    assert path.read_text() == FIXED
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir("real") == ["a.yaml"]


def test_a_file_that_needs_no_fix_is_not_written() -> None:
    path = write("a.yaml", ERROR)
    os.utime(path, (1, 1))
    run(["check", "--fix", "a.yaml"])
    assert path.stat().st_mtime == 1


def test_fix_makes_a_finding_of_an_extended_file_go(capsys: pytest.CaptureFixture[str]) -> None:
    write("base.yaml", "canon: {surface: on}\nlife_cycle: {}\n")
    write("main.yaml", "extends: [base.yaml]\nlife_cycle: {}\n")
    assert told(capsys, "main.yaml") == (1, ["DCC006"])
    assert told(capsys, "--fix", ".") == (0, [])


def test_fix_of_chosen_checks_only() -> None:
    path = write("a.yaml", FIXABLE)
    assert run(["check", "--fix", "--ignore", "DCC006", "a.yaml"]) == 0
    assert path.read_text() == FIXABLE


def test_diff_prints_and_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    path = write("a.yaml", FIXABLE.rstrip("\n"))
    write("b.yaml", "life_cycle: {}\n")
    assert run(["check", "--diff", "a.yaml", "b.yaml"]) == 1
    captured = capsys.readouterr()
    end = "\\ No newline at end of file\n"
    assert captured.out == (
        f"--- a.yaml\n+++ a.yaml\n@@ -1 +1 @@\n-{FIXABLE}{end}+{FIXED}{end}"
    )
    assert captured.err == "dcc check: 1 file would change\n"
    assert path.read_text() == FIXABLE.rstrip("\n")


def test_diff_of_what_needs_none(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", "life_cycle: {}\n")
    assert run(["check", "--diff", "a.yaml"]) == 0
    assert capsys.readouterr().out == ""


def test_standard_input_is_fixed_to_standard_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin(monkeypatch, FIXABLE + UNSAFE)
    assert run(["check", "--fix", "--format", "concise", "--stdin-filename", "x.yaml", "-"]) == 1
    captured = capsys.readouterr()
    assert captured.out == FIXED + UNSAFE
    assert captured.err.startswith("x.yaml:2:16: error DCC103 wrong-value: ")


def test_standard_input_that_cannot_be_fixed_comes_out_as_it_was(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin(monkeypatch, b"name: caf\xe9\n")
    assert run(["check", "--fix", "-"]) == 1
    assert capfdbinary.readouterr().out == b"name: caf\xe9\n"


def test_a_shipped_ruleset_is_never_written() -> None:
    assert run(["check", "--fix", "standard"]) == 0


# --- settings ----------------------------------------------------------------------------------------------


def test_settings_of_the_nearest_folder(capsys: pytest.CaptureFixture[str]) -> None:
    write("pyproject.toml", '[tool.dcc]\nignore = ["DCC205"]\n')
    write("sub/dcc.toml", 'fail-on = "warning"\n')
    write("a.yaml", ERROR)
    write("sub/b.yaml", WARNING)
    assert told(capsys, "a.yaml") == (0, [])
    assert told(capsys, "sub/b.yaml") == (1, ["DCC207"])
    assert told(capsys, "--isolated", "a.yaml") == (1, ["DCC205"])
    assert told(capsys, "--config", "sub/dcc.toml", "a.yaml") == (1, ["DCC205"])
    assert told(capsys, "--ignore", "DCC1", "a.yaml") == (1, ["DCC205"])


def test_settings_exclude_from_a_walk_only(capsys: pytest.CaptureFixture[str]) -> None:
    write("dcc.toml", 'exclude = ["vendor", "*.gen.yaml"]\n')
    write("vendor/a.yaml", ERROR)
    write("b.gen.yaml", ERROR)
    write("c.yaml", "life_cycle: {}\n")
    assert told(capsys, ".") == (0, [])
    assert told(capsys, "b.gen.yaml") == (1, ["DCC205"])


def test_unsafe_fixes_by_settings() -> None:
    write("dcc.toml", "unsafe-fixes = true\n")
    path = write("a.yaml", UNSAFE)
    assert run(["check", "--fix", "a.yaml"]) == 0
    assert "grep" in path.read_text()


def test_what_is_wrong_with_settings_is_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    write("dcc.toml", 'selcet = ["DCC2"]\n')
    write("a.yaml", "life_cycle: {}\n")
    assert run(["check", "a.yaml"]) == 1
    assert "dcc.toml:1:1\n    |\n  1 | selcet" in capsys.readouterr().out


@pytest.mark.parametrize("config", ["missing.toml", "broken.toml"])
def test_settings_that_cannot_be_read(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("broken.toml", "select = [")
    write("a.yaml", "life_cycle: {}\n")
    assert run(["check", "--config", config, "a.yaml"]) == 2
    assert f"dcc check: cannot read the settings of {config}: " in capsys.readouterr().err


def test_show_settings(capsys: pytest.CaptureFixture[str]) -> None:
    write("dcc.toml", 'ignore = ["DCC205"]\n')
    write("a.yaml", ERROR)
    assert run(["check", "--show-settings", "--fail-on", "info", "a.yaml"]) == 0
    assert capsys.readouterr().out == (
        '# a.yaml: dcc.toml\nselect = []\nignore = ["DCC205"]\nexclude = []\nfail-on = "info"\nunsafe-fixes = false\n'
    )
    assert run(["check", "--show-settings", "--isolated"]) == 0
    assert capsys.readouterr().out.startswith("# .: no file of settings\n")


# --- formats and colour ------------------------------------------------------------------------------------


def test_on_github_actions_findings_are_annotations(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    write("a.yaml", ERROR)
    run(["check", "a.yaml"])
    assert capsys.readouterr().out.startswith("::error title=DCC205 end-before-start,file=a.yaml,")
    run(["check", "--format", "concise", "a.yaml"])
    assert capsys.readouterr().out.startswith("a.yaml:2:10: ")


def test_junit_fails_what_fails_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", WARNING)
    run(["check", "--format", "junit", "a.yaml"])
    assert "<failure" not in capsys.readouterr().out
    run(["check", "--format", "junit", "--fail-on", "warning", "a.yaml"])
    assert '<failure type="warning"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("color", "terminal", "no_color", "coloured"),
    [("auto", True, "", True), ("auto", True, "1", False), ("auto", False, "", False), ("never", True, "", False),
     ("always", False, "1", True)],
)  # fmt: skip
def test_colour(
    color: str, terminal: bool, no_color: str, coloured: bool, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    write("a.yaml", ERROR)
    run(["check", "--color", color, "a.yaml"])
    assert ("\x1b[" in capsys.readouterr().out) == coloured


# --- many files --------------------------------------------------------------------------------------------


def test_processes_tell_what_one_tells(tmp_path: Path) -> None:
    from dcc.compiler.batch import check_all

    sources = [(f"{n}.yaml", f"life_cycle:\n  a: [{n}, 3]\n") for n in range(12)]
    assert check_all(sources, many=1) == check_all(sources)


def test_a_path_given_twice_is_checked_once(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", ERROR)
    run(["check", "--format", "json", "a.yaml", "a.yaml", "."])
    assert json.loads(capsys.readouterr().out)["files"] == 1
