"""``dcc canon status``: how much is kept where."""

from __future__ import annotations

from pathlib import Path

import typer

from .opening import FolderOption, JsonOption, MountOption, RootOption, opened, told


def status(
    cwd: FolderOption = Path(), root: RootOption = None, mount: MountOption = None, json: JsonOption = False
) -> None:
    """Print where the store is, and how many articles and journal entries it has."""
    told(lambda: opened(cwd, root, mount, read_only=True).status(), json)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("status")(status)
