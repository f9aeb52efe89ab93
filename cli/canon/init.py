"""``dcc canon init``: an empty store."""

from __future__ import annotations

from pathlib import Path

import typer

from .opening import FolderOption, JsonOption, RootOption, opened, told


def init(cwd: FolderOption = Path(), root: RootOption = None, json: JsonOption = False) -> None:
    """Make an empty store in the project. There is no need to: the first write does it too."""
    told(lambda: opened(cwd, root, None).init(), json)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("init")(init)
