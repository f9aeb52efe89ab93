"""Hooks of Claude Code and Codex, started as processes with events as those hosts send them (gates 152 to 154)."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from canon_hooks import Host
from canon_project import Project
from canon_talk import line
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.hosts.claude_code.changes import change_between
from dcc.runtime.hosts.claude_code.state import State, state_file
from dcc.runtime.memory.store.lock import locked

CONFIG, OTHER = "src/core/config.ts", "src/core/other.ts"
CONFIG_LINE, OTHER_LINE = line("src/core/config", "Env wins."), line("src/core/other", "Other.")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "proj")
    made.write("src/core/config", capsule="Env wins.", body="# Config")
    made.write("src/core/other", capsule="Other.", body="# Other")
    return made


@pytest.fixture
def codex(project: Project) -> Host:
    return Host(project.folder, "codex")


@pytest.fixture
def claude(project: Project) -> Host:
    return Host(project.folder, "claude-code")


def test_gate_152_codex_surfaces_once_until_the_context_is_made_anew(codex: Host) -> None:
    assert codex.start("startup") == {}
    assert codex.used("Read", {"file_path": CONFIG}) == [CONFIG_LINE]
    assert codex.used("Read", {"file_path": CONFIG}) == []
    assert codex.start("resume") == {}
    assert codex.used("Read", {"file_path": CONFIG}) == []
    assert codex.start("compact") == {}
    assert codex.used("Read", {"file_path": CONFIG}) == [CONFIG_LINE]
    assert codex.stop() == {}


def test_gate_152_codex_is_reminded_once_after_changes(codex: Host) -> None:
    codex.used("Edit", {"file_path": CONFIG})
    codex.used("exec_command", {"cmd": f"sed -i s/a/b/ {OTHER}"})
    stop = codex.stop()
    assert stop["decision"] == "block"
    assert "src/core/config, src/core/other" in stop["reason"]
    assert codex.stop() == {}
    codex.used("Edit", {"file_path": CONFIG})
    assert codex.stop(active=True) == {}
    codex.start("clear")
    assert codex.stop() == {}


def test_gate_153_a_change_of_the_article_clears_what_came_before_it(codex: Host, project: Project) -> None:
    script = {"input": f"await tools.apply_patch('*** Update File: {CONFIG}')"}
    codex.used("exec", script)
    project.write("src/core/config", capsule="Env always wins.")
    assert codex.stop() == {}
    codex.used("exec", script)
    assert codex.stop()["decision"] == "block"


def test_gate_154_claude_gets_one_packet_a_batch(claude: Host) -> None:
    twice = ("Read", {"file_path": CONFIG})
    assert claude.batch(twice, ("Grep", {"path": OTHER}), twice) == [CONFIG_LINE, OTHER_LINE]
    claude.start("clear")
    own = ("mcp__canon__canon", {"action": "read", "path": CONFIG})
    assert claude.batch(("Read", {"file_path": CONFIG}), own, ("Read", {"file_path": OTHER})) == [OTHER_LINE]


def test_a_write_through_the_tool_settles_what_was_owed(claude: Host) -> None:
    claude.batch(("Edit", {"file_path": CONFIG}))
    claude.batch(("mcp__canon__canon", {"action": "write", "path": CONFIG, "body": "# Config"}))
    assert claude.stop() == {}


@pytest.mark.parametrize(
    "response",
    [{"is_error": True}, {"isError": True, "content": []}, {"success": False}, {"exit_code": 1, "output": ""}],
)
def test_a_tool_that_failed_owes_nothing(codex: Host, response: dict[str, object]) -> None:
    assert codex.used("Edit", {"file_path": CONFIG}, response) == [CONFIG_LINE]
    assert codex.stop() == {}


def test_a_project_without_a_store_gets_nothing_and_no_store(tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    (folder / "src").mkdir(parents=True)
    (folder / "src/a.py").touch()
    host = Host(folder, "claude-code")
    assert host.start("startup") == {}
    assert host.batch(("Edit", {"file_path": "src/a.py"})) == []
    assert host.stop() == {}
    assert [path.name for path in folder.rglob("*")] == ["src", "a.py"]


def test_a_cd_into_a_part_of_the_project_stays_in_it(project: Project) -> None:
    host = Host(project.folder, "claude-code", CLAUDE_PROJECT_DIR=str(project.folder))
    host.folder = project.folder / "src"
    assert host.batch(("Read", {"file_path": str(project.folder / CONFIG)})) == [CONFIG_LINE]
    host.folder = project.folder / "src/core"
    assert host.batch(("Bash", {"command": "wc -l ./other.ts"})) == [OTHER_LINE]
    assert host.start("clear") == {}
    assert host.batch(("Bash", {"command": f"wc -l {OTHER}"})) == [OTHER_LINE]


def test_a_project_may_be_reached_by_a_link(project: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project.folder)
    host = Host(project.folder, "codex")
    assert host.used("Read", {"file_path": str(tmp_path / "link" / CONFIG)}) == [CONFIG_LINE]
    host.folder = tmp_path / "link"
    assert host.used("Read", {"file_path": str(project.folder / OTHER)}) == [OTHER_LINE]


def test_a_store_is_never_written(claude: Host, project: Project) -> None:
    left = project.root / ".dcc/tmp/left-by-a-writer-that-died"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.touch()
    before = {path: path.stat().st_mtime_ns for path in project.root.rglob("*")}
    claude.batch(("Edit", {"file_path": CONFIG}))
    claude.stop()
    assert {path: path.stat().st_mtime_ns for path in project.root.rglob("*")} == before


def test_sessions_folders_and_hosts_have_a_state_each(project: Project, claude: Host) -> None:
    claude.batch(("Read", {"file_path": CONFIG}))
    assert Host(project.folder, "claude-code", "another").batch(("Read", {"file_path": CONFIG})) == [CONFIG_LINE]
    assert Host(project.folder, "codex").used("Read", {"file_path": CONFIG}) == [CONFIG_LINE]
    assert claude.batch(("Read", {"file_path": CONFIG})) == []


def test_a_state_lies_where_the_host_says_and_that_of_version_1_is_read(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "plugin"
    host = Host(project.folder, "codex", PLUGIN_DATA=str(data))
    file = Path(state_file("codex", host.session, str(project.folder), host.environ))
    assert file.parent == data / "sessions"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"version": 1, "seen": ["src/core/other"], "pending": ["src/core/config"]}))
    assert host.used("Read", {"file_path": OTHER}) == []
    assert "src/core/config" in host.stop()["reason"]
    assert json.loads(file.read_text()) == {"version": 2, "seen": ["src/core/other"], "pending": []}
    file.write_text("{ half")
    assert host.used("Read", {"file_path": OTHER}) == [OTHER_LINE]


@pytest.mark.parametrize(
    "data", [b"", b"garbage", b"[]", b"{", b"\xff\xfe", b"null", b'{"hook_event_name": 3, "tool_calls": 4}']
)
def test_what_is_no_event_is_answered_with_nothing(claude: Host, data: bytes) -> None:
    assert claude.raw(data)[0] == {}


def test_what_is_no_json_is_told_in_plain_words(claude: Host) -> None:
    assert claude.raw(b"garbage")[1].startswith("dcc canon hook: the event is no JSON: ")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"[" * 200_000, "RecursionError", id="deep"),
        pytest.param(b'{"x": ' + b"9" * 5_000 + b"}", "the event is no JSON", id="a long number"),
        pytest.param(b'{"x": "' + b"x" * (64 << 20) + b'"}', "the event has more than", id="large"),
    ],
)
def test_what_is_more_than_any_event_is_answered_with_nothing(claude: Host, data: bytes, said: str) -> None:
    reply, error = claude.raw(data)
    assert (reply, said in error) == ({}, True)


@pytest.mark.parametrize(
    "fields",
    [
        {"cwd": "/\0"}, {"cwd": 5}, {"cwd": "/" + "a" * 100_000}, {"cwd": "\udcff"}, {"session_id": {}},
        {"session_id": "\ud800" * 1_000}, {"hook_event_name": ["Stop"]}, {"tool_calls": {"a": 1}},
    ],
    ids=str,
)  # fmt: skip
def test_fields_that_no_host_sends_break_nothing(claude: Host, fields: dict[str, object]) -> None:
    event = {"hook_event_name": "PostToolBatch", "session_id": "s", "cwd": str(claude.folder), "tool_calls": []}
    reply, error = claude.raw(json.dumps({**event, **fields}).encode())
    assert (reply, error) == ({}, "")


def test_a_batch_without_an_end_is_answered(claude: Host) -> None:
    command = ("Bash", {"command": f"sed -i s/a/b/ {CONFIG}; {'echo x; ' * 500_000}"})
    written = ("Write", {"file_path": OTHER, "content": "a/b c/d " * 500_000})
    assert claude.batch(command, written, *[("Read", {"file_path": OTHER})] * 20_000) == [CONFIG_LINE, OTHER_LINE]
    assert "src/core/config, src/core/other" in claude.stop()["reason"]


def test_many_hooks_at_once_lose_nothing(project: Project, claude: Host) -> None:
    for number in range(12):
        project.asset(f"src/many/f{number}.ts")
        project.write(f"src/many/f{number}", capsule=f"Number {number}.")
    with ThreadPoolExecutor(3) as pool:
        lines = list(pool.map(lambda n: claude.batch(("Edit", {"file_path": f"src/many/f{n}.ts"})), range(12)))
    assert [len(found) for found in lines] == [1] * 12
    reason = claude.stop()["reason"]
    assert all(f"src/many/f{number}" in reason for number in range(12))


def test_sixty_hooks_that_never_get_the_lock_lose_nothing(project: Project, claude: Host) -> None:
    numbers = range(60)
    for number in numbers:
        project.asset(f"src/many/f{number}.ts")
        project.write(f"src/many/f{number}", capsule=f"Number {number}.")
    claude.batch(("Edit", {"file_path": CONFIG}))
    file = state_file("claude-code", claude.session, str(project.folder), claude.environ)
    with locked(f"{file}.held"), ThreadPoolExecutor(60) as pool:
        lines = list(pool.map(lambda n: claude.batch(("Edit", {"file_path": f"src/many/f{n}.ts"})), numbers))
    assert lines == [[line(f"src/many/f{number}", f"Number {number}.")] for number in numbers]
    assert claude.batch(("Read", {"file_path": CONFIG}), ("Read", {"file_path": "src/many/f7.ts"})) == []
    reason = claude.stop()["reason"]
    owed = {"src/core/config", *(f"src/many/f{number}" for number in numbers)}
    assert {word.strip(",.") for word in reason.split() if word.startswith("src/")} == owed
    assert claude.stop() == {}


@pytest.mark.slow
def test_a_session_that_begins_anew_while_others_hold_its_state_forgets(project: Project, claude: Host) -> None:
    claude.batch(("Edit", {"file_path": CONFIG}))
    file = state_file("claude-code", claude.session, str(project.folder), claude.environ)
    with locked(f"{file}.held"):
        assert claude.start("clear") == {}
        assert claude.stop() == {}
        assert claude.batch(("Read", {"file_path": CONFIG})) == [CONFIG_LINE]
        assert claude.batch(("Read", {"file_path": CONFIG})) == []
    assert claude.batch(("Read", {"file_path": CONFIG})) == []


ADDRESSES = st.lists(st.sampled_from("abcd"), max_size=4, unique=True)
STATES = st.builds(State, ADDRESSES, st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["1", "2", None])))


@given(STATES, STATES)
def test_a_change_leads_from_one_state_to_the_other_however_often(before: State, after: State) -> None:
    change = change_between(before, after)
    found = change.applied_to(change.applied_to(before))
    assert (set(found.seen), found.pending) == (set(after.seen), after.pending)


@pytest.mark.parametrize("made", ["pipe", "device", "folder", "deep", "large"])
def test_settings_that_cannot_be_read_hold_no_host_up(project: Project, tmp_path: Path, made: str) -> None:
    settings = tmp_path / "config/dcc/canon.json"
    settings.parent.mkdir(parents=True)
    match made:
        case "pipe":
            os.mkfifo(settings)
        case "device":
            settings.symlink_to("/dev/zero")
        case "folder":
            settings.mkdir()
        case _:
            settings.write_text("[" * 100_000 if made == "deep" else '{"standout": 1' + "0" * 400 + "}")
    host = Host(project.folder, "codex", "s", XDG_CONFIG_HOME=str(tmp_path / "config"))
    event = {"hook_event_name": "Stop", "session_id": "s", "cwd": str(project.folder)}
    reply, said = host.raw(json.dumps(event).encode())
    assert reply == {}
    assert ("standout must be" in said) if made == "large" else (f"cannot read {settings}: " in said)


def test_fields_of_other_types_are_passed_over(claude: Host) -> None:
    assert claude.send("PostToolBatch", tool_calls=[3, {"tool_name": None, "tool_input": "x"}, {}]) == {}
    assert claude.send("PostToolBatch", tool_calls="all") == {}
    assert claude.send("Notification") == {}
    assert claude.send("SessionStart", source=None) == {}


def test_trouble_is_told_on_standard_error_alone(project: Project, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    host = Host(project.folder, "codex", "s", PLUGIN_DATA=str(tmp_path / "file"))
    event = {"hook_event_name": "Stop", "session_id": "s", "cwd": str(project.folder)}
    reply, said = host.raw(json.dumps(event).encode())
    assert reply == {}
    assert "dcc canon hook" in said
    assert host.used("Edit", {"file_path": CONFIG}) == [CONFIG_LINE]
    assert Host(project.folder, "codex", "s", "--wrong").raw(b"{}")[0] == {}


def test_read_only_and_the_users_settings_silence_it(project: Project, tmp_path: Path) -> None:
    host = Host(project.folder, "codex", "s", "--read-only")
    assert host.used("Edit", {"file_path": CONFIG}) == [CONFIG_LINE]
    assert host.stop() == {}
    settings = tmp_path / "config/dcc/canon.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"surface": false}')
    silent = Host(project.folder, "codex", "t", XDG_CONFIG_HOME=str(tmp_path / "config"))
    assert silent.used("Edit", {"file_path": CONFIG}) == []
    assert silent.stop() == {}


def test_a_session_of_any_name_is_one(project: Project) -> None:
    sessions, environ = ("\ud800", "\udcff", "s"), {"HOME": "/h"}
    found = {state_file("claude-code", session, str(project.folder), environ) for session in sessions}
    assert len(found) == 3


def test_a_patch_names_its_files_and_a_command_the_folder_that_it_works_in(codex: Host, project: Project) -> None:
    for name in ("package.json", "docs/a b.md"):
        project.asset(name)
        project.write(name, capsule="P.")
    patch = (
        "*** Begin Patch\n*** Update File: package.json\n@@\n-a\n+b\n*** Update File: docs/a b.md\n@@\n-a\n+b\n"
        "*** End Patch\n"
    )
    lines = [line("package", "P."), line("docs/a b", "P.")]
    assert codex.used("apply_patch", {"command": ["apply_patch", patch]}) == lines
    assert "package, docs/a b" in codex.stop()["reason"]
    assert codex.used("exec_command", {"cmd": "sed -i s/a/b/ core/other.ts", "workdir": "src"}) == [OTHER_LINE]
    assert "src/core/other" in codex.stop()["reason"]
    absolute = {"command": ["bash", "-lc", "cat core/config.ts"], "workdir": str(project.folder / "src")}
    assert codex.used("shell", absolute) == [CONFIG_LINE]
    assert codex.used("shell", {"command": ["ls"], "workdir": 3}) == []
