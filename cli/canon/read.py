"""``dcc canon read``: the article that governs a path."""

from __future__ import annotations

from pathlib import Path

import typer

from .opening import FolderOption, JsonOption, MountOption, PathArgument, RootOption, opened, told


def read(
    path: PathArgument,
    cwd: FolderOption = Path(),
    root: RootOption = None,
    mount: MountOption = None,
    json: JsonOption = False,
) -> None:
    """Print the article that governs a path: its own, else the nearest above. Exit 1 when there is none."""
    told(lambda: opened(cwd, root, mount, read_only=True).call({"action": "read", "path": path}), json)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("read")(read)
