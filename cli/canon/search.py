"""``dcc canon search``: articles and journal entries by words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .opening import FolderOption, JsonOption, MountOption, RootOption, opened, told


def search(
    query: Annotated[list[str], typer.Argument(metavar="WORDS", help="What to look for.")],
    journal: Annotated[bool, typer.Option("--journal", help="Search the journal too.")] = False,
    path: Annotated[str, typer.Option("--path", metavar="NAME:", help="Search the store of a mount.")] = "",
    cwd: FolderOption = Path(),
    root: RootOption = None,
    mount: MountOption = None,
    json: JsonOption = False,
) -> None:
    """Find articles by words, best first. Its index lies in the user's cache folder and may be deleted."""
    call = {"action": "search", "query": " ".join(query), "journal": journal, "path": path}
    told(lambda: opened(cwd, root, mount, read_only=True).call(call), json)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("search")(search)
