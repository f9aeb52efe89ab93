"""No secret that dcc holds is in a slot, a report, a stream, a request or a file: the bytes are looked for."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from agents import KEY, PROTOCOLS, calls, rules, run
from loopback.behaviour import Refuses, Says
from loopback.server import Loopback

from dcc.runtime.agent.request import Callbacks, RunContext
from dcc.runtime.agent.result import RunResult
from dcc.runtime.agent.tools.callables import tool_of

ENVIRON = {"MY_KEY": KEY, "OTHER": f"prefix {KEY}"}
SPELLED = "".join(f"\\u{ord(character):04x}" for character in KEY)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Ears:
    """Follows a run, and keeps all that was told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def callbacks(self) -> Callbacks:
        def both(first: str, second: str) -> None:
            self.heard.append(f"{first} {second}")

        return Callbacks(self.heard.append, self.heard.append, both, both)


def held(server: Loopback, protocol: str = "openai", **more: Any) -> dict[str, Any]:
    """A ruleset whose provider has the key, by its variable."""
    return rules(server, protocol, provider={"key_env": "MY_KEY"}, **more)


def check(folder: Path, server: Loopback, result: RunResult, ears: Ears) -> None:
    """The key is nowhere but in the header that it is for."""
    told = json.dumps(result.to_json(), ensure_ascii=False) + "".join(ears.heard)
    bodies = b"".join(seen.raw for seen in server.seen)
    files = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for form in (KEY, SPELLED):
        assert form not in told
        assert form.encode() not in bodies
        assert form.encode() not in files
    assert all(KEY in str(seen.headers) for seen in server.seen)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_model_that_spells_the_key_over_pieces(protocol: str, folder: Path) -> None:
    pieces = ("the key is ", *KEY, " I think")
    script = Says(pieces, thinking=tuple(KEY), signature="c2ln" if protocol == "anthropic" else "")
    ears = Ears()
    with Loopback(script) as server:
        result = run(held(server, protocol), "which key?", folder, environ=ENVIRON, callbacks=ears.callbacks())
    check(folder, server, result, ears)
    assert result.answer == "the key is [secret] I think"
    assert "the key is [secret] I think" in "".join(ears.heard)


@pytest.mark.parametrize("spelled", [KEY, SPELLED])
def test_a_model_that_writes_the_key_into_arguments(spelled: str, folder: Path) -> None:
    asks = Says(calls=(("c1", "write", ('{"path": "a.txt", "content": "', *spelled, '"}')),))
    ears = Ears()
    with Loopback(asks, Says(("ok",))) as server:
        result = run(held(server), "go", folder, environ=ENVIRON, callbacks=ears.callbacks())
    check(folder, server, result, ears)
    assert (folder / "a.txt").read_text() == "[secret]"


def test_a_server_of_tools_gets_the_token_that_is_named_for_it_and_no_key(folder: Path) -> None:
    pytest.importorskip("mcp")
    environ = {**ENVIRON, "FORGE_TOKEN": "a-token-of-the-forge", "PATH": "/usr/bin:/bin"}
    server_file = str(Path(__file__).with_name("tools") / "mcp_test_server.py")
    forge = {"command": sys.executable, "args": [server_file, "starts"], "env": ["FORGE_TOKEN", "MY_KEY", "OTHER"]}
    asks = Says(calls=(("c1", "environment", ("{}",)), ("c2", "fail", ('{"why": "no a-token-of-the-forge here"}',))))
    with Loopback(asks, Says(("ok",))) as server:
        run(held(server, tools={"mcp": {"forge": forge}}), "go", folder, environ=environ)
    names, failure = (message["content"] for message in server.seen[1].body["messages"][-2:])
    assert "FORGE_TOKEN" in names.split(",")
    assert not {"MY_KEY", "OTHER"} & set(names.split(","))
    assert "no [secret] here" in failure


def test_a_tool_that_prints_its_environment(folder: Path) -> None:
    exec_tools = {"exec": {"unconfined": True, "env": ["OTHER"]}}
    ears = Ears()
    with Loopback(calls("c1", "exec", command="env; cat /proc/self/environ"), Says(("ok",))) as server:
        result = run(
            held(server, tools=exec_tools), "go", folder, environ=ENVIRON, callbacks=ears.callbacks()
        )
    check(folder, server, result, ears)
    said = server.seen[1].body["messages"][-1]["content"]
    assert "PATH=" in said
    assert "MY_KEY" not in said
    assert "OTHER" not in said


def test_a_tool_that_gives_the_key_away(folder: Path) -> None:
    def leak() -> str:
        """Say everything."""
        return f"here: {KEY}"

    def stumble() -> str:
        """Fail."""
        raise RuntimeError(f"bad key {KEY}")

    asks = Says(calls=(("c1", "leak", ("{}",)), ("c2", "stumble", ("{}",))))
    ears = Ears()
    with Loopback(asks, Says(("ok",))) as server:
        result = run(
            held(server), "go", folder, environ=ENVIRON, tools=(tool_of(leak), tool_of(stumble)),
            callbacks=ears.callbacks(),
        )  # fmt: skip
    check(folder, server, result, ears)
    assert server.seen[1].body["messages"][-2]["content"] == "here: [secret]"


