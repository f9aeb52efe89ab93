"""Sessions that Claude Code recorded: one call from many records, and the path from the root to the last one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dcc.runtime.hosts.recorded_session import read_session
from dcc.runtime.hosts.recording import Entry, Note, Recording, Reply, Skipped, ToolResult, Usage, UserMessage
from dcc.runtime.kernel.content import Call


def record(uuid: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": role, "content": content}
    message |= {name: more.pop(name) for name in ("id", "usage") if name in more}
    return {"type": role, "uuid": uuid, "parentUuid": parent, "cwd": "/p", "message": message, **more}


def use(id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": f"{id}.py"}}


def result(id: str, text: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": id, "content": text}]


def read(folder: Path, *records: dict[str, Any]) -> Recording:
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return read_session(path)


def test_the_records_of_a_reply_are_one_call_and_results_of_parallel_calls_stay(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        {"type": "summary", "summary": "an earlier one", "leafUuid": "x"},
        record("1", None, "user", "look"),
        record("2", "1", "assistant", [{"type": "text", "text": "I read."}], id="m1", usage={"input_tokens": 1}),
        record("3", "2", "assistant", [use("a")], id="m1", usage={"input_tokens": 1}),
        record("4", "3", "assistant", [use("b")], id="m1", usage={"input_tokens": 9, "output_tokens": 2}),
        record("5", "3", "user", result("a", "one")),
        record("6", "4", "user", result("b", "two")),
        record("7", "6", "assistant", [{"type": "text", "text": "done"}], id="m2"),
    )
    (turn,) = recording.turns
    calls = (Call("a", "Read", {"file_path": "a.py"}), Call("b", "Read", {"file_path": "b.py"}))
    assert (recording.cwd, recording.calls, turn.user) == ("/p", 2, UserMessage("look"))
    assert turn.steps == (
        Reply("I read.", "", calls, Usage(9, 2), ""),
        ToolResult("a", "Read", "one", is_error=False),
        ToolResult("b", "Read", "two", is_error=False),
        Reply("done", "", (), Usage(), ""),
    )
    assert recording.skipped == (Skipped("summary", 1),)


def test_other_branches_and_subagents_are_left_out_and_counted(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        record("1", None, "user", "look"),
        record("2", "1", "assistant", "a first try", id="m1"),
        record("s", None, "user", "a task", isSidechain=True),
        record("3", "1", "user", "look again"),
        record("4", "3", "assistant", "found", id="m2"),
    )
    assert [turn.user for turn in recording.turns] == [UserMessage("look"), UserMessage("look again")]
    assert {(one.type, one.count) for one in recording.skipped} == {
        ("record of another branch", 1), ("record of a subagent", 1)}  # fmt: skip


def test_a_recorded_compaction_is_left_out_and_said_and_what_came_before_it_stays(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        record("1", None, "user", "look"),
        record("2", "1", "assistant", "found", id="m1"),
        {"type": "system", "subtype": "compact_boundary", "uuid": "3", "parentUuid": None, "logicalParentUuid": "2"},
        record("4", "3", "user", "we looked, and found", isCompactSummary=True),
        record("5", "4", "user", "a reminder of the host", isMeta=True),
        record("6", "5", "user", "go on"),
        record("7", "6", "assistant", "gone on", id="m2"),
    )
    assert [turn.user for turn in recording.turns] == [UserMessage("look"), UserMessage("go on")]
    assert recording.turns[0].steps[-1] == Entry("user", "custom_message", "a reminder of the host")
    assert recording.notes == (Note("compaction", "a recorded compaction is left out"),)


def test_an_unknown_type_is_counted_and_named_and_a_torn_line_left_out(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    talk = record("1", None, "user", "look"), record("2", "1", "assistant", "yes")
    lines = [{"type": "new-thing", "uuid": "0"}, *talk]
    path.write_text("\n".join(map(json.dumps, lines)) + '\n{"type": "us', encoding="utf-8")
    recording = read_session(path)
    assert recording.calls == 1
    assert recording.skipped == (Skipped("new-thing", 1, unknown=True),)
    assert [note.code for note in recording.notes] == ["torn_line"]
