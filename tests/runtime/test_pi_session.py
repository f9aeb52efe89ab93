"""Reading recorded pi sessions: what counts, what is skipped and named, and what damage does."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.hosts.pi_session import (
    Entry,
    Header,
    Note,
    Reply,
    SessionFileError,
    Skipped,
    ToolResult,
    Turn,
    Usage,
    UserMessage,
    iter_pi_session,
    read_pi_session,
)
from dcc.runtime.hosts.recording import Item
from dcc.runtime.kernel.content import Call, Image, Opaque, Text, signed_thought, thought_of

SMALL = Path(__file__).parent.parent / "data" / "small_session.jsonl"
HELLO = {"type": "message", "message": {"role": "user", "content": "hello"}}


def written(folder: Path, *records: dict[str, Any] | str) -> Path:
    path = folder / "session.jsonl"
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def message(role: str, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, **fields}}


def items(folder: Path, *records: dict[str, Any] | str) -> list[Item]:
    return list(iter_pi_session(written(folder, *records)))


def test_the_small_session() -> None:
    recording = read_pi_session(SMALL)
    assert recording.cwd == "/home/ada/tide-table"
    assert recording.calls == 31
    assert [len(turn.steps) for turn in recording.turns] == [0, 5, 12, 5, 8, 2, 1, 4, 6, 8, 7, 5]
    assert {(skipped.type, skipped.count) for skipped in recording.skipped if not skipped.unknown} == {
        ("thinking_level_change", 1),
        ("model_change", 1),
        ("custom", 1),
        ("reply without content (aborted)", 1),
        ("reply without content (error)", 1),
    }
    assert [skipped for skipped in recording.skipped if skipped.unknown] == [Skipped("telemetry", 1, True)]
    assert [note.code for note in recording.notes] == ["compaction"]


def test_every_user_message_begins_a_turn_in_a_tool_loop_too() -> None:
    turns = read_pi_session(SMALL).turns
    (loop,) = [
        turn for turn in turns if turn.user == UserMessage("Search for every place that still says sin.")
    ]
    assert [type(step) for step in loop.steps] == [Reply, ToolResult]
    assert turns[turns.index(loop) + 1].user == UserMessage("stop, not the whole disk! only this folder")


def test_parts_of_the_small_session() -> None:
    turns = read_pi_session(SMALL).turns
    first = turns[1].steps[0]
    assert isinstance(first, Reply)
    assert [call.id for call in first.calls] == ["call_01", "call_02", "call_03"]
    assert first.calls[0].arguments == '{"path":"tide.py"}'
    assert isinstance(first.thinking, tuple)
    assert isinstance(first.thinking[0], Opaque)
    assert thought_of(first.thinking[0]) is not None
    assert first.usage == Usage(12, first.usage.output, 940, first.usage.cache_write)
    [shown] = [turn.user.content for turn in turns if turn.user and not isinstance(turn.user.content, str)]
    assert [type(part) for part in shown] == [Text, Image]
    entries = [step for turn in turns for step in turn.steps if isinstance(step, Entry)]
    assert [entry.element for entry in entries] == ["bashExecution", "bashExecution", "custom_message"]
    assert entries[1].content == (
        "$ make lint\nmake: *** No rule to make target 'lint'.  Stop.\n[exit code 2]"
    )
    broken_off = turns[10].steps[-1]
    assert isinstance(broken_off, Reply)
    assert (broken_off.text, broken_off.stop_reason) == ("One more place in the te", "aborted")


def test_gzip_is_told_by_its_bytes(tmp_path: Path) -> None:
    packed = tmp_path / "session"
    packed.write_bytes(gzip.compress(SMALL.read_bytes()))
    assert read_pi_session(packed).turns == read_pi_session(SMALL).turns


def test_a_torn_last_line_is_named(tmp_path: Path) -> None:
    torn = tmp_path / "session.jsonl"
    torn.write_bytes(SMALL.read_bytes()[:-40])
    whole, cut = read_pi_session(SMALL), read_pi_session(torn)
    assert cut.calls == whole.calls - 1
    assert Note("torn_line", "the last line (83) is torn: it is left out") in cut.notes


def test_a_torn_gzip_is_a_torn_last_line(tmp_path: Path) -> None:
    torn = tmp_path / "session.jsonl.gz"
    torn.write_bytes(gzip.compress(SMALL.read_bytes())[:-600])
    cut = read_pi_session(torn)
    assert 0 < cut.calls < 31
    assert "torn_line" in [note.code for note in cut.notes]


def test_lines_in_the_middle_that_are_no_json_are_counted(tmp_path: Path) -> None:
    found = items(tmp_path, HELLO, "{torn", "", "[1]", message("assistant", content="hi", stopReason="stop"))
    assert found == [
        UserMessage("hello"),
        Reply("hi", "", (), Usage(), "stop"),
        Note("damaged_lines", "2 lines hold no JSON object and are left out: 2, 4"),
    ]


def test_a_reply(tmp_path: Path) -> None:
    content = [
        {"type": "thinking", "thinking": "a", "thinkingSignature": "c2ln"},
        {"type": "thinking", "thinking": "b", "thinkingSignature": ""},
        {"type": "thinking", "thinking": "", "thinkingSignature": "eHl6", "redacted": True},
        {"type": "thinking", "thinking": ""},
        {"type": "text", "text": "one"},
        {"type": "text", "text": ""},
        {"type": "text", "text": "two"},
        {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}, "partialJson": "{"},
        {"type": "toolCall", "id": None, "name": "ls", "arguments": None},
        {"type": "toolCall", "id": "c3", "name": "raw", "arguments": "{ }"},
    ]
    usage = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "cost": {}}
    (reply,) = items(tmp_path, message("assistant", content=content, usage=usage, stopReason="toolUse"))
    assert reply == Reply(
        "one\ntwo",
        (signed_thought("a", "c2ln"), Text("b"), Opaque('{"type":"redacted_thinking","data":"eHl6"}')),
        (Call("c1", "read", '{"path":"a"}'), Call("", "ls", "{}"), Call("c3", "raw", "{ }")),
        Usage(1, 2, 3, 4),
        "toolUse",
    )


def test_unsigned_thinking_is_a_string(tmp_path: Path) -> None:
    content = [{"type": "thinking", "thinking": "hm", "thinkingSignature": ""}]
    (reply,) = items(tmp_path, message("assistant", content=content, stopReason="aborted"))
    assert reply == Reply("", "hm", (), Usage(), "aborted")


@pytest.mark.parametrize("stop", ["aborted", "error"])
@pytest.mark.parametrize("content", [[], None, "", [{"type": "text", "text": ""}]])
def test_a_reply_that_broke_off_without_content_is_no_call(tmp_path: Path, stop: str, content: Any) -> None:
    found = items(tmp_path, HELLO, message("assistant", content=content, stopReason=stop))
    assert found == [UserMessage("hello"), Skipped(f"reply without content ({stop})", 1)]


def test_an_empty_reply_that_ended_by_itself_is_a_call(tmp_path: Path) -> None:
    assert items(tmp_path, message("assistant", content=[], stopReason="stop")) == [
        Reply("", "", (), Usage(), "stop")
    ]


@pytest.mark.parametrize(
    ("record", "item"),
    [
        ({"type": "session", "cwd": "/w", "version": 3}, Header("/w", 3)),
        ({"type": "session"}, Header(None, 1)),
        (
            message("toolResult", toolCallId="c", toolName="read", content=[{"type": "text", "text": "x"}]),
            ToolResult("c", "read", "x", False),
        ),
        (
            message("toolResult", toolCallId="c", toolName="read", content=[], isError=True),
            ToolResult("c", "read", "", True),
        ),
        (
            message("user", content=[{"type": "sound", "hz": 440}]),
            UserMessage((Opaque('{"type":"sound","hz":440}'),)),
        ),
        (
            message("bashExecution", command="sleep 9", output="", exitCode=None, cancelled=True),
            Entry("user", "bashExecution", "$ sleep 9\n[cancelled]"),
        ),
        (
            message("bashExecution", command="ls", output="a\n", exitCode=0, excludeFromContext=True),
            Skipped("bashExecution kept out of the context", 1),
        ),
        ({"type": "custom_message", "content": "note"}, Entry("user", "custom_message", "note")),
        (message("custom", content="note"), Entry("user", "custom_message", "note")),
        ({"type": "branch_summary", "summary": "tried b"}, Entry("user", "branch_summary", "tried b")),
        ({"type": "label", "targetId": "a"}, Skipped("label", 1)),
        ({"type": "hologram"}, Skipped("hologram", 1, True)),
        (message("oracle"), Skipped("message of role oracle", 1, True)),
        ({"type": "message", "message": 3}, Skipped("message", 1, True)),
        ({"kind": "x"}, Skipped("record without a type", 1, True)),
        (
            {"type": "compaction", "summary": "s", "tokensBefore": 9},
            Note("compaction", "a recorded compaction at 9 tokens is left out"),
        ),
    ],
)
def test_records(tmp_path: Path, record: dict[str, Any], item: Item) -> None:
    assert [found for found in items(tmp_path, HELLO, record) if found != UserMessage("hello")] == [item]


def entry(id: str, parent: str | None, text: str) -> dict[str, Any]:
    return {**message("user", content=text), "id": id, "parentId": parent}


def test_later_versions_follow_the_path_to_the_last_entry(tmp_path: Path) -> None:
    found = items(
        tmp_path,
        {"type": "session", "version": 3, "id": "s", "cwd": "/w"},
        entry("a", None, "root"),
        entry("b", "a", "left"),
        entry("c", "b", "further left"),
        entry("d", "a", "right"),
        {"type": "label", "id": "e", "parentId": "d"},
    )
    assert found == [
        Header("/w", 3),
        UserMessage("root"),
        UserMessage("right"),
        Skipped("entry of another branch", 2),
        Skipped("label", 1),
    ]


def test_a_lost_parent_is_named(tmp_path: Path) -> None:
    found = items(tmp_path, entry("b", "a", "left"), entry("c", "b", "further"))
    assert found == [
        Note("lost_parent", "entry a is not in the file: the session begins after it"),
        UserMessage("left"),
        UserMessage("further"),
    ]


def test_parents_in_a_ring_end(tmp_path: Path) -> None:
    assert items(tmp_path, entry("a", "b", "one"), entry("b", "a", "two")) == [
        UserMessage("one"),
        UserMessage("two"),
    ]


def test_what_precedes_the_first_message_is_turn_0(tmp_path: Path) -> None:
    path = written(tmp_path, {"type": "custom_message", "content": "note"}, HELLO)
    assert read_pi_session(path).turns == (
        Turn(None, (Entry("user", "custom_message", "note"),)),
        Turn(UserMessage("hello"), ()),
    )


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"\n \n", "empty_file"),
        (b"\x7fELF\0\0", "binary_file"),
        ('{"type":"session"}'.encode("utf-16"), "binary_file"),
        (gzip.compress(b"\0" * 50), "binary_file"),
        (b"name: a ruleset\n", "not_a_session"),
        (b'{"steps": []}', "not_a_session"),
        (b"\x1f\x8bnot gzip at all", "damaged_gzip"),
    ],
)
def test_files_that_are_no_session(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(content)
    with pytest.raises(SessionFileError) as caught:
        read_pi_session(path)
    assert caught.value.code == code
    assert str(path) in caught.value.message
    assert caught.value.help


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(SessionFileError, match="cannot be read"):
            read_pi_session(path)


def test_a_byte_order_mark_and_lone_surrogates(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    line = '{"type":"message","message":{"role":"user","content":"\\ud800 ok"}}\n'
    path.write_bytes(b"\xef\xbb\xbf" + line.encode())
    assert list(iter_pi_session(path)) == [UserMessage("\ud800 ok")]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["text", "toolCall", "thinking", "image", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "content", "id", "parentId", "name", "arguments", "thinking"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(
    st.sampled_from(["user", "assistant", "toolResult", "bashExecution", "custom", "x"]),
    json_values,
    json_values,
)
def test_any_json_is_read_or_named(
    tmp_path_factory: pytest.TempPathFactory, role: str, content: Any, other: Any
) -> None:
    odd = {
        "role": role,
        "content": content,
        "usage": other,
        "toolCallId": other,
        "output": other,
        "command": content,
        "stopReason": other,
    }
    records = [HELLO, {"type": "message", "message": odd}, {"type": other, "id": content, "summary": other}]
    assert read_pi_session(written(tmp_path_factory.mktemp("odd"), *records)).turns
