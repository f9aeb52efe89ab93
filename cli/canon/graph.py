"""``dcc canon graph``: a page that shows what points to what."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ...compiler.counted import counted
from ...runtime.memory.canon import Canon
from ...runtime.memory.graph.gather import graph_of
from ...runtime.memory.graph.layout import laid_out
from ...runtime.memory.graph.page import page_of
from ...runtime.memory.reply import Reply
from ..reading import fail_usage
from ..writing import STANDARD_OUTPUT, written
from .opening import FolderOption, JsonOption, MountOption, RootOption, opened, told


def graph(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE|-", help="The page to write; - for standard output.")
    ] = Path("canon.html"),
    cwd: FolderOption = Path(),
    root: RootOption = None,
    mount: MountOption = None,
    json: JsonOption = False,
) -> None:
    """Write one HTML page, which loads nothing, of the articles, entries and assets and of what points to what."""
    if json and output == STANDARD_OUTPUT:
        fail_usage("the page and --json cannot both go to standard output", "name a file with --output")

    def answer() -> Reply:
        return _drawn(opened(cwd, root, mount, read_only=True), output)

    if output == STANDARD_OUTPUT:
        answer()
    else:
        told(answer, json)


def _drawn(canon: Canon, output: Path) -> Reply:
    """Write the page, and say what is on it."""
    found = graph_of(canon.desk)
    page = page_of(found, laid_out(found), os.path.basename(canon.cwd) or canon.cwd)
    with written(output) as file:
        file.write(page.encode())
    articles, entries, assets = (found.count(kind) for kind in ("article", "entry", "asset"))
    drawn = (
        counted(articles, "article"), counted(entries, "journal entry", "journal entries"), counted(assets, "asset"),
        counted(len(found.edges), "edge"),
    )  # fmt: skip
    text = f"Wrote {output}: {', '.join(drawn)}."
    data = {"articles": articles, "entries": entries, "assets": assets, "edges": len(found.edges)}
    return Reply("graph", text, data={"file": os.path.abspath(output), **data})


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("graph")(graph)
