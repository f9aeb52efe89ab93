"""``dcc journal``: what was done to the context of a stored session, by whom and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer

from ..compiler.visible import visible, visible_json
from ..runtime.governance.journal import Entry
from .stored import SessionArgument, StoreOption, opened


def journal(
    session: SessionArgument,
    store: StoreOption = None,
    count: Annotated[int, typer.Option("-n", "--count", min=1, metavar="N", help="How many, the newest last.")] = 10,
    format: Annotated[Literal["text", "json"], typer.Option(help="What to print.")] = "text",
) -> None:
    """Print the last transactions: operations, applied or refused, and what the runtime did on its own."""
    with opened(session, store) as found:
        entries = found.governance.newest(count)
    if format == "json":
        shown = {"schema_version": 1, "session": session, "transactions": [entry.document() for entry in entries]}
        print(visible_json(shown))
        return
    for entry in entries:
        for line in _lines(entry):
            print(visible(line))
    if not entries:
        print("nothing was done to the context yet")


def _lines(entry: Entry) -> Iterator[str]:
    yield entry.line()
    for index, rule, message in entry.rejections:
        yield f"   {rule} [{'transaction' if index < 0 else index}]: {message}"
    if entry.operations:
        yield f"   asked    {'; '.join(map(_operation, entry.operations))}"
    elif entry.operations is None and entry.cause in ("op", "refused"):
        yield "   asked    (deleted by a redaction)"
    if entry.slots:
        yield f"   changed  {', '.join(entry.slots)}"
    if entry.before is not None and entry.after is not None and entry.before != entry.after:
        yield f"   state    {entry.before[:16]} -> {entry.after[:16]}"


def _operation(operation: Any) -> str:
    """An operation in few words: its name and its targets."""
    if not isinstance(operation, dict):
        return json.dumps(operation, ensure_ascii=False)
    ids = operation.get("ids", [])
    named = ", ".join(map(str, ids)) if isinstance(ids, list) else str(ids)
    return f"{operation.get('op', '?')} {named}".strip()


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("journal")(journal)
