"""``dcc canon hook``: what Claude Code and Codex start for their events; ``cli/entry.py`` knows a shorter way."""

from __future__ import annotations

from typing import Annotated

import typer

from ...runtime.hosts.claude_code.hook import main


def hook(
    caller: Annotated[str, typer.Option("--caller", metavar="NAME", help="The host: claude-code or codex.")] = "",
    read_only: Annotated[bool, typer.Option("--read-only", help="Never remind of articles to update.")] = False,
) -> None:
    """Answer an event of a host: JSON on standard input, one line of JSON on standard output, exit code 0 always."""
    raise typer.Exit(main([*(["--caller", caller] if caller else []), *(["--read-only"] if read_only else [])]))


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("hook")(hook)
