"""Canon in a session: when lines are borne, which version they show, what lasts, and what is never done."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from canon_project import Project
from canon_talk import RULES, LedgerTalk, line, lines
from play import program_of

from dcc.compiler.load import load_program
from dcc.runtime.hosts.pi_session import read_pi_session
from dcc.runtime.memory.canon import Canon
from dcc.runtime.replay.run import replay
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.verifying import verify
from dcc.runtime.values import GovernanceFlags

CONFIG, OTHER = "src/core/config.ts", "src/core/other.ts"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "proj")
    made.write("src/core/config", capsule="Env wins.", body="# Config")
    made.write("src/core/other", capsule="Other.", body="# Other")
    return made


@pytest.fixture
def talk(project: Project) -> LedgerTalk:
    return LedgerTalk(project)


def files_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a folder, with when it was changed."""
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()
    }


# When.


def test_the_call_that_reads_a_file_does_not_hold_its_line_and_the_next_one_does(talk: LedgerTalk) -> None:
    talk.touch(CONFIG)
    first, second = talk.requests
    assert [shown.element for shown in first.visible] == ["user"]
    assert [shown.slot for shown in second.visible] == ["user@1", "toolCall@1", "toolResult@1", "canon@1"]
    assert second.messages[-1]["role"] == "user"
    assert second.messages[-1]["content"].startswith("[canon]\n")
    assert second.messages[-1]["content"].endswith(line("src/core/config", "Env wins."))


def test_lines_of_a_call_are_one_slot_behind_its_last_result(talk: LedgerTalk) -> None:
    talk.session.request()
    calls = [ToolCall(f"c{n}", "read", {"path": path}) for n, path in enumerate((CONFIG, OTHER))]
    talk.session.add_reply(Reply(calls=tuple(calls)))
    talk.session.add_result("c1", "second")
    assert "canon@1" not in talk.session.stage()
    talk.session.add_result("c0", "first")
    assert talk.session.stage()[-1] == "canon@1"
    assert len(lines(talk.session.last_text("canon"))) == 2
    assert talk.session.why("canon@1")


@pytest.mark.parametrize("format", ["openai", "anthropic", "pi"])
def test_a_line_breaks_no_prefix(talk: LedgerTalk, format: str) -> None:
    for path in (CONFIG, OTHER):
        talk.touch(path)
    talk.answer()
    assert talk.session.take_happenings().breaks == ()


def test_a_read_in_the_same_call_withdraws_the_line(talk: LedgerTalk) -> None:
    assert talk.call(("read", {"path": CONFIG}), ("canon", {"action": "read", "path": CONFIG})) == []


def test_a_file_that_the_call_deletes_was_touched(talk: LedgerTalk) -> None:
    talk.session.request()
    talk.session.add_reply(Reply(calls=(ToolCall("c", "bash", {"command": f"rm {CONFIG}"}),)))
    (talk.project.folder / CONFIG).unlink()
    talk.session.add_result("c", "")
    assert "Env wins." in talk.session.last_text("canon")


def test_a_call_without_tools_bears_nothing(talk: LedgerTalk) -> None:
    talk.answer()
    assert talk.begin() == []
    assert talk.status == (0, 0, 0)


# Which version.


def test_a_changed_article_surfaces_anew_and_the_old_line_leaves(talk: LedgerTalk) -> None:
    talk.touch(CONFIG)
    talk.project.put("src/core/config", "---\ncapsule: Env lost.\n---\n")
    assert talk.touch(CONFIG) == ["src/core/config: Env lost."]
    assert [one for one in talk.session.stage() if one.startswith("canon")] == ["canon@1.2"]


