"""``dcc why``: the causes of what happened to a slot (contracts.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..runtime.scenario.verdict import run_scenario
from ..runtime.session import SessionError
from ..runtime.why import Cause
from .reading import played_or_exit, read_bytes


def why(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario in YAML or JSON.")],
    slot: Annotated[str, typer.Argument(metavar="SLOT", help="The slot to ask about, such as goal@1.")],
    turn: Annotated[int | None, typer.Option(min=0, help="Only what happened up to this turn.")] = None,
    format: Annotated[Literal["text", "json"], typer.Option(help="What to print.")] = "text",
) -> None:
    """Play a scenario and print the causes of everything that happened to a slot."""
    run = run_scenario(file, read_bytes(file))
    session = played_or_exit(run, format).session
    try:
        causes = session.why(slot, turn)
    except SessionError as error:
        typer.echo(f"{file}: {error.message}" + (f"; {error.help}" if error.help else ""), err=True)
        raise typer.Exit(1) from None
    if format == "json":
        shown = {"schema_version": 1, "slot": slot, "causes": [cause._asdict() for cause in causes]}
        print(json.dumps(shown, ensure_ascii=False, indent=2))
    else:
        for cause in causes:
            print(f"turn {cause.turn}, after call #{cause.ordinal}: {cause.text} ({_origin(cause)})")


def _origin(cause: Cause) -> str:
    """What brought it about: a numbered transaction, or the slot's own rule."""
    return f"{cause.cause}, transaction #{cause.transaction}" if cause.transaction else cause.cause


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("why")(why)
