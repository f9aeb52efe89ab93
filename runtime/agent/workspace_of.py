"""Which folder an agent works in."""

from __future__ import annotations

import os
from pathlib import Path

from ...compiler.program import Program


def workspace_of(program: Program, agent: str | None, folder: Path) -> Path:
    """The agent's own workspace (``agents.<id>.workspace``, from ``folder`` on), else ``folder``: a shared one."""
    scope = (program.sections.get("agents") or {}).get(agent) if agent is not None else None
    written = (scope or {}).get("workspace")
    # A home that is not there stays as it is written, and is no folder.
    return folder / os.path.expanduser(written) if written else folder