def test_a_slot_of_two_lines_leaves_when_both_have_newer_ones(talk: LedgerTalk) -> None:
    talk.touch(CONFIG, OTHER)
    talk.project.put("src/core/config", "---\ncapsule: Env lost.\n---\n")
    talk.touch(CONFIG)
    assert [one for one in talk.session.stage() if one.startswith("canon")] == ["canon@1", "canon@1.2"]
    talk.project.put("src/core/other", "---\ncapsule: Another.\n---\n")
    talk.touch(OTHER)
    assert [one for one in talk.session.stage() if one.startswith("canon")] == ["canon@1.2", "canon@1.3"]
    talk.project.put("src/core/config", "---\ncapsule: Third.\n---\n")
    talk.project.put("src/core/other", "---\ncapsule: Third.\n---\n")
    talk.touch(CONFIG, OTHER)
    assert [one for one in talk.session.stage() if one.startswith("canon")] == ["canon@1.4"]


def test_a_ruleset_may_say_how_long_lines_stay(project: Project) -> None:
    rules = {**RULES, "life_cycle": {**RULES["life_cycle"], "canon": ["born", "born"]}}
    talk = LedgerTalk(project, program_of(rules))
    assert talk.touch(CONFIG) == [line("src/core/config", "Env wins.")]
    talk.answer()
    talk.begin()
    assert talk.touch(CONFIG) == [line("src/core/config", "Env wins.")]


def test_a_write_of_the_session_is_present_and_its_base_is_known(talk: LedgerTalk) -> None:
    talk.use("write", CONFIG, body="# Config\nNew.")
    assert talk.touch(CONFIG) == []
    talk.project.put("src/core/config", "---\ncapsule: Theirs.\n---\n")
    talk.use("write", CONFIG, body="# Mine")
    assert "Theirs." in talk.session.last_text("toolResult")
    assert talk.project.file("src/core/config").read_text() == "---\ncapsule: Theirs.\n---\n"
    assert talk.touch(CONFIG) == []  # The reply has shown it as it is.


# What is owed.


def test_a_reminder_comes_with_the_next_turn_once_and_for_that_turn_alone(talk: LedgerTalk) -> None:
    talk.touch(CONFIG, tool="edit")
    talk.answer()
    assert talk.begin() == ["canon@2"]
    shown = talk.requests[-1].visible
    assert [one.slot for one in shown][-2:] == ["user@2", "canon@2"]
    assert "src/core/config" in talk.session.last_text("canon")
    talk.answer()
    assert talk.begin() == []
    assert "canon@2" not in talk.session.stage()


@pytest.mark.parametrize("way", ["failed", "updated", "elsewhere", "read"])
def test_nothing_is_owed_for_what_failed_or_was_updated(talk: LedgerTalk, way: str) -> None:
    talk.touch(CONFIG, tool="read" if way == "read" else "edit", failing=way == "failed")
    if way == "updated":
        talk.use("write", CONFIG, body="# Config\nNew.")
    if way == "elsewhere":
        talk.project.put("src/core/config", "---\ncapsule: Theirs.\n---\n")
    talk.answer()
    assert talk.begin() == []


def test_a_turn_that_is_taken_back_takes_its_reminder_along(talk: LedgerTalk) -> None:
    talk.touch(CONFIG, tool="edit")
    talk.answer()
    assert talk.begin() == ["canon@2"]
    talk.session.fail("provider")
    assert talk.begin() == ["canon@2"]


# What lasts.


@pytest.fixture
def stored(project: Project, tmp_path: Path) -> tuple[Path, LedgerTalk]:
    file = tmp_path / "sessions.db"
    talk = LedgerTalk(project)
    talk.session = Session.create(
        program_of(RULES), store=SqliteStore(file, "s"), folder=str(project.folder), clock=project.clock
    )
    talk.session.begin("Go.")
    return file, talk


def reopen(talk: LedgerTalk, file: Path) -> None:
    talk.session = Session.open(SqliteStore(file, "s"), program_of(RULES), clock=talk.project.clock)


@pytest.mark.parametrize("snapshot", [True, False])
def test_a_session_that_is_taken_up_again_knows_what_surfaced(
    stored: tuple[Path, LedgerTalk], snapshot: bool
) -> None:
    file, talk = stored
    talk.touch(CONFIG)
    talk.touch(OTHER, tool="edit")
    talk.answer()
    state, status = talk.session.state_hash(), talk.status
    if snapshot:
        talk.session.__exit__(None, None, None)
    reopen(talk, file)
    assert (talk.session.state_hash(), talk.status) == (state, status)
    assert talk.begin() == ["canon@2"]
    assert talk.touch(CONFIG, OTHER) == []
    assert verify(SqliteStore(file, "s", read_only=True)).difference is None


