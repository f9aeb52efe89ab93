"""``dcc why``: the causes of what happened to a slot, in a scenario or in a session (contracts.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..compiler.load import load_program
from ..compiler.visible import visible, visible_json
from ..runtime.hosts.recorded_session import read_session
from ..runtime.hosts.session_file import SessionFileError
from ..runtime.replay.run import session_of
from ..runtime.scenario.verdict import run_scenario
from ..runtime.session import Session, SessionError
from ..runtime.why import Cause
from .reading import fail_usage, played_or_exit, read_bytes
from .stored import StoreOption, opened

#: How the file of a recorded session ends; any other is a scenario.
_RECORDED = (".jsonl", ".jsonl.gz", ".gz")


def why(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="SESSION",
            help="A scenario in YAML or JSON, a recorded session (JSONL, .gz) or a stored one (dcc sessions list).",
        ),
    ],
    slot: Annotated[str, typer.Argument(metavar="SLOT", help="The slot to ask about, such as goal@1.")],
    turn: Annotated[int | None, typer.Option(min=0, help="Only what happened up to this turn.")] = None,
    ruleset: Annotated[
        str | None,
        typer.Option(
            "--ruleset", "-r", metavar="R",
            help="The ruleset for a recorded session (default: standard) or a stored one (default: its own).",
        ),
    ] = None,
    store: StoreOption = None,
    format: Annotated[Literal["text", "json"], typer.Option(help="What to print.")] = "text",
) -> None:
    """Play a scenario, replay or open a session, and print the causes of everything that happened to a slot."""
    if _is_file(file):
        causes = _causes(_session(file, ruleset, format), file, slot, turn)
    else:
        with opened(str(file), store, ruleset) as session:
            causes = _causes(session, file, slot, turn)
    if format == "json":
        shown = {"schema_version": 1, "slot": slot, "causes": [cause._asdict() for cause in causes]}
        print(visible_json(shown))
    else:
        if not causes:
            print(visible(f"nothing happened to {slot} up to turn {turn}"))
        for cause in causes:
            print(visible(f"turn {cause.turn}, after call #{cause.ordinal}: {cause.text} ({cause.origin})"))


def _is_file(file: Path) -> bool:
    """Whether a file is meant, there or not, and no stored session."""
    return file.exists() or file.suffix in (".yaml", ".yml", ".json", ".jsonl", ".gz")


def _causes(session: Session, file: Path, slot: str, turn: int | None) -> list[Cause]:
    try:
        return session.why(slot, turn)
    except SessionError as error:
        typer.echo(visible(f"{file}: {error.message}" + (f"; {error.help}" if error.help else "")), err=True)
        raise typer.Exit(1) from None


def _session(file: Path, ruleset: str | None, format: str) -> Session:
    if file.name.endswith(_RECORDED):
        program = load_program(ruleset or "standard")
        try:
            return session_of(read_session(file), program)
        except SessionFileError as error:
            fail_usage(error.message, error.help)
    if ruleset is not None:
        fail_usage("a scenario names its ruleset itself", "leave --ruleset out, or give a recorded session (.jsonl)")
    return played_or_exit(run_scenario(file, read_bytes(file), whole=0), format).session


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("why")(why)
