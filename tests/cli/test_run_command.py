"""``dcc run``: the answer on standard output, the rest on standard error, and exit codes that say how it ended."""

from __future__ import annotations

import base64
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from agents import calls, rules
from loopback.behaviour import Hangs, Refuses, Says
from loopback.server import PATIENCE_S, Loopback

from dcc.cli.entry import run
from dcc.cli.signals import stoppable
from dcc.runtime.providers.abort import Abort
from dcc.runtime.store.sessions import sessions_in

#: The smallest image.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Said(NamedTuple):
    """What a run printed, and its exit code."""

    code: int
    out: str
    err: str


class Command:
    """Runs ``dcc run`` in the session ``s`` under ``rules.yaml``."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def under(self, config: dict[str, Any]) -> None:
        (self.folder / "rules.yaml").write_text(yaml.safe_dump(config))

    def __call__(self, *args: str, stdin: str | bytes = "") -> Said:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        named = ["--ruleset", "rules.yaml"] if (self.folder / "rules.yaml").exists() else []
        code = run(["run", "--session", "s", *named, *args])
        return Said(code, *self._capsys.readouterr())


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DCC_STORE", str(tmp_path / "sessions.db"))
    return Command(tmp_path, capsys, monkeypatch)


def test_an_answer(command: Command) -> None:
    said = command("hello there")
    assert (said.code, said.out) == (0, "hello there\n")
    assert "session s" in said.err


def test_nothing_to_go_on_with_leaves_no_session(command: Command) -> None:
    said = command("--continue")
    assert (said.code, "no turn to go on with" in said.err) == (2, True)
    assert sessions_in(command.folder / "sessions.db") == []


def test_a_run_that_cannot_begin_names_no_session_to_go_on_with(command: Command) -> None:
    command("hello")
    said = command("hello", "--provider", "openai", "--model", "m", "--profile", "none")
    assert (said.code, "session s" in said.err) == (1, True)
    (command.folder / "sessions.db").unlink()
    said = command("hello", "--provider", "openai", "--model", "m", "--profile", "none")
    assert (said.code, "session s" in said.err) == (1, False)
    assert sessions_in(command.folder / "sessions.db") == []


def test_a_prompt_from_standard_input(command: Command) -> None:
    assert command("-", stdin="from the pipe").out == "from the pipe\n"


def test_a_byte_order_mark_is_no_part_of_a_prompt(command: Command) -> None:
    assert command("-", stdin=b"\xef\xbb\xbfhello").out == "hello\n"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"caf\xe9 au lait", "byte 4 is 0xe9"),
        ("hello".encode("utf-16"), "byte 1 is 0xff"),
        (b"x" * 16_000_004, "longer than 16,000,003 bytes"),
        (b" \n", "the prompt is empty"),
    ],
    ids=["latin-1", "utf-16", "endless", "blank"],
)
def test_standard_input_that_is_no_prompt_is_refused(data: bytes, told: str, command: Command) -> None:
    said = command("-", stdin=data)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


@pytest.mark.skipif(os.name != "posix", reason="arguments are bytes")
def test_the_bytes_of_a_prompt_are_read_whatever_the_locale(command: Command) -> None:
    assert command(os.fsdecode(b"caf\xe9")).err.startswith("dcc: the prompt is no UTF-8 text: byte 4 is 0xe9")
    environ = {**os.environ, "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "dcc", "run", "héllo 世界".encode()], env=environ, cwd=command.folder,
        stdout=subprocess.PIPE, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.decode() == "héllo 世界\n"


@pytest.mark.parametrize("name", ["workspace", "key_file"])
def test_a_home_of_nobody_is_told(name: str, command: Command) -> None:
    home = "~no-such-person/x"
    if name == "workspace":
        command.under({"extends": ["standard"], "agents": {"a": {"workspace": home}}})
    else:
        command.under({"extends": ["standard"], "provider": {"type": "openai", "model": "m", "key_file": home}})
    said = command("--agent", "a", "hello")
    assert said.code == 1
    assert f"{home} cannot be" in said.err


@pytest.mark.skipif(os.name != "posix", reason="a folder in use can be removed")
def test_a_current_folder_that_was_removed_is_told(command: Command) -> None:
    program = (
        "import os, sys; os.mkdir('gone'); os.chdir('gone'); os.rmdir(os.getcwd()); "
        "from dcc.cli.entry import run; sys.exit(run(['run', 'hello']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=command.folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "dcc: the current folder was removed\nhelp: go to a folder that is there: cd DIR\n"


def test_tools_without_a_server(command: Command) -> None:
    (command.folder / "a.txt").write_text("one\n")
    script = 'echo: call edit {"path": "a.txt", "oldText": "one", "newText": "two"}\necho: say edited'
    assert command(script).out == "edited\n"
    assert (command.folder / "a.txt").read_text() == "two\n"


def test_json_prints_one_document_and_nothing_else(command: Command) -> None:
    said = command("--json", "hello")
    document = json.loads(said.out)
    assert document["schema_version"] == 1
    assert document["payloads"] == [{"text": "hello"}]
    assert document["meta"]["agentMeta"]["sessionId"] == "s"
    assert document["meta"]["error"] is None
    assert document["meta"]["systemPromptReport"]["total"] > 0
    assert document["usage"]["total"] > 0
    assert document["autoCompactionCount"] == 0
    assert said.err == ""


@pytest.mark.parametrize("as_json", [False, True])
def test_an_error_of_the_provider_is_exit_code_1(as_json: bool, command: Command) -> None:
    with Loopback(Refuses(401, '{"error": {"message": "no such key"}}')) as server:
        command.under(rules(server))
        said = command(*(["--json"] if as_json else []), "hello")
    assert said.code == 1
    if as_json:
        assert json.loads(said.out)["meta"]["error"]["kind"] == "auth"
    else:
        assert said.out == ""
        assert "error: The provider does not accept the key" in said.err


@pytest.mark.parametrize(
    "args",
    [
        (), ("",), ("--keep", "--drop", "x"), ("--provider", "nobody", "x"), ("--ruleset", "nowhere.yaml", "x"),
        ("--timeout", "0", "x"), ("--continue",), ("--image", "no.image", "x"), ("--image", "gone.png", "x"),
        ("--image", "empty.png", "x"), ("--image", "text.png", "x"), ("--image", "pipe.png", "x"),
    ],
)  # fmt: skip
@pytest.mark.skipif(os.name != "posix", reason="pipes")
def test_wrong_usage_is_exit_code_2(args: tuple[str, ...], command: Command) -> None:
    (command.folder / "empty.png").touch()
    (command.folder / "text.png").write_text("no image")
    os.mkfifo(command.folder / "pipe.png")
    said = command(*args)
    assert said.code == 2
    assert said.out == ""
    assert said.err


def test_a_stored_session_keeps_its_rules(command: Command) -> None:
    with Loopback(Says(("one",)), Says(("two",))) as server:
        command.under(rules(server))
        command("first")
        (command.folder / "rules.yaml").unlink()
        assert command("second").out == "two\n"
    assert "first" in str(server.seen[1].body["messages"])


def test_options_reach_the_policy_and_the_provider(command: Command) -> None:
    with Loopback(Says(("ok",))) as server:
        config = rules(server, "anthropic", agents={"reader": {"tools": {"allow": ["read"]}, "workspace": "there"}})
        command.under(config)
        (command.folder / "there").mkdir()
        said = command("--agent", "reader", "--model", "other", "--think", "low", "--timeout", "20", "hello")
    assert said.code == 0, said.err
    body = server.seen[0].body
    assert [tool["name"] for tool in body["tools"]] == ["read"]
    assert (body["model"], body["thinking"]["type"]) == ("other", "enabled")
    assert str(command.folder / "there") in str(body["system"])


def test_an_agent_that_is_not_declared_is_wrong_usage(command: Command) -> None:
    command.under({"extends": ["standard"], "agents": {"reader": {"tools": {"allow": ["read"]}}}})
    said = command("--agent", "Raeder", "hello")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("dcc: the ruleset has no agent `Raeder`\nhelp: did you mean `reader`?")


def test_a_turn_that_was_left_open_is_told_of_and_gone_on_with(command: Command) -> None:
    with Loopback(calls("c1", "read", path="x"), Refuses(400), Says(("done",))) as server:
        command.under(rules(server))
        failed = command("go")
        assert failed.code == 1
        assert "--continue" in failed.err
        assert command("--continue").out == "done\n"
        again = command("--continue")
    assert again.out == "done\n"
    assert "nothing_open" in again.err


def test_an_image_goes_out_beside_the_prompt(command: Command) -> None:
    (command.folder / "cat.png").write_bytes(PNG)
    with Loopback(Says(("a cat",))) as server:
        command.under(rules(server))
        assert command("--image", "cat.png", "what is it?").code == 0
    assert f"data:image/png;base64,{base64.b64encode(PNG).decode()}" in server.seen[0].raw.decode()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("cut.png", PNG[:20], "cut.png is damaged"), ("flat.gif", b"GIF89a\0\0\0\0", "flat.gif is damaged"),
        ("cut.webp", b"RIFF\0\0\0\0WEBPVP8 ", "cut.webp is damaged"), ("a.jpg", PNG, "not what its name says"),
        ("drawing.svg", b"<svg/>", "no image that models take"), ("old.bmp", b"BM", "no image that models take"),
    ],
)  # fmt: skip
def test_an_image_that_no_model_takes_is_not_sent(name: str, data: bytes, said: str, command: Command) -> None:
    (command.folder / name).write_bytes(data)
    told = command("--image", name, "what is it?")
    assert (told.code, told.out) == (2, "")
    assert said in told.err


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_run_and_keeps_what_has_come(number: int, command: Command) -> None:
    with Loopback(Hangs(Says(("one ", "two ")), after=3)) as server:
        command.under(rules(server))
        words = [sys.executable, "-m", "dcc", "run", "--session", "s", "--ruleset", "rules.yaml", "go"]
        with subprocess.Popen(
            words, cwd=command.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert server.hanging.wait(PATIENCE_S) or process.kill()
            assert process.stdout is not None
            begun = process.stdout.read(4)
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert (begun + out).startswith("one")
    assert "stopped" in err
    assert command("--session", "s", "--continue").out.startswith("one")


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("first", "then", "code"), [("TERM", "TERM", -15), ("HUP", "HUP", -1), ("INT", "TERM", -15)])
def test_a_second_signal_ends_a_run_that_does_not_stop(first: str, then: str, code: int) -> None:
    program = f"""
