"""``dcc schema``: the JSON Schema of rulesets or scenarios, for editors."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..compiler.visible import visible_json


def schema(
    of: Annotated[
        Literal["ruleset", "scenario"], typer.Argument(metavar="[KIND]", help="ruleset or scenario.")
    ] = "ruleset",
) -> None:
    """Print a JSON Schema (draft 7) that editors complete and check YAML with.

    `dcc schema > dcc.schema.json`, and as the first line of a ruleset:
    `# yaml-language-server: $schema=dcc.schema.json`.
    """
    from ..compiler.schema.make import json_schema

    typer.echo(visible_json(json_schema(of)))


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(schema)
