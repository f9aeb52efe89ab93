"""``dcc canon lint``: what is wrong in the articles, the journal and the schema of a store."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal

import typer

from ...compiler.canon.lint import every_check
from ...compiler.choice import Choice, selectors, unknown_selectors
from ...compiler.formats import SEVERITIES, Report
from ...runtime.memory.linting import lint as lint_stores
from ..reading import fail_usage
from .opening import FolderOption, MountOption, RootOption, opened

Format = Literal["text", "concise", "json", "sarif", "github", "junit"]


def lint(
    cwd: FolderOption = Path(),
    root: RootOption = None,
    mount: MountOption = None,
    format: Annotated[Format, typer.Option(help="How to print the findings, as for dcc check.")] = "text",
    select: Annotated[list[str] | None, typer.Option(metavar="CODE,…", help="Only these codes or names.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="CODE,…", help="Not these codes or names.")] = None,
    fail_on: Annotated[
        Literal["error", "warning", "info", "never"],
        typer.Option(help="The lightest finding that makes the exit code 1."),
    ] = "error",
) -> None:
    """Check the whole store and print what is wrong, where, and how to mend it. Nothing is written."""
    choice = Choice(_selectors("--select", select), _selectors("--ignore", ignore))
    linted = lint_stores(opened(cwd, root, mount, read_only=True).desk)
    found = choice.of(linted.diagnostics)
    failing = () if fail_on == "never" else SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    coloured = format == "text" and sys.stdout.isatty()
    report = Report(found, linted.files, linted.texts, coloured, paths=tuple(linted.texts), failing=failing)
    sys.stdout.write(import_module(f"...compiler.formats.{format}", __package__).render(report))
    if any(diagnostic.severity in failing for diagnostic in found):
        raise typer.Exit(1)


def _selectors(option: str, words: list[str] | None) -> tuple[str, ...]:
    """The selectors of an option; one that fits no check is wrong usage."""
    chosen = selectors(words or ())
    checks = [(module.CHECK.code, module.CHECK.name) for module in every_check()]
    for word, near in unknown_selectors(chosen, checks):
        help = f"did you mean {near}?" if near else "`dcc explain` lists the checks"
        fail_usage(f"{option}: {word} is no check", help)
    return chosen


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("lint")(lint)
