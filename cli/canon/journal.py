"""``dcc canon journal``: append an entry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .opening import FolderOption, JsonOption, MountOption, ReadOnlyOption, RootOption, opened, text_or_input, told


def journal(
    body: Annotated[str, typer.Argument(metavar="TEXT|-", help="What happened; - for standard input.")],
    subject: Annotated[
        list[str] | None, typer.Option("--subject", "-s", metavar="PATH", help="What it is about; may be repeated.")
    ] = None,
    slug: Annotated[str, typer.Option("--slug", metavar="WORDS", help="Words for the name of the file.")] = "",
    cwd: FolderOption = Path(),
    root: RootOption = None,
    mount: MountOption = None,
    read_only: ReadOnlyOption = False,
    json: JsonOption = False,
) -> None:
    """Append an entry to the journal, which is never written again."""
    call = {"body": text_or_input(body), "subject": subject or [], "slug": slug}
    told(lambda: opened(cwd, root, mount, read_only).call({"action": "journal", **call}), json)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("journal")(journal)