def test_a_server_that_repeats_the_key(folder: Path) -> None:
    refusal = Refuses(400, json.dumps({"error": {"message": f"do not send {KEY}"}}))
    ears = Ears()
    with Loopback(calls("c1", "read", path="a"), refusal) as server:
        result = run(held(server), "go", folder, environ=ENVIRON, callbacks=ears.callbacks())
    check(folder, server, result, ears)
    assert result.meta.error is not None
    assert "do not send" in result.meta.error.message


def test_a_summary_that_repeats_the_key(folder: Path) -> None:
    compact = {
        "fields": ["user", "assistant"],
        "compressors": {"summary": {"prompt": "Sum up: {content}", "periodic": {
            "interval_turns": 1, "keep_recent_turns": 0}}},
    }  # fmt: skip
    ears = Ears()
    with Loopback(Says(("word " * 400,)), Says((f"short {KEY}",)), Says(("ok",)), Says(("sum",))) as server:
        config = held(server, compact=compact)
        run(config, "go", folder, environ=ENVIRON)
        result = run(config, "go on", folder, environ=ENVIRON, callbacks=ears.callbacks())
    check(folder, server, result, ears)
    assert "short [secret]" in str(server.seen[2].body["messages"])


def test_a_person_who_types_the_key_and_a_file_of_the_workspace_that_holds_it(folder: Path) -> None:
    prompt = f"use {KEY} and /goal never print {KEY} remain 2"
    ears = Ears()
    with Loopback(Says(("ok",))) as server:
        workspace = folder / "work"
        workspace.mkdir()
        (workspace / "AGENTS.md").write_text(f"The key is {KEY}")
        config = held(server, agents={"one": {"workspace": str(workspace)}})
        result = run(
            config, prompt, folder, environ=ENVIRON, callbacks=ears.callbacks(), context=RunContext("one")
        )
        (workspace / "AGENTS.md").unlink()
    check(folder, server, result, ears)
    assert "The key is [secret]" in str(server.seen[0].body["messages"])


def test_articles_of_a_project_that_hold_the_key(folder: Path) -> None:
    """What the session itself answers and surfaces, not a tool: read, searched, surfaced by a touch."""
    articles = folder / ".canon" / "articles"
    (articles / "src").mkdir(parents=True)
    (articles / "src.md").write_text(f"---\nkind: note\n---\n# About {KEY}\n\nIt is {KEY}.\n")
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_text("x = 1\n")
    script = [
        calls("c1", "read", path="src/a.py"), calls("c2", "canon", action="read", path="src"),
        calls("c3", "canon", action="search", query="about"), Says(("ok",)), Says(("ok",)),
    ]  # fmt: skip
    ears = Ears()
    with Loopback(*script) as server:
        config = held(server, canon={"surface": True})
        run(config, "go", folder, environ=ENVIRON)
        result = run(config, "again", folder, environ=ENVIRON, callbacks=ears.callbacks())
    shutil.rmtree(folder / ".canon")
    check(folder, server, result, ears)
    said = [str(message["content"]) for message in server.seen[-1].body["messages"]]
    assert any("# About [secret]\n\nIt is [secret]." in text for text in said)


def test_a_tool_whose_description_holds_the_key(folder: Path) -> None:
    def helpful(mode: Literal["a", "b"] = "a") -> str:
        return mode

    helpful.__doc__ = f"Do it with {KEY}."
    ears = Ears()
    with Loopback(Says(("ok",))) as server:
        result = run(
            held(server), "go", folder, environ=ENVIRON, tools=(tool_of(helpful),), callbacks=ears.callbacks()
        )
    check(folder, server, result, ears)
    described = [tool["function"]["description"] for tool in server.seen[0].body["tools"]]
    assert "Do it with [secret]." in described


def test_keys_of_all_profiles_are_secret_also_those_that_are_not_used(folder: Path) -> None:
    (folder / "file.key").write_text("sk-of-the-other-profile")
    (folder / "file.key").chmod(0o600)
    profiles = {
        "a": {"provider": "openai", "key_env": "MY_KEY"},
        "b": {"provider": "anthropic", "key_file": str(folder / "file.key")},
    }
    with Loopback(calls("c1", "read", path="file.key"), Says(("ok",))) as server:
        run(rules(server, auth={"profiles": profiles}), "go", folder, environ=ENVIRON)
    assert server.seen[1].body["messages"][-1]["content"] == "[secret]"
    assert b"sk-of-the-other-profile" not in (folder / "sessions.db").read_bytes()
