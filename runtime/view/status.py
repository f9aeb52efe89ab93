"""The status of a session, for people: the answer of ``/dc-status``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...compiler.counted import counted

if TYPE_CHECKING:
    from ..session import Session

#: Slots that are listed at most; the newest ones.
_LISTED = 50


def status(session: Session) -> str:
    """Turn and calls, queued patches, and the newest slots with their ranges and whether they are on stage."""
    ranges = session.ranges()
    on = set(session.stage())
    shown = f"{len(on)} of {counted(len(ranges), 'slot')} on stage"
    lines = [f"turn {session.turn}, {counted(session.ordinal, 'call')}, {shown}"]
    for patch in session.queue():
        count = "none" if patch.turns is None else patch.turns
        lines.append(f"queued for turn {patch.at}: /{patch.element} {patch.content} {patch.mode} {count}")
    left_out = len(ranges) - _LISTED
    if left_out > 0:
        lines.append(f"({counted(left_out, 'older slot')} not listed)")
    for slot, spans in list(ranges.items())[-_LISTED:]:
        mark = "on " if slot in on else "off"
        lines.append(f"{mark} {slot}  {' '.join(_span(span) for span in spans) or 'never'}")
    return "\n".join(lines)


def _span(span: list[Any]) -> str:
    first, last = span
    return f"{first}–{'' if last is None else last}"
