"""``dcc status``: where a stored session stands, as ``/dc-status`` says it."""

from __future__ import annotations

import typer

from ..compiler.visible import visible
from ..runtime.view.status import status as status_of
from .stored import RulesetOption, SessionArgument, StoreOption, opened


def status(session: SessionArgument, store: StoreOption = None, ruleset: RulesetOption = None) -> None:
    """Print turn and calls, queued patches, and the newest slots of a session with their ranges."""
    with opened(session, store, ruleset) as found:
        print(visible(status_of(found)))


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("status")(status)
