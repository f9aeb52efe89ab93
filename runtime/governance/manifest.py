"""The manifest: which slots there are, so that an operation can name them (spec/cpat.md section 9)."""

from __future__ import annotations

from collections.abc import Iterable

from ...compiler.ops.model import Effect, Op, OpTable
from ..kernel.slots import Slot
from ..kernel.tokens import count_text
from .bases import base_of
from .catalog import NAMELESS, Catalog
from .facts import Reader

#: The share of the largest context that the manifest may take, in percent, and the least that it always may.
SHARE = 2
LEAST = 200

#: What it may have where no limit is known.
UNLIMITED = 2_000


def manifest(catalog: Catalog, reader: Reader, table: OpTable, room: int, used: int) -> str:
    """The rows of slots in view, newest last, then the archived ones; at most about ``room`` tokens.

    Older slots that find no room are one line, with how many they are and about what they cost; ``used``: what all
    slots in view cost, in tokens.
    """
    catalog.follow()
    archived, left = _archived(catalog, reader, table, room // 3)
    rows, shown, tokens = _rows(catalog.newest(), catalog, room - _cost(archived))
    older = _older(reader, shown, used - tokens)
    base = base_of(reader.recorder.ledger)
    lines = [f'<context_manifest base="{base}">', *older, *reversed(rows), *archived, *left, "</context_manifest>"]
    return "\n".join(lines)


def room_of(max_context: int | None) -> int:
    """The tokens that a manifest may have."""
    return max(LEAST, max_context * SHARE // 100) if max_context is not None else UNLIMITED


def recovery(table: OpTable) -> str | None:
    """How an archived slot comes back, said with the operation that lifts holds."""
    for op in table.ops.values():
        for effect in op.effects:
            if effect.kind == "lift" and op.gate is None:
                return _call_of(op, effect)
    return None


def _call_of(op: Op, effect: Effect) -> str:
    """An operation with the word that makes it have the effect, where its condition asks for one."""
    when = effect.when
    if when is not None and when.op == "==" and when.args[0].op == "arg":
        return f"{op.name} {when.args[0].args[0]}={when.args[1].args[0]}"
    return op.name


def _rows(slots: Iterable[Slot], catalog: Catalog, room: int) -> tuple[list[str], int, int]:
    """As many rows as there is room for, how many they are, and the tokens of their slots."""
    rows: list[str] = []
    tokens = 0
    for slot in slots:
        row = catalog.row(slot)
        room -= row.cost
        if room < 0 and rows:
            break
        rows.append(row.text)
        tokens += row.tokens
    return rows, len(rows), tokens


def _older(reader: Reader, shown: int, tokens: int) -> list[str]:
    """One line for the slots in view that have no row; ``tokens``: theirs, with those of the system."""
    stage = reader.recorder.stage
    nameless = sum(stage.counts.get(element, 0) for element in NAMELESS)
    left = len(stage.shown) - nameless - shown
    if left <= 0:
        return []
    return [f'{left} older slots, about {max(0, tokens):,} tokens; artifact_get {{"uri": "manifest"}} lists all']


def _archived(catalog: Catalog, reader: Reader, table: OpTable, room: int) -> tuple[list[str], list[str]]:
    """The archived slots, newest last: a line that says how they come back, then rows, and one line for the rest."""
    if not catalog.archived:
        return [], []
    rows, shown, tokens = _rows(catalog.newest_archived(), catalog, room)
    verb = recovery(table)
    head = f"archived ({verb} brings back):" if verb is not None else "archived:"
    rest = len(catalog.archived) - shown
    more = f"{rest} older slots, {sum(catalog.archived.values()) - tokens:,} tokens, are archived too"
    return [head, *reversed(rows)], [more] if rest else []


def _cost(lines: Iterable[str]) -> int:
    return sum(count_text(line) + 1 for line in lines)
