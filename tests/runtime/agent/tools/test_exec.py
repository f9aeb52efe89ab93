"""exec: commands within their limits, ended whole, confined where the system can do that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dcc.compiler.secret_names import names_a_secret
from dcc.runtime.agent.tools import confinement as confinements
from dcc.runtime.agent.tools import landlock
from dcc.runtime.agent.tools.confinement import Confinement, Kind, confinement
from dcc.runtime.agent.tools.environment import child_environment
from dcc.runtime.agent.tools.exec import Exec
from dcc.runtime.agent.tools.limits import Limits
from dcc.runtime.agent.tools.registry import exec_environment
from dcc.runtime.agent.tools.tool import ToolContext, ToolOutput
from dcc.runtime.agent.tools.workspace import Workspace
from dcc.runtime.providers.abort import Abort

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def kinds() -> list[Kind]:
    """What can be tried here; whatever there is, a command can run without."""
    found: list[Kind] = ["none"]
    if landlock.version() >= landlock.OLDEST:
        found.append("landlock")
    if confinement().kind == "bubblewrap":
        found.append("bubblewrap")
    return found


KINDS = kinds()
CONFINING = [kind for kind in KINDS if kind != "none"] or [
    pytest.param("none", marks=pytest.mark.skip(reason="nothing confines commands on this system"))
]


class Shell:
    """A workspace in which commands run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = Workspace(root)

    def run(self, command: str, kind: Kind = "none", **more: Any) -> ToolOutput:
        context = ToolContext(
            self.workspace, more.pop("abort", None) or Abort(), more.pop("seconds", 60.0),
            more.pop("environment", ENVIRONMENT),
        )  # fmt: skip
        arguments = {key: more.pop(key) for key in ("cwd", "timeout") if key in more}
        limits, readable = Limits(**more.pop("limits", {})), more.pop("readable", ())
        own = Exec(limits, unconfined=True, readable=readable, within=Confinement(kind))
        return own.run({"command": command, **arguments}, context)


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    root = tmp_path / "workspace"
    root.mkdir()
    made = Shell(root)
    yield made
    made.workspace.close()


def details(output: ToolOutput) -> Any:
    return output.details


