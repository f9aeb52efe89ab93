"""``dcc ops``: the operations that a model may use on its own context, and the tools made from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..compiler.documents import shipped_names, shipped_ops_names, shipped_ops_path
from ..compiler.files import OPS, check_file
from ..compiler.load import CompileError, load_program
from ..compiler.ops.decisions import decisions
from ..compiler.ops.model import OpTable
from ..compiler.ops.plain import plain_ops
from ..compiler.ops.show import page_lines, table_lines
from ..compiler.ops.source import read_ops_file
from ..compiler.ops.tool_schema import artifact_get, context_tools
from ..compiler.problem import nearest, one_of
from ..compiler.visible import visible, visible_json
from .reading import diagnostic_lines, fail_usage, read_bytes

#: Version of the JSON document's shape.
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Offer:
    """Operations, and the gates that are open; None: a file of operations has no say in that, so all are."""

    table: OpTable
    gates: tuple[str, ...] | None


def ops(
    source: Annotated[
        str,
        typer.Argument(metavar="[FILE|RULESET]", help="A .ops file, a shipped one, or a ruleset that names some."),
    ] = "cpat",
    format: Annotated[
        Literal["table", "openai", "anthropic", "json", "markdown"],
        typer.Option(help="What to print: what is decided, the tools of a request, everything, the reference page."),
    ] = "table",
) -> None:
    """Show operations: what each does, what is decided for each kind of slot, and the tools that a model is given."""
    offer = _offer(source)
    match format:
        case "openai" | "anthropic":
            tools = [*context_tools(offer.table, format, offer.gates), artifact_get(format)]
            typer.echo(visible_json(tools, indent=1))
        case "json":
            typer.echo(visible_json(_document(offer), indent=1))
        case "markdown":
            typer.echo(visible("\n".join(page_lines(offer.table))))
        case _:
            typer.echo(visible("\n".join(table_lines(offer.table)) or "no operations"))


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(ops)


def _offer(source: str) -> Offer:
    """The operations of a file or a ruleset; what is wrong with them is told, and ends the program."""
    shipped = None if Path(source).exists() else shipped_ops_path(source)
    if shipped is not None or source.endswith(OPS):
        return Offer(_table(shipped or Path(source)), None)
    try:
        program = load_program(source)
    except CompileError as error:
        if error.code != "no_ruleset":
            raise
        fail_usage(error.message, _named(source))
    if program.ops is None:
        fail_usage(f"the ruleset {program.name} names no operations", "write `governance: {ops: cpat}` in it")
    return Offer(program.ops, tuple(program.sections["governance"]["gates"]))


def _named(source: str) -> str:
    """What may be named in the place of what cannot be read."""
    known = (*shipped_ops_names(), *shipped_names())
    near = nearest(source, known)
    return f"did you mean {near}?" if near else f"name a .ops file, a ruleset, or {one_of(known)}"


def _table(path: Path) -> OpTable:
    data = read_bytes(path)
    file = read_ops_file(str(path), data)
    if file.faults:
        errors = [found for found in check_file(str(path), data).diagnostics if found.severity == "error"]
        for line in diagnostic_lines(errors):
            typer.echo(visible(line), err=True)
        raise typer.Exit(1)
    return OpTable(file.table)


def _document(offer: Offer) -> dict[str, Any]:
    rows = [
        {"op": row.op, "choice": dict(row.choice), "kind": row.kind, "state": dict(row.state), "result": row.result}
        for row in decisions(offer.table)
    ]
    gates = None if offer.gates is None else list(offer.gates)
    return {"schema_version": SCHEMA_VERSION, "gates": gates, "ops": plain_ops(offer.table), "decisions": rows}
