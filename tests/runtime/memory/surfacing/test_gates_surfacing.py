"""The gates of the original that concern touches, lines and what is owed, in a conversation reported as text."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from canon_project import Project
from canon_talk import LedgerTalk, TextTalk, line, lines

from dcc.runtime.memory import tool
from dcc.runtime.memory.options import Options
from dcc.runtime.memory.surfacing.conversation import Conversation
from dcc.runtime.memory.surfacing.mutations import mutates
from dcc.runtime.memory.surfacing.paths import paths_in


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "proj")
    made.write("src/core/config", capsule="Env wins.", body="# Config")
    made.write("src/core/other", capsule="Other things.", body="# Other")
    return made


@pytest.fixture
def talk(project: Project) -> TextTalk:
    return TextTalk(project)


# Paths.


def found(project: Project, arguments: object) -> list[str]:
    folder = str(project.folder)
    return [path.removeprefix(folder + "/") for path in paths_in(arguments, folder)]


def test_gate_30_only_paths_that_exist(project: Project) -> None:
    assert found(project, {"file_path": str(project.folder / "src/core/config.ts"), "note": "no/such/path"}) == [
        "src/core/config.ts"
    ]


@pytest.mark.parametrize("line_break", ["\n", "\\n"])
def test_gate_32_paths_behind_line_breaks_and_tabs(project: Project, line_break: str) -> None:
    command = f"grep foo src/core/config.ts{line_break}src/core/other.ts{line_break}\tsrc/core/config.ts"
    assert found(project, {"command": command}) == ["src/core/config.ts", "src/core/other.ts"]


def test_gate_38_a_file_to_be_made_surfaces_what_governs_it(talk: TextTalk) -> None:
    talk.project.write("src/core", capsule="The core.")
    assert talk.touch("src/core/brandnew.ts") == [line("src/core", "The core.")]


def test_gate_39_a_file_at_the_root_surfaces(talk: TextTalk) -> None:
    talk.project.asset("package.json")
    talk.project.write("package", capsule="The package.")
    assert talk.touch("package.json") == [line("package", "The package.")]


def test_paths_in_any_script_with_blanks_or_backslashes(project: Project) -> None:
    for name in ("src/配置/主.py", "src/with blank/a b.py", "src/redirected.txt"):
        project.asset(name)
    assert found(project, ["cat src/配置/主.py >src/redirected.txt", {"a": "src/with blank/a b.py"}])[:3] == [
        "src/配置/主.py", "src/redirected.txt", "src/with blank/a b.py",
    ]  # fmt: skip
    assert found(project, "src\\core\\config.ts") == ["src/core/config.ts"]


def test_what_lies_outside_of_the_project_is_not_the_projects(tmp_path: Path, talk: TextTalk) -> None:
    # In the original every absolute path is an address of the project.
    outside = tmp_path / "src/core/config.ts"
    outside.parent.mkdir(parents=True)
    outside.touch()
    talk.project.write(str(outside.parent).lstrip("/"), capsule="An address that looks like that path.")
    assert talk.touch(str(outside)) == talk.touch("../src/core/config.ts") == []


# Lines.


def test_gate_33_an_article_surfaces_once_while_it_is_present(talk: TextTalk) -> None:
    assert talk.touch("src/core/config.ts") == [line("src/core/config", "Env wins.")]
    assert talk.touch("src/core/config.ts") == []


def test_gate_34_touches_of_one_call_are_one_message(talk: TextTalk) -> None:
    talk.call("read", path="src/core/config.ts")
    talk.call("read", path="src/core/other.ts")
    text = talk.talk.flush()
    assert text is not None
    assert text.count("[canon]") == 1
    assert [one.partition(" ")[0] for one in lines(text)] == ["src/core/config", "src/core/other"]


def test_gate_35_no_length_holds_a_line_back(talk: TextTalk) -> None:
    long = "c" * 8_000
    talk.project.write("src/core/config", capsule=long)
    assert talk.touch("src/core/config.ts", "src/core/other.ts") == [
        line("src/core/config", long), line("src/core/other", "Other things."),
    ]  # fmt: skip
    assert talk.talk.flush() is None


def test_gate_40_reading_an_article_withdraws_its_line(talk: TextTalk) -> None:
    talk.call("read", path="src/core/config.ts")
    talk.call("mcp__dcc__canon", action="read", path="src/core/config.ts")
    assert talk.talk.flush() is None
    assert talk.status == (0, 1, 0)


def test_gate_112_an_asset_of_a_mount_surfaces_under_its_name(tmp_path: Path) -> None:
    lake = tmp_path / "lake/fundamentals/market_cap.csv"
    lake.parent.mkdir(parents=True)
    lake.touch()
    project = Project(tmp_path / "proj", mounts=["../lake"])
    project.write("lake:fundamentals/market_cap", capsule="In dollars.")
    for path in (str(lake), "../lake/fundamentals/market_cap.csv"):
        assert TextTalk(project).touch(path) == [line("lake:fundamentals/market_cap", "In dollars.")]


def test_an_article_that_leads_out_of_the_store_does_not_surface(tmp_path: Path, talk: TextTalk) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("---\ncapsule: Secret.\n---\n")
    talk.project.file("src/core/config").unlink()
    talk.project.file("src/core/config").symlink_to(secret)
    assert talk.touch("src/core/config.ts", "src/core/other.ts") == [line("src/core/other", "Other things.")]


# Relevance and touches in one message.


@pytest.fixture
def ruled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TextTalk:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = Project(tmp_path / "proj", retrieval="lexical", standout=1)
    project.write("src/core/config", capsule="Env wins.")
    for number in range(9):
        body = f"Reconciliation rounding, variant {number}. " + "detail " * (number + 1)
        project.write(f"policy/rounding-{number}", capsule=f"Rule {number}: reconciliation rounding.", body=body)
    return TextTalk(project)


def test_gate_70_what_was_touched_comes_before_what_is_relevant(ruled: TextTalk) -> None:
    ruled.call("shell", command="reconciliation rounding rule")
    shown = ruled.touch("src/core/config.ts")
    assert shown[0] == line("src/core/config", "Env wins.")
    assert [one.partition("-")[0] for one in shown[1:]] == ["policy/rounding"] * 3


def test_gate_74_a_message_that_did_not_arrive_is_not_larger_the_next_time(ruled: TextTalk) -> None:
    sent = []
    for query in ("reconciliation rounding rule", "reconciliation rounding variant detail", "rounding detail variant"):
        ruled.call("shell", command=query)
        sent.append(lines(ruled.talk.flush()))
        ruled.talk.undo()
    assert [len(one) for one in sent] == [3, 3, 3]
    assert sent[0] == sent[1] == sent[2]


def test_gate_78_a_scorer_that_fails_breaks_no_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def score(query: str, candidates: object) -> dict[str, float]:
        raise RuntimeError("down")

    project = Project(tmp_path / "proj", retrieval=SimpleNamespace(name="mine", score=score))
    project.write("src/core/config", capsule="Env wins.")
    project.write("policy/x", capsule="A rule.")
    assert TextTalk(project).touch("src/core/config.ts") == [line("src/core/config", "Env wins.")]


def test_gate_129_words_count_without_departures_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = Project(tmp_path / "proj", retrieval="lexical", resurface=False)
    project.write("src/core/config", capsule="Env wins.")
    project.write("policy/timezones", capsule="Timezones are stored in UTC.")
    talk = TextTalk(project)
    talk.touch("src/core/config.ts")
    talk.see("which timezones are stored?")
    assert talk.status[1] == 1
    assert lines(talk.talk.flush()) == [line("policy/timezones", "Timezones are stored in UTC.")]


# What is owed.


def test_gate_80_a_reminder_comes_once_and_only_after_a_change(talk: TextTalk) -> None:
    talk.touch("src/core/config.ts")
    assert talk.talk.settle() is None
    talk.touch("src/core/config.ts", tool="edit")
    text = talk.talk.settle()
    assert text is not None
    assert "src/core/config" in text
    assert talk.talk.settle() is None


MUTATING: list[tuple[str, Any]] = [
    ("exec_command", "sed -i s/a/b/ f"), ("functions.apply_patch", ""), ("Write", ""), ("mcp__fs__write_file", ""),
    ("overwrite", ""), ("str_replace_based_edit_tool", ""), ("NotebookEdit", ""),
    *(("Bash", command) for command in (
        "rm x", "echo hi && mv a b", "sed -i.bak s f", "perl -pi -e s f", "git checkout x", "patch -p1 < x",
        "cat a > b", "echo a >>b", "tee x", "ls | tee out", "ls | xargs rm", "xargs -n 1 rm", "sudo /bin/cp a b",
        "sudo -u me rm a", "FOO=1 rm x", "env -i A=1 rm b", "(rm x)", "sed -e x -i f", "sed --in-place s f",
        "git -C d reset", "git -c a=b --work-tree x checkout .", "bash -lc 'rm x'", "x=$(rm y)", 'echo "$(rm z)"',
        "find . -name a -exec rm {} \\;", "find . -delete", "if true; then rm x; fi", "ls; { rm a; }",
        "timeout 5 rm x", "cat >f <<EOF\nhello\nEOF", "make 2> err.log", "echo 'await tools.apply_patch(x)'",
    )),
]  # fmt: skip
HARMLESS: list[tuple[str, Any]] = [
    ("Read", ""), ("Grep", ""), ("credit", ""), ("unknown", "rm x"),
    *(("Bash", command) for command in (
        "sed -n 1,20p f", "git diff", "git stash push", "git stash", "git commit", "echo rm", "grep -i rm f", "# rm x",
        "ls 2>&1", "ls >/dev/null", "cat a 2>/dev/null", "echo 'a > b'", "awk '$1 > 2' f", "x => y", "a -> b",
        "cat <<EOF\nrm x\nEOF", "tee /dev/null", "sed -es/i/j/ f", "perl -e print", "diff <(cat a) <(cat b)",
    )),
]  # fmt: skip


@pytest.mark.parametrize(("name", "command"), MUTATING)
def test_gate_81_a_change_arms_a_reminder(name: str, command: str) -> None:
    assert mutates(name, {"command": command} if command else {})


@pytest.mark.parametrize(("name", "command"), HARMLESS)
def test_gate_81_nothing_else_does(name: str, command: str) -> None:
    assert not mutates(name, {"command": command} if command else {})


def test_only_what_is_run_is_read_as_a_command() -> None:
    assert not mutates("Bash", {"command": "ls", "description": "rm comes later"})
    assert mutates("shell", {"cmd": ["bash", "-lc", "cd src && rm a"]})
    assert not mutates("str_replace_editor", {"command": "view", "path": "a"})
    for command in (["apply_patch", "*** Begin Patch"], {"view": 1}, None, 5):
        assert mutates("apply_patch", {"command": command})


def test_gate_82_an_article_that_was_updated_is_not_reminded_of(talk: TextTalk) -> None:
    talk.touch("src/core/config.ts", tool="edit")
    talk.use("write", "src/core/config", body="# Config\nNew.")
    assert talk.talk.settle() is None


@pytest.mark.parametrize("changed_before", [True, False])
def test_gates_83_and_84_an_update_exempts_from_nothing_later(talk: TextTalk, changed_before: bool) -> None:
    if changed_before:
        talk.touch("src/core/config.ts", tool="edit")
    talk.use("write", "src/core/config", body="# Config\nNew.")
    talk.touch("src/core/config.ts", tool="edit")
    assert "src/core/config" in (talk.talk.settle() or "")


def test_an_article_that_somebody_else_has_updated_is_not_owed(talk: TextTalk) -> None:
    talk.touch("src/core/config.ts", tool="edit")
    talk.project.put("src/core/config", "---\ncapsule: Updated elsewhere.\n---\n")
    assert talk.talk.settle() is None


def test_gate_95_a_message_that_did_not_arrive_is_offered_again(talk: TextTalk) -> None:
    talk.call("edit", path="src/core/config.ts")
    text = talk.talk.settle()
    talk.talk.undo()
    assert talk.status == (0, 0, 0)
    assert text is not None
    assert lines(text)[-1].startswith("[canon] ")
    assert talk.talk.settle() == text


def test_gate_95_a_line_that_waits_goes_when_its_article_is_read(talk: TextTalk) -> None:
    talk.touch("src/core/config.ts")
    talk.talk.undo()
    talk.use("read", "src/core/config")
    assert talk.talk.flush() is None


# The host's side.


def test_gates_89_103_and_105_nothing_is_said_without_a_touch(talk: TextTalk, tmp_path: Path) -> None:
    assert talk.talk.flush() is talk.talk.settle() is None
    empty = Conversation(Project(tmp_path / "empty").canon)
    empty.called("read", {"path": "src/core/config.ts"})
    assert empty.flush() is empty.settle() is None
    assert not (tmp_path / "empty/.canon").exists()


def test_gates_90_and_91_touches_are_silent_and_a_call_sends_one_message(talk: TextTalk) -> None:
    talk.call("read", path="src/core/config.ts")
    talk.call("read", path="src/core/other.ts")
    talk.call("canon", action="map", path="src/core/config.ts")
    assert len(lines(talk.talk.flush())) == 2
    talk.call("read", path="src/core/config.ts")
    talk.call("pi_canon", action="journal", body="src/core/other.ts")
    assert talk.talk.flush() is None


def test_gate_92_reading_owes_nothing(talk: TextTalk) -> None:
    talk.touch("src/core/config.ts", "src/core/other.ts", tool="grep")
    assert talk.talk.settle() is None


def test_gate_93_an_edit_is_reminded_of_when_the_work_is_done(talk: TextTalk) -> None:
    talk.touch("src/core/config.ts", tool="edit")
    assert "src/core/config" in (talk.talk.settle() or "")


def test_gate_94_an_edit_that_failed_owes_nothing(talk: TextTalk) -> None:
    talk.touch("src/core/config.ts", tool="edit", succeeds=False)
    assert talk.talk.settle() is None


def test_gate_104_the_status_counts_what_surfaced(talk: TextTalk) -> None:
    shown = talk.touch("src/core/config.ts")
    reply = talk.talk.status()
    assert reply.code == "status"
    assert {name: reply.data[name] for name in ("articles", "entries", "surfaced", "present", "chars")} == {
        "articles": 2, "entries": 0, "surfaced": 1, "present": 1, "chars": len(shown[0]),
    }  # fmt: skip


def test_gate_107_without_surfacing_nothing_is_said(tmp_path: Path) -> None:
    project = Project(tmp_path / "proj", surface=False)
    project.write("src/core/config", capsule="Env wins.")
    talk = TextTalk(project)
    assert talk.touch("src/core/config.ts", tool="edit") == []
    assert talk.talk.settle() is None
    assert talk.use("read", "src/core/config").code == "article"
    ledger = LedgerTalk(project)
    assert ledger.touch("src/core/config.ts", tool="edit") == []
    ledger.answer()
    assert ledger.begin() == []


@pytest.mark.parametrize(("resurface", "times"), [(True, 2), (False, 1)])
def test_gate_108_resurfacing_is_switched_from_end_to_end(tmp_path: Path, resurface: bool, times: int) -> None:
    project = Project(tmp_path / "proj", resurface=resurface)
    project.write("src/core/config", capsule="Env wins.")
    talk, ledger = TextTalk(project), LedgerTalk(project)
    shown = talk.touch("src/core/config.ts")
    talk.see("something else altogether")
    assert len(shown + talk.touch("src/core/config.ts")) == times
    held = ledger.touch("src/core/config.ts")
    ledger.fold("canon")
    assert len(held + ledger.touch("src/core/config.ts")) == times


def test_gate_120_a_trace_tells_what_was_staged_and_flushed(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCC_CANON_TRACE", str(tmp_path / "own.jsonl"))
    monkeypatch.setenv("PI_CANON_TRACE", str(tmp_path / "theirs.jsonl"))
    talk = TextTalk(project)
    talk.touch("src/core/config.ts", tool="edit")
    talk.see("something else")
    talk.touch("src/core/config.ts")
    talk.talk.undo()
    talk.use("read", "src/core/config")
    talk.talk.settle()
    rows = [json.loads(one) for one in (tmp_path / "own.jsonl").read_text().splitlines()]
    assert [row["kind"] for row in rows] == [
        "staged", "surfaced", "flushed", "departed", "staged", "surfaced", "flushed", "delivery-undone", "entered",
        "settle-nudge",
    ]  # fmt: skip
    assert rows[0].items() >= {"path": "src/core/config", "asset": "src/core/config.ts"}.items()
    assert rows[1].items() >= {"via": "address", "score": None, "capsule": "Env wins."}.items()
    assert (tmp_path / "theirs.jsonl").read_text().count("\n") == len(rows)


def test_a_trace_that_cannot_be_written_changes_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCC_CANON_TRACE", str(project.folder))
    assert TextTalk(project).touch("src/core/config.ts") == [line("src/core/config", "Env wins.")]


def test_gate_88_the_tool_of_a_session_is_canon_and_is_served(project: Project) -> None:
    ledger = LedgerTalk(project)
    assert tool.NAME in [one["function"]["name"] for one in ledger.session.tools()]
    assert ledger.session.tools("anthropic")[-1]["description"] == tool.description(Options())
    ledger.use("read", "src/core/config")
    assert "# Config" in ledger.session.last_text("toolResult")
