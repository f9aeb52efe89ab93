"""``dcc canon restore``: bring back what a write replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...runtime.memory.reply import Reply
from .opening import FolderOption, JsonOption, MountOption, PathArgument, RootOption, opened, told


def restore(
    path: PathArgument,
    version: Annotated[
        str | None, typer.Option("--version", metavar="NAME", help="A version that --list names; else the last.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the texts that are kept, newest first.")] = False,
    cwd: FolderOption = Path(),
    root: RootOption = None,
    mount: MountOption = None,
    json: JsonOption = False,
) -> None:
    """Bring back the text of an article that the last write replaced; what is there now is kept in turn."""

    def answer() -> Reply:
        canon = opened(cwd, root, mount, read_only=list_)
        return canon.versions(path) if list_ else canon.restore(path, version)

    told(answer, json)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("restore")(restore)
