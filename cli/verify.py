"""``dcc verify``: whether a stored session is what its events say (contracts.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

import typer

from ..compiler.counted import counted
from ..compiler.visible import visible, visible_json
from ..runtime.store.verifying import verify as verify_store
from .stored import SessionArgument, StoreOption, stored


def verify(
    session: SessionArgument,
    store: StoreOption = None,
    format: Annotated[Literal["text", "json"], typer.Option(help="What to print.")] = "text",
) -> None:
    """Fold a session anew; compare sums, states, snapshot, slots, contents, recall index. Exit 1 on a difference."""
    with stored(session, store) as opened:
        verdict = verify_store(opened)
        if format == "json":
            shown = {"schema_version": 1, "session": opened.session, "ok": verdict.difference is None}
            print(visible_json(shown | asdict(verdict)))
        elif verdict.difference is None:
            snapshot = "no snapshot" if verdict.snapshot is None else f"a snapshot of event {verdict.snapshot}"
            told = (
                f"{opened.session}: {counted(verdict.events, 'event')}, {counted(verdict.slots, 'slot')}, "
                f"{counted(verdict.contents, 'content')}, {snapshot}: all agree\nstate {verdict.state_hash}"
            )
            print(visible(told))
        else:
            print(visible(f"{opened.session}: {verdict.difference}"))
    if verdict.difference is not None:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("verify")(verify)
