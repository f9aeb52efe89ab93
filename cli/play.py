"""``dcc play``: plays a scenario and prints what every call held (contracts.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..compiler.visible import visible, visible_json
from ..runtime.scenario.document import document
from ..runtime.scenario.report import COLUMNS, report
from ..runtime.scenario.verdict import run_scenario
from .reading import played_or_exit, read_bytes


def play(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario in YAML or JSON.")],
    format: Annotated[Literal["text", "json"], typer.Option(help="What to print.")] = "text",
    as_: Annotated[
        Literal["openai", "anthropic", "pi"], typer.Option("--as", help="The format of the requests.")
    ] = "openai",
    ruleset: Annotated[
        str | None, typer.Option(metavar="R", help="Play under this ruleset instead of the scenario's own.")
    ] = None,
    requests: Annotated[bool, typer.Option("--requests", help="Print the messages of every request too.")] = False,
) -> None:
    """Play a scenario, step by step, without comparing it with what it expects."""
    whole = COLUMNS if format == "text" and not requests else None
    run = run_scenario(file, read_bytes(file), ruleset=ruleset, format=as_, whole=whole)
    played = played_or_exit(run, format)
    if format == "json":
        print(visible_json(document(played)))
    else:
        for line in report(played, requests=requests):
            print(visible(line))


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("play")(play)
