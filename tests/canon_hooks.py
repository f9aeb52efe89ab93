"""Events as Claude Code and Codex send them to a hook, and a host that starts the hook for each as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

#: What both hosts send with every event.
_COMMON = {"transcript_path": "/dev/null", "permission_mode": "default"}


class Host:
    """A host whose hook is ``dcc canon hook``."""

    def __init__(self, folder: Path, caller: str, session: str = "3f1c", *options: str, **environ: str) -> None:
        self.folder = folder
        self.caller = caller
        self.session = session
        self.command = [str(Path(sys.executable).parent / "dcc"), "canon", "hook", "--caller", caller, *options]
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(folder.parent / "home"), **environ}

    def send(self, event: str, **fields: Any) -> dict[str, Any]:
        """Send an event; the answer of the hook, which is always one line of JSON and exit code 0."""
        payload = {"session_id": self.session, "cwd": str(self.folder), **_COMMON, "hook_event_name": event, **fields}
        return self.raw(json.dumps(payload).encode())[0]

    def raw(self, data: bytes) -> tuple[dict[str, Any], str]:
        """Send anything; the answer, and what the hook said on standard error."""
        done = subprocess.run(self.command, input=data, env=self.environ, cwd="/", capture_output=True, check=False)
        assert done.returncode == 0
        assert done.stdout.count(b"\n") == 1
        return json.loads(done.stdout), done.stderr.decode()

    def start(self, source: str) -> dict[str, Any]:
        """A session starts, is resumed, cleared or compacted."""
        return self.send("SessionStart", source=source, model="m")

    def used(self, tool: str, arguments: dict[str, Any], response: Any = "ok") -> list[str]:
        """One tool was used (Codex); the lines that it surfaced."""
        return said(self.send(
            "PostToolUse", tool_name=tool, tool_input=arguments, tool_response=response, tool_use_id="call_1",
        ))  # fmt: skip

    def batch(self, *calls: tuple[str, dict[str, Any]]) -> list[str]:
        """A batch of tools was used (Claude Code); the lines that it surfaced."""
        return said(self.send("PostToolBatch", tool_calls=[
            {"tool_name": tool, "tool_input": arguments, "tool_use_id": f"toolu_{n}", "tool_response": "ok"}
            for n, (tool, arguments) in enumerate(calls)
        ]))  # fmt: skip

    def stop(self, *, active: bool = False) -> dict[str, Any]:
        """The host is about to stop."""
        return self.send("Stop", stop_hook_active=active, last_assistant_message="Done.")


def said(reply: dict[str, Any]) -> list[str]:
    """The lines of an answer; the first of the message stands above them."""
    if reply == {}:
        return []
    output = reply["hookSpecificOutput"]
    assert output["hookEventName"] in ("PostToolUse", "PostToolBatch")
    head, *lines = output["additionalContext"].split("\n")
    assert head.startswith("[canon] ")
    return lines
