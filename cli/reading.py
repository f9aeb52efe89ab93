"""What every verb that is given a scenario or a session does: read the file, say what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

import typer

from ..compiler.diagnostics import Diagnostic
from ..compiler.reading import read_source
from ..compiler.reason import reason_of
from ..compiler.visible import visible, visible_json
from ..runtime.scenario.played import Played
from ..runtime.scenario.verdict import Run


def read_bytes(path: Path) -> bytes:
    """The bytes of a file; one that cannot be read ends the program with exit code 2."""
    try:
        return read_source(path)
    except (OSError, ValueError) as error:
        fail_usage(f"cannot read {path}: {reason_of(error)}", "name a file that exists and may be read")


def fail_usage(message: str, help: str | None) -> NoReturn:
    """Say what is wrong with the way the program was called, and end it with exit code 2."""
    typer.echo(visible(f"dcc: {message}" + (f"\nhelp: {help}" if help else "")), err=True)
    raise typer.Exit(2)


def played_or_exit(run: Run, format: str) -> Played:
    """What was played; a scenario that could not be is explained, and ends the program with exit code 1."""
    if run.played is not None:
        return run.played
    if format == "json":
        shown = {"schema_version": 1, "diagnostics": [asdict(found) for found in run.diagnostics]}
        print(visible_json(shown))
    else:
        for line in diagnostic_lines(run.diagnostics):
            typer.echo(visible(line), err=True)
    raise typer.Exit(1)


def diagnostic_lines(diagnostics: Iterable[Diagnostic]) -> Iterable[str]:
    """Diagnostics for people: place, message, mend."""
    for found in diagnostics:
        place = f"{found.path}:{found.start.line}:{found.start.column}"
        yield f"{place}: {found.severity}: {found.message} [{found.name}]"
        if found.help:
            yield f"  help: {found.help}"
