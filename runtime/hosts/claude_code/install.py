"""The entries of canon in Claude Code: its hooks in the settings, its server among the MCP servers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from ..installing import Change, hooks_changed, server_changed

CALLER: Final = "claude-code"

#: A hook for every batch of tools, not for every tool: one packet before the next request.
EVENTS: Final = ("SessionStart", "PostToolBatch", "Stop")


def changes(
    folder: str, command: str, environ: Mapping[str, str], *, user: bool, remove: bool
) -> tuple[Change, ...]:
    """What installing or removing changes: in the project ``folder``, or for the ``user`` in all projects."""
    home = environ.get("HOME") or os.path.expanduser("~")
    settings = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    if user:
        named = environ.get("CLAUDE_CONFIG_DIR")
        servers = os.path.join(named or home, ".claude.json")
    else:
        settings, servers = os.path.join(folder, ".claude"), os.path.join(folder, ".mcp.json")
    hooks = hooks_changed(os.path.join(settings, "settings.json"), EVENTS, command, CALLER, remove=remove)
    return hooks, server_changed(servers, command, remove=remove)
