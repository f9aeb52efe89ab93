"""A comparison as one JSON document (contracts.md, ``dcc replay``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from ..hosts.recording import Recording
from .calls import Replayed
from .compare import Comparison, Result


def document(comparison: Comparison, *, calls: bool = False) -> dict[str, Any]:
    """The document. ``calls``: each policy also gets what its calls held, slot by slot."""
    return {
        **heading(comparison.recording),
        "window": comparison.window,
        "policies": [policy(result, calls=calls) for result in comparison.results],
    }


def heading(recording: Recording) -> dict[str, Any]:
    """What is said of the recording itself."""
    return {
        "schema_version": 1,
        "session": str(recording.path),
        "calls": recording.calls,
        "turns": recording.typed,
        "skipped": [asdict(skipped) for skipped in recording.skipped],
        "notes": [asdict(note) for note in recording.notes],
    }


def policy(result: Result, *, calls: bool = False) -> dict[str, Any]:
    """One policy."""
    shown = asdict(result.totals)
    shown["cost"] = round(result.totals.cost, 2)
    if calls:
        shown["calls"] = list(_calls(result.replayed))
    return shown


def _calls(replayed: Replayed) -> Iterable[dict[str, Any]]:
    for call in replayed.calls:
        yield {
            "ordinal": call.ordinal,
            "turn": call.turn,
            "tokens": call.tokens,
            "prefix_kept": call.prefix_kept,
            "on_stage": call.shown.bit_count(),
            "visible": replayed.names(call.shown),
            "reduced": replayed.names(call.shown & ~call.full),
        }