import os, signal, time
from dcc.cli.signals import stoppable
from dcc.runtime.providers.abort import Abort
abort = Abort()
with stoppable(abort):
    os.kill(os.getpid(), signal.SIG{first})
    assert abort.is_set
    os.kill(os.getpid(), signal.SIG{then})
    time.sleep(60)
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=PATIENCE_S, check=False).returncode == code


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_what_a_run_was_started_to_ignore_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stoppable(abort := Abort()):
            os.kill(os.getpid(), signal.SIGHUP)
            assert not abort.is_set
            assert signal.getsignal(signal.SIGTERM) != signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
@pytest.mark.parametrize(("way", "code"), [((), 130), (("--json",), 1)])
def test_an_answer_that_cannot_be_shown_is_an_error_and_stays_in_its_session(
    way: tuple[str, ...], code: int, command: Command
) -> None:
    """A disk that is full; the run is stopped where the answer is shown as it comes: nobody would see the rest."""
    with open("/dev/full", "w") as full, Loopback(Says(("one ", "two"))) as server:
        command.under(rules(server))
        words = [sys.executable, "-m", "dcc", "run", *way, "--session", "s", "--ruleset", "rules.yaml", "go"]
        done = subprocess.run(
            words, cwd=command.folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert done.returncode == code
    assert "standard output: no space left on device: the answer is in session s" in done.stderr
    again = command("--continue")
    assert again.out.startswith("one")


def test_a_reader_that_has_left_stops_the_run(command: Command) -> None:
    with Loopback(Says(("one ", "two")), Says(("never asked for",))) as server:
        command.under(rules(server))
        words = [sys.executable, "-m", "dcc", "run", "--session", "s", "--ruleset", "rules.yaml", "go"]
        with subprocess.Popen(
            words, cwd=command.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            process.stdout.close()
            assert process.wait(PATIENCE_S) == 130
            assert process.stderr is not None
            assert "standard output: broken pipe" in process.stderr.read()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_notices_that_cannot_be_told_change_nothing(command: Command) -> None:
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "dcc", "run", "hello"]
        done = subprocess.run(
            words, cwd=command.folder, stdout=subprocess.PIPE, stderr=full, text=True, timeout=60, check=False
        )
    assert (done.returncode, done.stdout) == (0, "hello\n")


def test_the_cause_stands_below_the_plain_words(command: Command) -> None:
    with Loopback(Refuses(429, '{"error": {"message": "no more today"}}')) as server:
        command.under(rules(server))
        said = command("hello")
    assert "cause: openai answered 429 (rate_limit): no more today" in said.err


def test_a_notice_begins_a_line_where_output_and_notices_go_to_one_place(command: Command) -> None:
    words = [sys.executable, "-m", "dcc", "run", "--max-context", "1", "hello"]
    done = subprocess.run(
        words, cwd=command.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False
    )
    answer, notice, *_, session = done.stdout.splitlines()
    assert (answer, notice.partition(":")[0], session.partition(" ")[0]) == ("hello", "compaction_nothing", "session")
    assert "" not in done.stdout.splitlines()
