"""What a ruleset says of compaction, as the runtime uses it."""

from __future__ import annotations

from dataclasses import dataclass

from ...compiler.program import Program
from .retention import Strategy


@dataclass(frozen=True, slots=True)
class CompactSettings:
    """The ``compact`` section.

    ``fields``: the elements that are summarised; ``threshold``: bytes of a request above which it is time;
    ``prompt``: what the compressor is asked; ``interval`` and ``keep_recent``: turns between two summaries
    (None: the clock asks for none), and turns that stay as they are; ``retention`` and ``k``: which summaries stay.
    """

    fields: tuple[str, ...]
    threshold: int
    prompt: str
    interval: int | None
    keep_recent: int
    retention: Strategy
    k: int


def compact_settings(program: Program) -> CompactSettings | None:
    """The settings of a program; None without a section that asks for summaries."""
    section = program.sections.get("compact")
    summary = section["compressors"]["summary"] if section is not None else None
    if section is None or summary is None or not (summary["prompt"] or "").strip():
        return None
    return CompactSettings(
        fields=tuple(section["fields"]),
        threshold=section["overload_threshold_bytes"],
        prompt=summary["prompt"],
        interval=summary["periodic"]["interval_turns"],
        keep_recent=summary["periodic"]["keep_recent_turns"],
        retention=summary["retention"]["type"],
        k=summary["retention"]["k"],
    )
