"""A comparison for people: a table, and below it what its figures do not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...compiler.counted import counted
from ..hosts.recording import Recording
from .calls import Replayed
from .compare import Comparison, Result
from .totals import Totals

_HEAD = (
    "policy", "tokens", "ratio", "peak", "prefix kept", "cost", "ratio", "evidence", "share", "results",
    "hidden", "offloaded", "restored", "re-reads",
)  # fmt: skip

#: Said of the row whose figures are not dcc's own.
_RECORDED = (
    "as-recorded: tokens are the provider's own count of all it was sent, with system prompt and schemas; cost is "
    "by what its cache served"
)


def table(comparison: Comparison) -> Iterator[str]:
    """The heading, a row a policy, and the notes."""
    yield from heading(comparison.recording)
    yield ""
    yield from aligned([_HEAD, *(_row(result.totals) for result in comparison.results)])
    yield from _notes(comparison)


def heading(recording: Recording) -> Iterator[str]:
    """What is said of the recording itself."""
    yield f"{recording.path}: {counted(recording.calls, 'call')} in {counted(recording.typed, 'turn')}"
    for skipped in recording.skipped:
        kind = "records of unknown type" if skipped.unknown else "records of type"
        yield f"  left out: {skipped.count} {kind} {skipped.type}"
    for note in recording.notes:
        yield f"  note: {note.message} [{note.code}]"


def calls(result: Result, *, ids: bool) -> Iterator[str]:
    """What every call of a policy held: tokens, the part of them as before, slots, and with ``ids`` their names."""
    replayed: Replayed = result.replayed
    yield replayed.policy
    for call in replayed.calls:
        size = f"{call.tokens:,} tokens, {call.prefix_kept:,} as before, {call.shown.bit_count()} slots"
        named = f": {' '.join(replayed.names(call.shown))}" if ids else ""
        yield f"  #{call.ordinal} turn {call.turn}: {size}{named}"


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows in columns: the first to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join((first.ljust(widths[0]), *cells))


def evidence_cells(totals: Totals) -> tuple[str, str, str]:
    """Evidence as kept/counted, as a share, and kept by results alone; without an edit that counts: dashes."""
    found = totals.evidence
    if not found.counted:
        return ("-", "-", "-")
    return (f"{found.kept}/{found.counted}", f"{found.kept / found.counted:.3f}", str(found.kept_results_only))


def _row(totals: Totals) -> tuple[str, ...]:
    return (
        totals.name,
        f"{totals.prompt_tokens:,}",
        f"{totals.tokens_ratio:.3f}",
        f"{totals.peak:,}",
        f"{totals.prefix_kept:,}",
        f"{totals.cost:,.0f}",
        f"{totals.cost_ratio:.3f}",
        *evidence_cells(totals),
        f"{totals.hidden:,}",
        f"{totals.offloaded:,}",
        f"{totals.restored:,}",
        f"{totals.repeated_reads:,}",
    )


def _notes(comparison: Comparison) -> Iterator[str]:
    for result in comparison.results:
        totals = result.totals
        if totals.name == "as-recorded":
            yield f"  {_RECORDED}"
        if totals.peak > comparison.window:
            yield f"  {totals.name}: the largest prompt is above the window of {comparison.window:,} tokens"
        if not totals.user_verbatim:
            yield f"  {totals.name}: a message that was typed is not in every later request, word for word"
        if totals.unread_removed:
            yield f"  {totals.name}: {totals.unread_removed} results were gone or reduced before any request held them"
        if not totals.restorable:
            yield f"  {totals.name}: what it left out does not come back"