def is_running(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def wait_for(path: Path) -> str:
    """The first line of a file that a command writes."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if path.exists() and path.read_text().endswith("\n"):
            return path.read_text().strip()
        time.sleep(0.01)
    raise AssertionError(f"{path} was not written")


# What comes back


@pytest.mark.parametrize("kind", KINDS)
def test_output_and_exit_code_come_back(shell: Shell, kind: Kind) -> None:
    (shell.root / "sub").mkdir()
    output = shell.run("echo one; echo two >&2; cat; pwd; exit 3", kind, cwd="sub")
    assert output.content == f"one\ntwo\n{shell.root / 'sub'}\n[exit code 3]"
    assert output.is_error
    assert details(output) == {"exit_code": 3, "why": "itself", "left_out": 0, "confinement": kind}


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_the_workspace_can_be_changed(shell: Shell, kind: Kind) -> None:
    command = "mkdir -p a/b && echo text > a/b/f && mv a/b/f a/g && ln -s g a/h && chmod 700 a/g && cat a/h && rm a/h"
    assert shell.run(command, kind).content == "text"
    assert (shell.root / "a" / "g").read_text() == "text\n"


def test_a_command_that_says_nothing(shell: Shell) -> None:
    output = shell.run("true")
    assert (output.content, output.is_error) == ("[no output]", False)


def test_a_signal_is_told(shell: Shell) -> None:
    output = shell.run("echo before; kill -9 $$")
    assert output.content == "before\n[ended by SIGKILL]"
    assert details(output)["exit_code"] == -9


def test_a_folder_that_is_not_there_and_a_link_to_one(shell: Shell) -> None:
    (shell.root / "up").symlink_to("..")
    assert shell.run("pwd", cwd="gone").is_error
    assert "is a link" in str(shell.run("pwd", cwd="up").content)
    assert "outside the workspace" in str(shell.run("pwd", cwd="..").content)
    assert "there is no argument 'shell'" in str(
        Exec(unconfined=True).run({"command": "ls", "shell": "zsh"}, ToolContext(shell.workspace)).content
    )


@pytest.mark.parametrize("command", ["", "  ", "echo a\0b"])
def test_no_command_is_told(shell: Shell, command: str) -> None:
    assert "the command is empty" in str(shell.run(command).content)


@pytest.mark.parametrize(
    ("command", "said"),
    [("echo \ud800", "character 5 of the command is half of a pair"), ("#" * 131_072, "131,072 bytes, at most")],
)
def test_a_command_that_no_program_can_be_given_is_told(shell: Shell, command: str, said: str) -> None:
    output = shell.run(command)
    assert output.is_error
    assert said in str(output.content)


def test_the_longest_command_runs(shell: Shell) -> None:
    assert shell.run("echo yes #".ljust(131_071, "x")).content == "yes"


# Output is capped while it is read


def test_of_a_long_output_head_and_tail_are_kept(shell: Shell) -> None:
    output = shell.run("echo begin; head -c 30000000 /dev/zero | tr '\\0' x | fold -w 99; echo; echo end")
    text = str(output.content)
    assert text.startswith("begin\nxxx")
    assert text.endswith("xxx\nend")
    assert len(text) <= Limits().output + 100
    (line,) = [line for line in text.splitlines() if line.startswith("[… ")]
    gone = int(line.split()[1])
    kept = len(text.encode()) - len(line.encode()) - 1
    written = 6 + 30_000_000 + 30_000_000 // 99 + 1 + 4
    assert abs(kept + gone - written) <= 2
    assert details(output)["left_out"] > 29_000_000


def test_an_endless_output_is_cut_by_the_timeout(shell: Shell) -> None:
    output = shell.run("yes", seconds=0.5)
    text = str(output.content)
    assert text.startswith("y\ny\n")
    assert text.endswith("[stopped: it was not done within 0.5 s]")
    assert len(text) <= Limits().output + 200


# Everything is ended


SPAWNS = (
    "(setsid sh -c 'echo $$ > daemon; exec sleep 300' >/dev/null 2>&1 &) ; "
    "sleep 300 & echo $! > child; while ! [ -s daemon ]; do :; done; echo ready > ready; "
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["timeout", "abort", "itself"])
def test_nothing_of_a_command_outlives_it(shell: Shell, kind: Kind, how: str) -> None:
    mark = f"{300 + os.getpid()}.{KINDS.index(kind)}{len(how)}"
    command = SPAWNS.replace("sleep 300", f"sleep {mark}") + ("" if how == "itself" else "wait")
    abort = Abort()
    if how == "abort":
        waiting = threading.Thread(target=lambda: (wait_for(shell.root / "ready"), abort.set()))
        waiting.start()
    output = shell.run(command, kind, abort=abort, **({"timeout": 1} if how == "timeout" else {}))
    assert details(output)["why"] == how
    assert output.is_error == (how != "itself")
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert f"sleep {mark}" not in running


def test_processes_that_make_new_ones_are_ended(shell: Shell) -> None:
    tree = "(sleep 301.5 & sleep 301.5) & sleep 301.5"
    output = shell.run(f"for i in 1 2 3 4 5 6; do (setsid sh -c '{tree}' &) ; done; sleep 300", timeout=1)
    assert "may still be running" not in str(output.content)
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "sleep 301.5" not in running


def test_a_command_ends_with_dcc(shell: Shell) -> None:
    program = (
        "import sys; from dcc.runtime.agent.tools.exec import Exec; from dcc.runtime.agent.tools.tool import *;"
        "from dcc.runtime.agent.tools.workspace import Workspace; from dcc.runtime.agent.tools.confinement import *;"
        "Exec(unconfined=True, within=Confinement('none')).run({'command': sys.argv[2]}, "
        "ToolContext(Workspace(sys.argv[1]), environment={'PATH': '/usr/bin:/bin'}))"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(shell.root), SPAWNS + "wait"]) as host:
        wait_for(shell.root / "ready")
        pids = [int(wait_for(shell.root / name)) for name in ("child", "daemon")]
        assert all(is_running(pid) for pid in pids)
        host.send_signal(signal.SIGKILL)
        host.wait()
        until = time.monotonic() + 20
        while any(is_running(pid) for pid in pids) and time.monotonic() < until:
            time.sleep(0.01)
    assert not any(is_running(pid) for pid in pids)


@pytest.mark.skipif(confinement().kind != "landlock", reason="only there a command has a folder for temporary files")
def test_what_a_command_wrote_for_a_while_goes_with_dcc(shell: Shell) -> None:
    program = (
        "import sys; from dcc.runtime.agent.tools.exec import Exec; from dcc.runtime.agent.tools.tool import *;"
        "from dcc.runtime.agent.tools.workspace import Workspace;"
        "Exec().run({'command': 'echo x > $TMPDIR/large; echo $TMPDIR > there; mv there ready; sleep 300'}, "
        "ToolContext(Workspace(sys.argv[1]), environment={'PATH': '/usr/bin:/bin'}))"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(shell.root)]) as host:
        scratch = Path(wait_for(shell.root / "ready").strip())
        assert (scratch / "large").exists()
        host.send_signal(signal.SIGKILL)
        host.wait()
        until = time.monotonic() + 20
        while scratch.exists() and time.monotonic() < until:
            time.sleep(0.01)
    assert not scratch.exists()


def test_a_command_that_ends_its_supervisor_ends_too(shell: Shell) -> None:
    output = shell.run("echo $$ > child; kill -9 $PPID; sleep 300")
    assert "is not known" in str(output.content)
    assert output.is_error
    pid = int(wait_for(shell.root / "child"))
    until = time.monotonic() + 20
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_running(pid)


def test_the_timeout_of_the_ruleset_is_not_exceeded(shell: Shell) -> None:
    output = shell.run("sleep 300", timeout=200, limits={"timeout_s": 0.2})
    assert output.content == "[stopped: it was not done within 0.2 s]"


def test_what_was_left_running_is_told(shell: Shell) -> None:
    assert shell.run("sleep 300 & echo on").content == "on\n[what it left running was ended: 1 of its processes]"


def test_no_descriptor_is_left_open(shell: Shell) -> None:
    shell.run("true")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        shell.run("true")
        shell.run("sleep 30", seconds=0.1)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_command_has_no_other_descriptor(shell: Shell, kind: Kind) -> None:
    # That of the listing itself is the one more.
    assert shell.run("ls /proc/self/fd | wc -l", kind).content == "4"


# Limits


def test_a_process_that_computes_too_long_is_ended(shell: Shell) -> None:
    output = shell.run("exec sh -c 'while :; do :; done'", limits={"cpu_s": 1})
    assert output.content == "[ended by SIGXCPU: it used up its computing time]"


def test_a_process_has_so_much_memory(shell: Shell) -> None:
    program = "python3 -c 'x = bytearray(600 * 1024 * 1024)' 2>&1 | tail -n 1"
    assert shell.run(program, limits={"memory": 512 << 20}).content == "MemoryError"
    assert shell.run(program).content == "[no output]"


def test_a_file_may_be_so_large(shell: Shell) -> None:
    output = shell.run("exec head -c 3000000 /dev/zero > big", limits={"file_size": 1 << 20})
    assert output.content == "[ended by SIGXFSZ: it wrote a file larger than allowed]"
    assert (shell.root / "big").stat().st_size == 1 << 20


def test_limits_are_those_of_the_ruleset() -> None:
    own = Exec.of({"unconfined": True, "read": ["/srv"], "timeout": 5.0, "cpu": 7, "memory": 64, "file_size": 2})
    assert own == Exec(Limits(5.0, 7, 64 << 20, 2 << 20), True, ("/srv",))
    assert Exec.of(None) == Exec()


# The environment


def test_a_command_gets_the_listed_variables_only(shell: Shell) -> None:
    environ = {
        "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "OPENAI_API_KEY": "k", "EDITOR": "vi",
        "CI": "true", "GITHUB_TOKEN": "t",
    }  # fmt: skip
    section = {"exec": {"env": ["CI", "GITHUB_TOKEN"]}}
    output = shell.run("env | cut -d= -f1 | sort", environment=exec_environment(section, environ))
    names = set(str(output.content).split())
    assert {"PATH", "LANG", "LC_ALL", "CI", "TERM"} <= names
    assert not {"OPENAI_API_KEY", "EDITOR", "GITHUB_TOKEN"} & names


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "api_key", "KEY", "DB_PASSWORD", "PGPASSWORD", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_AUTH",
     "SSH_AUTH_SOCK", "NPM_CONFIG__AUTH", "COOKIE", "AZURE_CREDENTIALS", "APIKEY", "LC_API_KEY"],
)  # fmt: skip
def test_names_that_say_secret(name: str) -> None:
    assert names_a_secret(name)
    assert child_environment({name: "x"}, [name]) == {}


@pytest.mark.parametrize("name", ["PATH", "PWD", "CI", "PYTHONPATH", "KEYBOARD", "AUTHOR"])
def test_names_that_do_not(name: str) -> None:
    assert child_environment({name: "x"}, [name]) == {name: "x"}


def test_a_value_that_dcc_holds_goes_to_nobody() -> None:
    key = "held-secret-1"
    environ = {"LANG": key, "HOME": f"/{key}/x", "TZ": "abc", "USER": "abcd", "MY_KEY": key}
    assert child_environment(environ, ["MY_KEY"], [key, "abc"], trusted=True) == {"USER": "abcd"}


# Confinement


@pytest.mark.parametrize("kind", CONFINING)
@pytest.mark.parametrize(
    "command",
    ["cat {outside}/secret", "ls {outside}", "echo x > {outside}/new", "echo x >> {outside}/secret",
     "truncate -s 0 {outside}/secret", "mv {outside}/secret stolen", "ln {outside}/secret hard && cat hard",
     "rm {outside}/secret", "ln -s {outside} link; cat link/secret; echo x > link/new",
     "cp /proc/{dcc}/environ stolen; cat stolen", "cat /proc/{dcc}/cwd/secret /proc/{dcc}/root{outside}/secret",
     "mkdir {outside}/new", "cat /etc/shadow", "cat < ../outside/secret",
     "for fd in /proc/self/fd/*; do cat $fd/../outside/secret $fd/../../outside/secret; done",
     "echo x > /tmp/dcc-test-{dcc}; kill -9 {dcc}"],
)  # fmt: skip
def test_a_confined_command_reaches_nothing_outside(shell: Shell, kind: Kind, command: str) -> None:
    outside = shell.root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("not to be seen")
    environ = {**os.environ, "DCC_TEST_KEY": "not to be seen"}
    # A process like dcc: it holds a key in its environment, and stands outside.
    with subprocess.Popen(["sleep", "300"], env=environ, cwd=outside) as held:
        output = shell.run(command.format(outside=outside, dcc=held.pid), kind)
        is_alive = held.poll() is None
        held.kill()
    assert "not to be seen" not in str(output.content)
    assert "root:" not in str(output.content)
    # Landlock keeps signals inside from version 6 on.
    assert is_alive or (kind == "landlock" and landlock.version() < 6)
    assert sorted(path.name for path in outside.iterdir()) == ["secret"]
    assert (outside / "secret").read_text() == "not to be seen"
    assert not Path(f"/tmp/dcc-test-{held.pid}").exists()


@pytest.mark.parametrize("kind", CONFINING)
def test_a_confined_command_has_programs_and_a_folder_for_temporary_files(shell: Shell, kind: Kind) -> None:
    output = shell.run(
        "f=$(mktemp) && echo text > $f && cat $f && test -d $HOME && sort /dev/null && echo x > /dev/null", kind
    )
    assert output.content == "text"


@pytest.mark.parametrize("kind", CONFINING)
def test_further_folders_can_be_read_and_not_written(shell: Shell, kind: Kind) -> None:
    more = shell.root.parent / "more"
    more.mkdir()
    (more / "f").write_text("text")
    output = shell.run(f"cat {more}/f; echo x > {more}/f", kind, readable=(str(more),))
    assert str(output.content).startswith("text")
    assert output.is_error
    assert (more / "f").read_text() == "text"


@pytest.mark.parametrize("kind", CONFINING)
def test_folders_of_programs_that_cannot_be_read_are_not_looked_in(shell: Shell, kind: Kind) -> None:
    bin = shell.root.parent / "bin"
    bin.mkdir()
    (bin / "ls").write_text("#!/bin/sh\necho wrong\n")
    (bin / "ls").chmod(0o755)
    output = shell.run("echo > f; ls", kind, environment={"PATH": f"{bin}:/usr/bin:/bin"})
    assert output.content == "f"


def test_without_confinement_exec_is_refused(shell: Shell) -> None:
    output = Exec(within=Confinement("none")).run({"command": "echo on"}, ToolContext(shell.workspace))
    assert output.is_error
    assert "exec is refused" in str(output.content)
    assert "unconfined: true" in str(output.content)


def test_what_confines_is_told() -> None:
    assert confinement() is confinement()
    for kind in ("bubblewrap", "landlock"):
        assert Confinement(kind).statement.endswith("this is no sandbox")
    assert "unconfined: true" in Confinement("none").statement


def test_a_ruleset_that_lets_commands_run_unconfined_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinements, "confinement", lambda: Confinement("none"))
    assert confinements.said_of_exec(unconfined=True).endswith("This is no sandbox")
    assert "exec is refused" in confinements.said_of_exec(unconfined=False)
    monkeypatch.setattr(confinements, "confinement", lambda: Confinement("landlock"))
    assert "Landlock" in confinements.said_of_exec(unconfined=True)


def test_an_old_kernel_confines_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 2)
    with pytest.raises(OSError, match="at least 3"):
        landlock.restrict([], [])
