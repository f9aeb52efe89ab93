"""``dcc init``: a ruleset to start from, with comments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..compiler.visible import visible
from .new import fill, text_of, yaml_text
from .reading import fail_usage


def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="The file to write.")] = Path("runtime.yaml"),
) -> None:
    """Write a commented ruleset to start from; a file that exists is never overwritten."""
    if file.exists():
        fail_usage(f"{file} is there already", "name another file, or remove it first")
    if not file.parent.is_dir():
        fail_usage(f"there is no folder {file.parent}", "make it first")
    file.write_text(starter(file.stem), encoding="utf-8")
    typer.echo(visible(f"wrote {file}\nnext: dcc check {file} && dcc compile --table {file}"))


def starter(name: str) -> str:
    """The text of the starter, for a ruleset of this name."""
    return fill(text_of("starter.yaml"), {"name": yaml_text(name)})


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(init)
