"""``dcc rules``: the list of checks."""

from __future__ import annotations

import inspect
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from ..compiler.check import CheckModule, all_checks
from ..compiler.visible import visible, visible_json

#: Version of the JSON document's shape.
SCHEMA_VERSION = 1


def rules(
    format: Annotated[Literal["text", "json"], typer.Option(help="How to print the list.")] = "text",
) -> None:
    """List the checks: code, name, severity, what they are about, and the rule that each one keeps."""
    modules = all_checks()
    if format == "json":
        listed = [asdict(module.CHECK) | {"rule": rule_of(module), "page": page_of(module)} for module in modules]
        typer.echo(visible_json({"schema_version": SCHEMA_VERSION, "checks": listed}, indent=1))
        return
    longest = max(len(module.CHECK.name) for module in modules)
    for module in modules:
        check = module.CHECK
        head = f"{check.code}  {check.name:{longest}}  {check.severity:7}  {check.kind:8}"
        typer.echo(visible(f"{head}  {rule_of(module)}"))


def rule_of(module: CheckModule) -> str:
    """The rule that a check keeps, in one line."""
    return (module.__doc__ or "").splitlines()[0]


def page_of(module: CheckModule) -> str:
    """The page of a check, as Markdown."""
    return inspect.cleandoc(module.__doc__ or "")


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(rules)
