"""``dcc canon trace``: what surfacing did, read from the file that a trace was written to."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ...compiler.counted import counted
from ...compiler.reading import refuse_pipe
from ...compiler.visible import visible, visible_json
from ...runtime.memory.surfacing.trace import VARIABLES
from ..reading import fail_usage

#: Fields that stand in front of a line, or are told otherwise.
_ASIDE = ("at", "kind")


def trace(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help=f"The trace (default: what {VARIABLES[0]} names).")
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="KIND", help="Only these; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Print a trace line by line, and how often each kind of step occurs.

    A trace is written while DCC_CANON_TRACE names a file: by sessions, hooks and runs, one JSON object a line.
    """
    named = file or next((Path(os.environ[name]) for name in VARIABLES if os.environ.get(name)), None)
    if named is None:
        fail_usage("there is no trace", f"name a file, or set {VARIABLES[0]}")
    rows, damaged = _rows(named)
    if kind:
        rows = [row for row in rows if row.get("kind") in kind]
    counts = Counter(str(row.get("kind")) for row in rows)
    if as_json:
        document = {"schema_version": 1, "file": str(named), "rows": rows, "kinds": dict(counts), "damaged": damaged}
        print(visible_json(document))
        return
    for row in rows:
        print(visible("  ".join(_columns(row))))
    print(visible(", ".join(f"{name} {count}" for name, count in counts.most_common()) or "no steps"))
    if damaged:
        print(visible(f"{counted(damaged, 'line')} cannot be read"), file=sys.stderr)


def _rows(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The rows of a file, and how many lines are none. What may have no end is wrong usage."""
    rows: list[dict[str, Any]] = []
    damaged = 0
    refuse_pipe(path)
    if path.is_char_device():
        fail_usage(f"{path} is a device", "name a file")
    for line in path.read_bytes().splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            rows.append(row)
        else:
            damaged += bool(line.strip())
    return rows, damaged


def _columns(row: dict[str, Any]) -> Iterator[str]:
    yield str(row.get("at", ""))
    yield str(row.get("kind", "")).ljust(16)
    for name, value in row.items():
        if name not in _ASIDE:
            yield f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("trace")(trace)
