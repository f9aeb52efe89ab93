"""``exec``: a shell command, confined to the workspace where the system can do that."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ....compiler.reason import reason_of
from .arguments import ToolError, read_arguments
from .capture import Capture
from .confinement import DEVICES, READABLE, WORKSPACE, Confinement, bubblewrap, confinement
from .limits import Limits
from .process import Ended, run_supervised
from .tool import AgentTool, ToolContext, ToolOutput, failed
from .workspace import Workspace

PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "description": "The command, for the shell."},
        "cwd": {"type": "string", "description": "The folder to run it in, relative to the workspace."},
        "timeout": {"type": "integer", "minimum": 1, "description": "Longest time, in seconds."},
    },
    "required": ["command"],
    "additionalProperties": False,
}

DESCRIPTION: Final = (
    "Run a shell command in the workspace. It has no standard input, and what it leaves running is ended with it. Of a "
    "long output the head and the tail come back."
)

#: Bytes of a command: Linux takes no longer argument of a program (MAX_ARG_STRLEN, its end included).
LONGEST_COMMAND: Final = 131_071

#: A signal that a limit sends, and the limit.
_LIMITS: Final[Mapping[int, str]] = {
    getattr(signal, "SIGXCPU", -1): "it used up its computing time",
    getattr(signal, "SIGXFSZ", -2): "it wrote a file larger than allowed",
}


@dataclass(frozen=True, slots=True)
class Exec:
    """How commands run: ``unconfined`` where nothing confines them; ``readable`` further paths that they may read.

    ``within`` is the confinement to use (None: the best that the system has).
    """

    limits: Limits = field(default_factory=Limits)
    unconfined: bool = False
    readable: tuple[str, ...] = ()
    within: Confinement | None = None

    @classmethod
    def of(cls, section: Mapping[str, Any] | None) -> Exec:
        """As ``tools.exec`` of a ruleset says."""
        section = section or {}
        return cls(Limits.of(section), bool(section.get("unconfined")), tuple(section.get("read") or ()))

    @property
    def tool(self) -> AgentTool:
        """The tool ``exec``."""
        return AgentTool("exec", DESCRIPTION, PARAMETERS, self.run)

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        """Carry out a call."""
        within = self.within or confinement()
        if within.kind == "none" and not self.unconfined:
            return failed(f"exec is refused: {within.statement}", "use read, write and edit instead")
        try:
            given = read_arguments(PARAMETERS, arguments)
            if not given["command"].strip() or "\0" in given["command"]:
                raise ToolError("bad_arguments", "the command is empty, or holds a NUL", help="give a shell command")
            _check_length(given["command"])
            seconds = min(given.get("timeout", self.limits.timeout_s), self.limits.timeout_s, context.deadline_s)
            with context.workspace.folder(given.get("cwd", ".")) as folder:
                return self._run(given["command"], given.get("cwd", "."), folder, seconds, within, context)
        except ToolError as error:
            return failed(error.message, error.help)
        except OSError as error:
            return failed(f"the command cannot be run: {reason_of(error)}")

    def _run(
        self, command: str, cwd: str, folder: int, seconds: float, within: Confinement, context: ToolContext
    ) -> ToolOutput:
        capture = Capture(self.limits.output)
        words = [shutil.which("bash", path="/usr/bin:/bin") or "/bin/sh", "-c", command]
        with context.workspace.folder(".") as top, _temporary(within) as scratch:
            environment = {**context.environment, "TERM": "dumb"}
            task: dict[str, Any] = {
                "words": words, "folder": folder, "workspace": top, "limits": self._limits(), "landlock": None,
                "mounts_at": None, "scratch": scratch,
            }  # fmt: skip
            if within.kind == "bubblewrap":
                mounted = str(context.workspace.real)
                at = os.path.join(mounted, *context.workspace.parts(cwd))
                task["words"] = [*bubblewrap(shutil.which("bwrap") or "bwrap", self.readable, mounted, at), *words]
                task["mounts_at"] = WORKSPACE
                environment |= {"HOME": "/tmp", "TMPDIR": "/tmp"}
            elif within.kind == "landlock":
                task["landlock"] = {
                    "readable": [*READABLE, *self.readable, "/proc"], "writable": [scratch, *DEVICES],
                }  # fmt: skip
                environment |= {"HOME": scratch, "TMPDIR": scratch}
            if within.kind != "none" and "PATH" in environment:
                environment["PATH"] = self._reachable(environment["PATH"], context.workspace)
            ended = run_supervised(
                task, descriptors=(top, folder), environment=environment, seconds=seconds, abort=context.abort,
                capture=capture,
            )  # fmt: skip
        return _output(capture, ended, seconds, within)

    def _reachable(self, path: str, workspace: Workspace) -> str:
        """The folders of ``path`` that a confined command can read: shells stumble over the others."""
        tops = [Path(top) for top in (*READABLE, *self.readable)] + [workspace.real]
        return os.pathsep.join(
            folder for folder in path.split(os.pathsep) if any(Path(folder).is_relative_to(top) for top in tops)
        )

    def _limits(self) -> dict[str, int]:
        return {
            "RLIMIT_CPU": self.limits.cpu_s, "RLIMIT_AS": self.limits.memory,
            "RLIMIT_FSIZE": self.limits.file_size, "RLIMIT_CORE": 0,
        }  # fmt: skip


def _check_length(command: str) -> None:
    """Refuse what no system takes as one argument of a program. Raises ToolError (``bad_arguments``)."""
    try:
        size = len(command.encode())
    except UnicodeEncodeError as error:
        raise ToolError(
            "bad_arguments", f"character {error.start} of the command is half of a pair, no character",
            help="send the command again, without it",
        ) from None  # fmt: skip
    if size > LONGEST_COMMAND:
        raise ToolError(
            "bad_arguments", f"the command has {size:,} bytes, at most {LONGEST_COMMAND:,} were expected",
            help="write it into a file, and run that",
        )  # fmt: skip


@contextmanager
def _temporary(within: Confinement) -> Iterator[str]:
    """A folder of the command's own for temporary files, where it cannot reach that of everybody."""
    if within.kind != "landlock":
        yield ""
        return
    with tempfile.TemporaryDirectory(prefix="dcc-exec-", ignore_cleanup_errors=True) as folder:
        yield folder


def _output(capture: Capture, ended: Ended, seconds: float, within: Confinement) -> ToolOutput:
    code = None if ended.status is None else os.waitstatus_to_exitcode(ended.status)
    notes = []
    if ended.why == "timeout":
        notes.append(f"stopped: it was not done within {seconds:g} s")
    elif ended.why == "abort":
        notes.append("stopped: the run was aborted")
    elif code is None:
        notes.append("how the command ended is not known: the process that watched over it was ended")
    elif code < 0:
        notes.append(_signalled(-code))
    elif code:
        notes.append(f"exit code {code}")
    # bubblewrap has processes of its own, so there is no telling.
    if ended.left and ended.why == "itself" and within.kind != "bubblewrap":
        notes.append(f"what it left running was ended: {ended.left} of its processes")
    if not ended.is_over:
        notes.append("some of its processes may still be running")
    written = capture.text()
    text = "\n".join([*([written.removesuffix("\n")] if written else []), *(f"[{note}]" for note in notes)])
    details = {
        "exit_code": code, "why": ended.why, "left_out": capture.left_out, "confinement": within.kind,
    }  # fmt: skip
    return ToolOutput(text or "[no output]", is_error=code != 0, details=details)


def _signalled(number: int) -> str:
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"ended by {name}: {_LIMITS[number]}" if number in _LIMITS else f"ended by {name}"
