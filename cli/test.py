"""``dcc test``: plays scenarios and compares them with what they expect (contracts.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..compiler.counted import counted
from ..compiler.visible import visible, visible_json
from ..runtime.scenario.report import one_line
from ..runtime.scenario.verdict import Run, run_scenario, scenario_files
from .reading import diagnostic_lines, fail_usage, read_bytes


def compare_scenarios(
    paths: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Scenarios, or folders of them.")],
    format: Annotated[Literal["text", "json"], typer.Option(help="What to print.")] = "text",
) -> None:
    """Play every scenario and compare it with what it expects; exit 1 when one differs."""
    runs = [run_scenario(path, read_bytes(path), whole=0) for path in _files(paths)]
    failed = sum(not run.passed for run in runs)
    if format == "json":
        shown = {"schema_version": 1, "passed": len(runs) - failed, "failed": failed,
                 "scenarios": [_document(run) for run in runs]}  # fmt: skip
        print(visible_json(shown))
    else:
        for run in runs:
            for line in _lines(run):
                print(visible(line))
        print(visible(f"{counted(len(runs), 'scenario')}, {f'{failed} failed' if failed else 'all as expected'}"))
    if failed:
        raise typer.Exit(1)


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = list(scenario_files(path))
        if not found:
            fail_usage(f"no scenario under {path}", "a scenario is a YAML or JSON file with `steps:`")
        yield from found


def _lines(run: Run) -> Iterator[str]:
    yield from diagnostic_lines(run.diagnostics)
    for difference in run.differences:
        path = difference.path
        what = " ".join(str(part) for part in path[path.index("expect") + 1 :]) or "call"
        yield f"{run.file.path}:{run.file.line_of(path)}: {what} differs at: {one_line(difference.title)}"
        yield f"  expected  {_value(difference.expected)}"
        yield f"  got       {_value(difference.got)}"


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _document(run: Run) -> dict[str, Any]:
    return {
        "path": run.file.path,
        "passed": run.passed,
        "diagnostics": [asdict(diagnostic) for diagnostic in run.diagnostics],
        "differences": [
            {
                "line": run.file.line_of(difference.path),
                "at": list(difference.path),
                "step": difference.title,
                "expected": difference.expected,
                "got": difference.got,
            }
            for difference in run.differences
        ],
    }


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("test")(compare_scenarios)
