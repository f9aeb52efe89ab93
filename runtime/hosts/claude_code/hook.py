"""``dcc canon hook``: one event of Claude Code or Codex in, one line of JSON out (specification of canon, section 8).

It is started anew for every event, so it is imported by itself, without the command line. It never fails: a hook that
does would stop the work of the host.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ....compiler.visible import visible
from ...kernel.knowledge import NOTHING, Knowledge
from ...memory.canon import Canon
from ...memory.options import Options, user_settings
from ...memory.store.layout import STORE
from ...memory.surfacing.surfacing import Surfacing, is_own
from ...memory.surfacing.wording import PREFIX, message, reminder
from ..caller import caller_of, session_of
from .holding import held
from .state import State, state_file

#: Calls of one batch that are looked at; a host asks for a few at a time, and waits five seconds for a hook.
_MOST_CALLS: Final = 100

#: Longest event that is read, in bytes: a result of a tool may be anything.
_LONGEST: Final = 64 << 20


def main(arguments: Sequence[str] = ()) -> int:
    """Answer the event on standard input. ``arguments``: ``--caller NAME``, ``--read-only``. Always 0."""
    reply: dict[str, Any] = {}
    try:
        data = sys.stdin.buffer.read(_LONGEST + 1)
        if len(data) > _LONGEST:
            raise ValueError(f"the event has more than {_LONGEST} bytes")
        event = _event(data)
        if not isinstance(event, dict):
            raise ValueError("the event is no JSON object")
        reply = answer(event, os.environ, *_options(arguments))
    except Exception as error:
        # Whatever it is, the host goes on: section 8.
        _complain(error)
    try:
        print(json.dumps(reply), flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _event(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise ValueError(f"the event is no JSON: {error}") from None


def _complain(error: Exception) -> None:
    """Say why there is no answer, or not all of it; of what nobody expected, what kind of error it is, too."""
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    print(visible(f"dcc canon hook: {kind}{error}"), file=sys.stderr)


def _options(arguments: Sequence[str]) -> tuple[str | None, bool]:
    caller, read_only = None, False
    rest = iter(arguments)
    for word in rest:
        name, equals, value = word.partition("=")
        if name == "--caller":
            caller = value if equals else next(rest, "")
        elif word == "--read-only":
            read_only = True
        else:
            raise ValueError(f"unknown option {word}; there are --caller NAME and --read-only")
    return caller or None, read_only


def answer(
    event: Mapping[str, Any], environ: Mapping[str, str], caller: str | None = None, read_only: bool = False
) -> dict[str, Any]:
    """The answer to an event; nothing where the project has no store. A store is never made, nor written."""
    cwd = _project(_text(event, "cwd"), environ.get("CLAUDE_PROJECT_DIR", ""))
    if not _has_store(cwd):
        return {}
    settings = user_settings(environ)
    options = Options(surface=settings.get("surface", True), resurface=settings.get("resurface", True))
    caller = caller or caller_of(environ, "claude-code" if environ.get("CLAUDE_PROJECT_DIR") else "hook")
    session = _text(event, "session_id") or session_of(environ)
    reply: dict[str, Any] = {}
    try:
        with held(state_file(caller, session, cwd, environ)) as state:
            hook = _Hook(Canon(cwd, options, read_only=True), state, _text(event, "cwd") or cwd)
            reply = _answered(hook, event, reminds=not read_only)
    except OSError as error:
        # What is known of a touched asset goes out, kept in mind or not. A reminder would come again at every stop.
        _complain(error)
        reply = {} if "decision" in reply else reply
    return reply


def _answered(hook: _Hook, event: Mapping[str, Any], *, reminds: bool) -> dict[str, Any]:
    name = _text(event, "hook_event_name")
    match name:
        case "SessionStart":
            hook.start(_text(event, "source"))
        case "PostToolUse":
            return hook.used([event], name, "this tool")
        case "PostToolBatch":
            calls = event.get("tool_calls")
            return hook.used(calls if isinstance(calls, list) else [], name, "this tool batch")
        case "Stop" if not event.get("stop_hook_active"):
            return hook.stop(reminds=reminds)
    return {}


def _project(cwd: str, project: str) -> str:
    """The folder of the project: that of the event, which may follow a `cd` into a part of it."""
    cwd = os.path.abspath(cwd or project or os.getcwd())
    is_part = bool(project) and cwd.startswith(os.path.abspath(project) + os.sep)
    return os.path.abspath(project) if is_part and not _has_store(cwd) else cwd


def _has_store(folder: str) -> bool:
    return os.path.isdir(os.path.join(folder, STORE, "articles"))


@dataclass(slots=True)
class _Seen:
    """What was shown counts as present until the host says that the context was made anew."""

    state: State

    def has(self, address: str, base: str) -> bool:
        return address in self.state.seen

    def costs(self) -> dict[str, int]:
        return dict.fromkeys(self.state.seen, 0)


class _Hook:
    """``folder``: where the tools were used, which is where the shell of the host went."""

    def __init__(self, canon: Canon, state: State, folder: str) -> None:
        self._state = state
        self._knowledge: Knowledge = NOTHING
        self._canon = canon
        self._surfacing = Surfacing(canon, _Seen(state), lambda: self._knowledge, folder=folder)

    def start(self, source: str) -> None:
        """A session begins; only one that is resumed still has in its context what was shown."""
        if source == "resume":
            return
        if self._canon.options.resurface or source != "compact":
            self._state.seen.clear()
        self._state.pending.clear()

    def used(self, calls: Sequence[object], event: str, what: str) -> dict[str, Any]:
        """Tools were used: what the tool itself did comes first, then what the others touched."""
        known = [call for call in calls if isinstance(call, Mapping) and isinstance(call.get("tool_input"), Mapping)]
        known = known[:_MOST_CALLS]
        for call in known:
            if is_own(_text(call, "tool_name")) and not _has_failed(call):
                self._used_canon(call["tool_input"])
        for number, call in enumerate(known):
            tool, arguments = _text(call, "tool_name"), call["tool_input"]
            self._surfacing.called(self._tell, str(number), tool, arguments)
            if not _has_failed(call):
                self._surfacing.succeeded(self._tell, str(number))
        self._state.pending.update(self._knowledge.owed)
        plan = self._surfacing.plan()
        self._surfacing.went_out(self._tell, plan, "hook")
        if not plan.lines:
            return {}
        self._state.seen += [line.address for line in plan.lines]
        text = f"{PREFIX} {message(plan.lines, what)}"
        return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}

    def _used_canon(self, arguments: Mapping[str, Any]) -> None:
        entered = self._surfacing.used(arguments)
        if entered is None:
            return
        if entered.address not in self._state.seen:
            self._state.seen.append(entered.address)
        if entered.wrote:
            self._state.pending.pop(entered.address, None)

    def stop(self, *, reminds: bool) -> dict[str, Any]:
        """The host is about to stop: remind once of what was changed and not updated."""
        pending, self._state.pending = self._state.pending, {}
        bases = {address: self._surfacing.base(address) if base is None else base for address, base in pending.items()}
        self._tell({"do": "owed", "bases": bases})
        owed = self._surfacing.owed(self._tell)
        return {"decision": "block", "reason": f"{PREFIX} {reminder(owed)}"} if owed and reminds else {}

    def _tell(self, data: Mapping[str, Any]) -> None:
        self._knowledge = self._knowledge.after(data)


def _text(event: Mapping[str, Any], name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""


def _has_failed(call: Mapping[str, Any]) -> bool:
    """Whether the result of a call says that it failed, in one of the ways in which hosts say so."""
    if call.get("error") or call.get("is_error") is True:
        return True
    response = call.get("tool_response")
    if not isinstance(response, Mapping):
        return False
    flags = response.get("is_error") is True or response.get("isError") is True or response.get("success") is False
    codes = (response.get("exit_code"), response.get("exitCode"))
    return flags or any(isinstance(code, int) and code != 0 for code in codes)
