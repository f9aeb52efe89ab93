"""``dcc mcp --canon`` before clients that are wrong, slow, many or malicious: every request has an answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from io import FileIO
from pathlib import Path
from typing import Any, cast

import pytest
from canon_project import Project

pytest.importorskip("mcp")

from dcc.runtime.hosts.canon_server import MOST, CanonServer
from dcc.runtime.hosts.standard_lines import LONGEST, StandardLines

HELLO = {
    "jsonrpc": "2.0", "id": "hello", "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "proj")


def call(number: int | str, meta: dict[str, Any] | None = None, **arguments: Any) -> str:
    """The line of a call of the tool."""
    params = {"name": "canon", "arguments": arguments, **({"_meta": meta} if meta else {})}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


def start(project: Project) -> subprocess.Popen[bytes]:
    command = [str(Path(sys.executable).parent / "dcc"), "mcp", "--canon"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(project.folder.parent)}
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=project.folder, env=environ
    )


def sent(project: Project, *lines: str | bytes) -> list[dict[str, Any]]:
    """Everything that the server answers to lines that are sent at once, and then no more; but for the greeting."""
    data = [line if isinstance(line, bytes) else line.encode() for line in lines]
    greeting = [json.dumps(one).encode() for one in (HELLO, READY)]
    done = start(project)
    out, err = done.communicate(b"\n".join([*greeting, *data]) + b"\n", timeout=60)
    assert (done.returncode, b"Traceback" in err, b"dcc: " in err) == (0, False, False)
    replies = [json.loads(line) for line in out.splitlines()]
    assert all(reply["jsonrpc"] == "2.0" for reply in replies)
    return [reply for reply in replies if reply["id"] != "hello"]


def outcome(reply: dict[str, Any]) -> tuple[object, object]:
    """The id of an answer, and its code or that of its error."""
    if "error" in reply:
        return reply["id"], reply["error"]["code"]
    return reply["id"], reply["result"].get("_meta", {}).get("dcc/code")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("no JSON", (None, -32700)),
        ('{"jsonrpc":"2.0","id":1,"method":"pi', (None, -32700)),
        (f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{"[" * 100_000}', (None, -32700)),
        (f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{"[" * 500}{"]" * 500}}}}}', (1, -32600)),
        ("[]", (None, -32600)),
        ('"text"', (None, -32600)),
        ('{"jsonrpc":"2.0","id":1}', (1, -32600)),
        ('{"jsonrpc":"1.0","id":"a","method":"ping"}', ("a", -32600)),
        ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', (None, -32600)),
        ('{"jsonrpc":"2.0","id":true,"method":"ping"}', (None, -32600)),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', (None, -32600)),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}', (1, -32600)),
        ('{"jsonrpc":"2.0","id":1,"method":"zap"}', (1, -32601)),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zap"}}', (1, -32602)),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"canon","arguments":"x"}}', (1, -32602)),
        (f'{{"jsonrpc":"2.0","method":"x","params":{{"id":{"9" * 5_000}}}}}', (None, -32700)),
        ("x" * (LONGEST + 2), (None, -32600)),
    ],
    ids=range(17),
)
def test_what_is_no_request_is_answered_and_the_next_one_served(
    project: Project, line: str, answer: tuple[object, object]
) -> None:
    first, second = sent(project, line, '{"jsonrpc":"2.0","id":"next","method":"ping"}')
    assert outcome(first) == answer
    assert second == {"jsonrpc": "2.0", "id": "next", "result": {}}


@pytest.mark.parametrize("half", ["\\ud800", "\\udcff", "\\uDBFF\\uD800", "\\\\\\ud800", "\\ud83d\\u0041"])
def test_half_a_surrogate_pair_is_a_replacement_character(project: Project, half: str) -> None:
    line = call(1, action="write", path="a", body="HALF").replace("HALF", f"x{half}y")
    assert [outcome(reply) for reply in sent(project, line)] == [(1, "wrote")]
    text = project.file("a").read_text()
    assert "\ufffd" in text
    text.encode()


def test_whole_pairs_and_backslashes_stay_as_they_are(project: Project) -> None:
    line = call(1, action="write", path="a", body="B").replace('"B"', r'"\ud83c\udfaf C:\\ud800 \\\\ud800 \u00e9"')
    assert [outcome(reply) for reply in sent(project, line)] == [(1, "wrote")]
    assert project.call("read", "a").data["body"] == r"🎯 C:\ud800 \\ud800 é"


@pytest.mark.parametrize(
    "line", [f"\ufeff{PING}".encode(), f"{PING}\r".encode(), f" \t{PING}".encode(), f"\n\r\n \n{PING}".encode()]
)
def test_blanks_line_ends_and_a_mark_do_not_matter(project: Project, line: bytes) -> None:
    assert sent(project, line) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


def test_a_batch_is_answered_one_by_one(project: Project) -> None:
    batch = f'[{PING}, 5, {{"jsonrpc":"2.0","method":"notifications/initialized"}}, {call(2, action="map")}]'
    assert sorted(map(str, map(outcome, sent(project, batch)))) == ["(1, None)", "(2, 'no_articles')", "(None, -32600)"]


def test_what_was_asked_before_the_client_left_is_done_and_answered(project: Project) -> None:
    lines = [call(number, action="journal", body=f"Event {number}.") for number in range(40)]
    replies = sent(project, *lines)
    assert sorted(outcome(reply) for reply in replies) == [(number, "logged") for number in range(40)]
    assert len(list((project.root / "journal").iterdir())) == 40


def test_a_cancelled_call_holds_up_nobody(project: Project) -> None:
    cancel = [
        f'{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{number}}}}}'
        for number in (1, 2, 99, '"x"', "null", "[1]")
    ]
    replies = sent(project, call(1, action="map"), call(2, action="map"), *cancel, call(3, action="map"))
    assert (3, "no_articles") in [outcome(reply) for reply in replies]


def test_a_call_before_the_greeting_is_refused(project: Project) -> None:
    done = start(project)
    out, _ = done.communicate(call(1, action="map").encode() + b"\n", timeout=60)
    assert [outcome(json.loads(line)) for line in out.splitlines()] == [(1, -32602)]
    assert done.returncode == 0


def test_an_answer_that_nobody_asked_for_is_passed_over(project: Project) -> None:
    assert sent(project, '{"jsonrpc":"2.0","id":7,"result":{}}', PING)[-1] == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("named", ["file://[bad", "file:///none/of/it", "file:///%00", "/none/of/it", "/\x00"])
def test_a_folder_that_is_not_there_is_told_of_and_not_made(project: Project, named: str) -> None:
    meta = {"codex/sandbox-state-meta": {"sandboxCwd": named}}
    reply = CanonServer(str(project.folder), {}).call({"action": "write", "path": "a", "body": "x"}, meta)
    assert (reply.code, "folder" in reply.text) == ("no_folder", True)
    assert not Path("/none").exists()


def test_a_project_that_was_removed_is_not_made_again(tmp_path: Path) -> None:
    server = CanonServer(str(tmp_path / "gone"), {})
    assert server.call({"action": "write", "path": "a", "body": "x"}, {}).code == "no_folder"
    assert list(tmp_path.iterdir()) == []


def test_sessions_without_end_are_forgotten(project: Project) -> None:
    server = CanonServer(str(project.folder), {})
    for number in range(MOST * 3):
        assert server.call({"action": "map"}, {"threadId": str(number)}).code == "no_articles"
    assert len(server._canons) == MOST


def test_two_clients_of_one_store_lose_nothing(project: Project) -> None:
    servers = [start(project), start(project)]
    greeting = b"".join(json.dumps(one).encode() + b"\n" for one in (HELLO, READY))
    for name, server in zip("ab", servers, strict=True):
        assert server.stdin is not None
        lines = [call(n, action="journal", body=f"Event {name} {n}.", slug="same") for n in range(60)]
        server.stdin.write(greeting + "\n".join(lines).encode() + b"\n")
        server.stdin.flush()
    for server in servers:
        out, _ = server.communicate(timeout=60)
        assert out.count(b'"dcc/code":"logged"') == 60
    texts = [file.read_text() for file in (project.root / "journal").iterdir()]
    assert len(texts) == len(set(texts)) == 120


def greeted(project: Project) -> subprocess.Popen[bytes]:
    """A server that has answered the greeting, and waits."""
    server = start(project)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in (HELLO, READY)))
    server.stdin.flush()
    server.stdout.readline()
    return server


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of Unix")
def test_an_interrupt_ends_a_server_that_waits(project: Project) -> None:
    server = greeted(project)
    server.send_signal(signal.SIGINT)
    _, said = server.communicate(timeout=30)
    assert (server.returncode, said) == (130, b"")


def test_a_client_that_reads_no_more_ends_the_server_without_a_word(project: Project) -> None:
    server = greeted(project)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdout.close()
    server.stdin.write(f"{PING}\n{PING}\n".encode())
    server.stdin.flush()
    assert server.stderr is not None
    assert (server.stderr.read(), server.wait(30)) == (b"", 0)
    server.stdin.close()
    server.stderr.close()


@pytest.mark.parametrize("size", [1_000, 7_777, 1 << 20])
def test_lines_are_the_same_however_they_arrive(size: int) -> None:
    data = b"a\n\r\n" + b"x" * (LONGEST + 1) + b"\n" + b"b" * 100_000 + b"\nlast"
    lines = StandardLines(cast("FileIO", Pieces(data, size)))
    found = [lines.next() for _ in range(6)]
    assert found == [b"a\n", b"\r\n", None, b"b" * 100_000 + b"\n", b"last", b""]


class Pieces:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = memoryview(data), size

    def read(self, size: int) -> bytes:
        piece = self._data[: self._size]
        self._data = self._data[self._size :]
        return bytes(piece)