def test_a_crash_between_two_results_loses_no_touch(stored: tuple[Path, LedgerTalk]) -> None:
    file, talk = stored
    talk.session.request()
    calls = (ToolCall("c1", "bash", {"command": f"rm {CONFIG}"}), ToolCall("c2", "read", {"path": OTHER}))
    talk.session.add_reply(Reply(calls=calls))
    (talk.project.folder / CONFIG).unlink()
    talk.session.add_result("c1", "")
    reopen(talk, file)
    talk.session.resume()
    talk.session.add_result("c2", "")
    assert len(lines(talk.session.last_text("canon"))) == 2


def test_a_journal_entry_is_not_written_twice_after_a_crash(
    stored: tuple[Path, LedgerTalk], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, talk = stored
    talk.session.request()
    talk.session.add_reply(Reply(calls=(ToolCall("c", "canon", {"action": "journal", "body": "It happened."}),)))
    served = Canon.call

    def dying(canon: Canon, arguments: dict[str, object]) -> object:
        served(canon, arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(Canon, "call", dying)
    with pytest.raises(KeyboardInterrupt):
        talk.session.serve("c")
    monkeypatch.undo()
    reopen(talk, file)
    assert talk.session.resume().interrupted == ("c",)
    assert len(os.listdir(talk.project.root / "journal")) == 1


def test_what_the_session_read_before_it_was_taken_up_again_guards_its_writes(
    stored: tuple[Path, LedgerTalk],
) -> None:
    file, talk = stored
    talk.use("read", CONFIG)
    reopen(talk, file)
    talk.project.put("src/core/config", "---\ncapsule: Theirs.\n---\n")
    talk.use("write", CONFIG, body="# Mine")
    assert "Theirs." in talk.project.file("src/core/config").read_text()


# What is never done.


def test_a_session_that_only_reads_canon_writes_nothing_and_reminds_of_nothing(project: Project) -> None:
    store = MemoryStore()
    flags = GovernanceFlags(canon_read_only=True)
    talk = LedgerTalk(project, flags=flags, store=store)
    before = files_of(project.root)
    assert talk.touch(CONFIG, tool="edit") == [line("src/core/config", "Env wins.")]
    for action in ("write", "journal"):
        talk.use(action, CONFIG, body="# Never written")
        assert "read-only" in talk.session.last_text("toolResult")
    talk.use("read", CONFIG)
    assert "# Config" in talk.session.last_text("toolResult")
    talk.answer()
    assert talk.begin() == []
    assert files_of(project.root) == before
    talk.answer()
    # What is owed stays owed, and is told where it can be done.
    talk.session = Session.open(store, talk.session.program, clock=project.clock)
    assert len(talk.begin()) == 1


def test_undo_takes_back_views_and_says_that_files_stay(talk: LedgerTalk) -> None:
    talk.touch(OTHER)
    talk.answer()
    talk.session.keep("user@1")
    talk.begin()
    talk.use("write", CONFIG, body="# New")
    talk.answer()
    talk.session.take_happenings()
    text = talk.project.file("src/core/config").read_text()
    talk.session.undo()
    notices = dict(talk.session.take_happenings().notices)
    assert "src/core/config" in notices["canon_files_stay"]
    assert talk.project.file("src/core/config").read_text() == text
    talk.session.keep("user@1")
    talk.session.undo()
    assert "canon_files_stay" not in dict(talk.session.take_happenings().notices)


def recorded(project: Project, tmp_path: Path) -> Path:
    """A session that pi recorded in the project: a read, a write of an article, an entry, an answer."""

    def entry(role: str, **message: object) -> dict[str, object]:
        return {"type": "message", "message": {"role": role, **message}}

    def call(number: int, name: str, **arguments: object) -> list[dict[str, object]]:
        asked = {"type": "toolCall", "id": f"c{number}", "name": name, "arguments": arguments}
        text = [{"type": "text", "text": "done"}]
        return [
            entry("assistant", content=[asked], stopReason="toolUse"),
            entry("toolResult", toolCallId=f"c{number}", toolName=name, content=text, isError=False),
        ]

    rows: list[dict[str, object]] = [
        {"type": "session", "version": 1, "id": "x", "cwd": str(project.folder)},
        entry("user", content="Go."),
        *call(1, "read", path=CONFIG),
        *call(2, "canon", action="write", path=OTHER, body="# Never written"),
        *call(3, "canon", action="journal", body="Never logged."),
        *call(4, "edit", path=OTHER),
        entry("assistant", content=[{"type": "text", "text": "Done."}], stopReason="stop"),
        entry("user", content="And?"),
        entry("assistant", content=[{"type": "text", "text": "Done."}], stopReason="stop"),
    ]
    file = tmp_path / "recorded.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_replay_shows_lines_and_writes_nothing(project: Project, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("extends: [standard]\ncanon: {}\n")
    before = files_of(project.folder)
    found = replay(read_pi_session(recorded(project, tmp_path)), load_program(rules))
    assert [slot for slot in found.slots if slot.startswith("canon")] == ["canon@1", "canon@2"]
    held = [[slot for slot in found.names(call.shown) if slot.startswith("canon")] for call in found.calls]
    assert held == [[], ["canon@1"], ["canon@1"], ["canon@1"], ["canon@1"], ["canon@1", "canon@2"]]
    assert files_of(project.folder) == before


def test_a_session_that_is_only_looked_at_opens_no_store(project: Project, tmp_path: Path) -> None:
    left = project.root / ".dcc/tmp/left-by-a-writer-that-died"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.touch()
    store = MemoryStore()
    Session.create(program_of(RULES), store=store, folder=str(project.folder))
    session = Session.open(store, program_of(RULES))
    assert session.stage() == ()
    assert session.tools()[-1]["function"]["name"] == "canon"
    assert left.exists()


# The command.


def test_the_command_shows_what_is_there_and_sets_what_holds(talk: LedgerTalk) -> None:
    talk.touch(CONFIG)
    talk.answer()
    assert (talk.session.begin("/canon").output or "").count("1 surfaced") == 1
    assert talk.session.begin("/canon settings surface off").error is None
    assert "surface = off (this session)" in (talk.session.begin("/pi-canon settings").output or "")
    talk.begin()
    assert talk.touch(OTHER) == []


@pytest.mark.parametrize(
    ("words", "code"),
    [("standout 0.5", "bad_option"), ("retrieval bm25", "bad_option"), ("root x", "unknown_option"),
     ("budget", "unknown_option")],
)  # fmt: skip
def test_a_wrong_setting_changes_nothing(talk: LedgerTalk, words: str, code: str) -> None:
    assert talk.session.begin(f"/canon settings {words}").error == code
    assert talk.session.canon.options == talk.project.canon.options


def test_without_a_section_there_is_no_canon(project: Project) -> None:
    session = Session.create(program_of({}), folder=str(project.folder))
    assert session.begin("/canon").error == "no_canon"
    assert "canon" not in [tool["function"]["name"] for tool in session.tools()]
    session.begin("Go.")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c", "read", {"path": CONFIG}),)))
    session.add_result("c", "")
    assert not [one for one in session.stage() if one.startswith("canon")]


def test_relevance_rides_in_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = Project(tmp_path / "proj", retrieval="lexical")
    project.write("policy/rounding", capsule="Totals round half to even.", body="Reconciliation.")
    talk = LedgerTalk(project)
    assert talk.touch(CONFIG) == []
    shown = talk.call(("shell", {"command": "reconciliation totals rounding"}))
    assert shown == [line("policy/rounding", "Totals round half to even.")]
    talk.fold("canon")
    assert talk.call(("shell", {"command": "totals rounding check"})) == []
