"""``dcc canon``: the project's memory from the command line (contracts.md), a file a verb."""

from __future__ import annotations

from importlib import import_module

import typer

#: The verbs, each a module of this folder with a function ``register(app)``.
VERBS = (
    "init", "read", "write", "journal", "map", "search", "lint", "graph", "restore", "status", "settings", "hook",
    "install", "trace",
)  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    verbs = typer.Typer(
        help="The project's memory: articles, journal, what is wrong in them, and its hosts.", no_args_is_help=True
    )
    for verb in VERBS:
        import_module(f"{__name__}.{verb}").register(verbs)
    app.add_typer(verbs, name="canon")
