"""``dcc compile``: a ruleset as a Program, or as its visibility table (design.md section 4)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..compiler.load import load_program
from ..compiler.program import Program
from ..compiler.reason import reason_of
from ..compiler.table import DEFAULT_TURNS, table_document, table_text
from ..compiler.visible import visible, visible_json, visible_json_text


def compile_ruleset(
    ruleset: Annotated[str, typer.Argument(metavar="FILE", help="A path or a shipped name.")] = "standard",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="Write the program as JSON to OUT.")
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="Print when slots of each element are on stage.")
    ] = False,
    turns: Annotated[int, typer.Option(min=1, max=1000, help="Births that the table shows.")] = DEFAULT_TURNS,
    format: Annotated[Literal["text", "json"], typer.Option(help="What to print.")] = "text",
) -> None:
    """Compile a ruleset to tables that run without YAML and Lark."""
    program = load_program(ruleset)
    if output is not None:
        try:
            output.write_text(program.to_json(), encoding="utf-8")
        except OSError as error:
            typer.echo(visible(f"dcc compile: cannot write {output}: {reason_of(error)}"), err=True)
            raise typer.Exit(2) from None
    if table and format == "json":
        typer.echo(visible_json(table_document(program, turns), indent=1))
    elif table:
        typer.echo(visible(table_text(program, turns)), nl=False)
    elif format == "json":
        typer.echo(visible_json_text(program.to_json()), nl=False)
    else:
        typer.echo(visible(_summary(program)))


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("compile")(compile_ruleset)


def _summary(program: Program) -> str:
    refined = sum(row.of is not None for row in program.elements.values())
    elements = len(program.elements) - refined
    return f"{program.name}: {elements} elements, {refined} refinements, digest {program.digest}"
