"""``dcc canon write``: make or change an article."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..reading import fail_usage
from .opening import (
    FolderOption,
    JsonOption,
    MountOption,
    PathArgument,
    ReadOnlyOption,
    RootOption,
    opened,
    text_or_input,
    told,
)


def write(
    path: PathArgument,
    capsule: Annotated[
        str | None, typer.Option("--capsule", metavar="TEXT", help="One dense line of what is true now.")
    ] = None,
    body: Annotated[
        str | None, typer.Option("--body", metavar="TEXT|-", help="The article in Markdown; - for standard input.")
    ] = None,
    scope: Annotated[
        Literal["rule", "asset"] | None,
        typer.Option("--scope", help="rule: it governs no asset of its own; asset: take that back."),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="BASE", help="Write only over the text of this base (read --json; none)."),
    ] = None,
    cwd: FolderOption = Path(),
    root: RootOption = None,
    mount: MountOption = None,
    read_only: ReadOnlyOption = False,
    json: JsonOption = False,
) -> None:
    """Write the article of a path; what is not given stays. Exit 1 when the schema refuses it, or it is stale."""
    if capsule is None and body is None and scope is None:
        fail_usage("there is nothing to write", "give --capsule, a line of what is true now, or --body, the article")
    call = {"path": path, "capsule": capsule, "body": text_or_input(body), "scope": scope, "base": base}
    told(lambda: opened(cwd, root, mount, read_only).call({"action": "write", **call}), json)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("write")(write)
