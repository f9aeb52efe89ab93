"""``dcc mcp``: dcc as a server of tools for other programs."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from .reading import fail_usage


def mcp(
    canon: Annotated[bool, typer.Option("--canon", help="Serve the project's memory: the tool canon.")] = False,
    cwd: Annotated[
        Path, typer.Option("--cwd", "-C", metavar="FOLDER", help="The project's folder, where the host names none.")
    ] = Path(),
    read_only: Annotated[bool, typer.Option("--read-only", help="Refuse every write.")] = False,
) -> None:
    """Serve over standard input and output, by the Model Context Protocol, until the host closes them."""
    if not canon:
        fail_usage("nothing to serve", "name what: dcc mcp --canon")
    if not cwd.is_dir():
        fail_usage(f"{cwd} is no folder", "name a folder with --cwd")
    if find_spec("mcp") is None:
        fail_usage("the SDK of the protocol is not installed", "run: python -m pip install 'dcc-context[mcp]'")
    import anyio

    from ..runtime.hosts.canon_server import CanonServer

    anyio.run(CanonServer(os.path.abspath(cwd), read_only=read_only).serve)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(mcp)
