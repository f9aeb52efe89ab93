"""``dcc canon map``: the addresses of a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .opening import FolderOption, JsonOption, MountOption, RootOption, opened, told


def map_(
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="An address to begin with; name: for a mount.")] = "",
    cwd: FolderOption = Path(),
    root: RootOption = None,
    mount: MountOption = None,
    json: JsonOption = False,
) -> None:
    """List the articles with their capsules, all or those at and below a path."""
    told(lambda: opened(cwd, root, mount, read_only=True).call({"action": "map", "path": path}), json)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("map")(map_)
