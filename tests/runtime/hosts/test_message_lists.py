"""Sessions as lists of messages: what is typed, answered and called in the formats of OpenAI and Anthropic."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.hosts.message_list import items_of
from dcc.runtime.hosts.recorded_session import read_session
from dcc.runtime.hosts.recording import Note, Recording, Reply, Skipped, ToolResult, Turn, Usage, UserMessage
from dcc.runtime.hosts.session_file import SessionFileError
from dcc.runtime.kernel.content import Call, Image, Text, signed_thought

OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": "You are brief."},
    {"role": "user", "content": "look"},
    {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}},
        {"id": "c2", "type": "function", "function": {"name": "list", "arguments": ""}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "one"},
    {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "two"}]},
    {"role": "assistant", "content": "done"},
    {"role": "user", "content": [
        {"type": "text", "text": "and this"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
    {"role": "assistant", "content": [{"type": "text", "text": "seen"}]},
]  # fmt: skip

ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "look"},
    {"role": "assistant", "stop_reason": "tool_use", "usage": {
        "input_tokens": 3, "output_tokens": 4, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 6},
     "content": [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "text", "text": "I read."},
        {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.py"}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "no"}], "is_error": True},
        {"type": "text", "text": "go on"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]},
    {"role": "assistant", "content": "done"},
]  # fmt: skip

PICTURE = Image("image/png", "AAAA")


def read(folder: Path, text: str, name: str = "session.json") -> Recording:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_session(path)


def test_a_list_of_openai(tmp_path: Path) -> None:
    recording = read(tmp_path, json.dumps(OPENAI, indent=2))
    assert recording.turns == (
        Turn(UserMessage("look"), (
            Reply("", "hm", (Call("c1", "read", '{"path": "a.py"}'), Call("c2", "list", "{}")), Usage(), ""),
            ToolResult("c1", "read", "one", is_error=False),
            ToolResult("c2", "list", "two", is_error=False),
            Reply("done", "", (), Usage(), ""))),
        Turn(UserMessage((Text("and this"), PICTURE)), (Reply("seen", "", (), Usage(), ""),)),
    )  # fmt: skip
    assert recording.skipped == (Skipped("message of role system", 1),)
    assert [note.code for note in recording.notes] == ["no_usage"]


def test_a_list_of_anthropic(tmp_path: Path) -> None:
    """What stands beside a result was typed while the tool ran: it begins a turn."""
    recording = read(tmp_path, json.dumps(ANTHROPIC))
    call = Call("c1", "read", {"path": "a.py"})
    assert recording.turns == (
        Turn(UserMessage("look"), (
            Reply("I read.", (signed_thought("hm", "sig"),), (call,), Usage(3, 4, 5, 6), "tool_use"),
            ToolResult("c1", "read", "no", is_error=True))),
        Turn(UserMessage((Text("go on"), PICTURE)), (Reply("done", "", (), Usage(), ""),)),
    )  # fmt: skip
    assert recording.notes == ()


@pytest.mark.parametrize("messages", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
def test_a_request_and_lines_tell_the_same_as_the_list(messages: list[dict[str, Any]], tmp_path: Path) -> None:
    plain = read(tmp_path, json.dumps(messages))
    request = read(tmp_path, json.dumps({"model": "m", "messages": messages}))
    lines = read(tmp_path, "".join(json.dumps(message) + "\n" for message in messages))
    packed = tmp_path / "session.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(messages).encode()))
    assert plain.turns == request.turns == lines.turns == read_session(packed).turns


@pytest.mark.parametrize("text", ["[]", "[1, 2]", '{"messages": []}', '{"a": 1}', "words", '[{"role": 3}]', "[{"])
def test_what_holds_no_session_says_what_was_expected(text: str, tmp_path: Path) -> None:
    with pytest.raises(SessionFileError, match="holds no recorded session") as caught:
        read(tmp_path, text)
    assert "OpenAI or Anthropic" in str(caught.value.help)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4)
    | st.sampled_from(["text", "image", "tool_use", "tool_result", "thinking", "image_url", "c1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "text", "id", "name", "input", "source", "url", "image_url", "tool_use_id",
                         "content", "function", "arguments", "thinking", "signature"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
_MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system", "nobody"])},
    optional={"content": _JSON, "tool_calls": _JSON, "tool_call_id": _JSON, "usage": _JSON, "reasoning_content": _JSON},
)


@given(st.lists(_MESSAGE | _JSON, max_size=4))
def test_no_message_is_lost_without_a_word_and_none_is_fatal(messages: list[Any]) -> None:
    items = list(items_of(messages))
    told = sum(item.count for item in items if isinstance(item, Skipped))
    assert told + sum(not isinstance(item, Skipped | Note) for item in items) >= len(
        [m for m in messages if not (isinstance(m, dict) and m.get("role") == "user" and m.get("content") == [])]
    )


def test_an_export_of_dcc_is_told_by_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text('{"dcc_session": 1, "id": "one", "name": "", "events": 0}\n')
    with pytest.raises(SessionFileError, match="is an exported session of dcc") as caught:
        read_session(path)
    assert "export --view" in (caught.value.help or "")
