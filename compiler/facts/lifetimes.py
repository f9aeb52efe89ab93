"""How long slots live: comparisons of rules that hold for every session."""

from __future__ import annotations

from ...grammar.ast import Bound
from ..program import ElementRow

#: Elements that a conversation itself bears, with every turn or with every call of a model.
OF_EVERY_TURN = ("user", "assistant")
OF_EVERY_CALL = ("assistant", "toolCall", "toolResult")

#: Ends that come only when a person ends the slot, or never.
_UNENDING = ("open", "until_cancelled")


def is_unending(end: Bound) -> bool:
    """Whether nothing but a person's command ends a slot with this end."""
    return end.kind in _UNENDING


def ends_by_event(end: Bound) -> bool:
    """Whether an event, such as that the goal is over, ends all that wait for it: at once, with nothing spared."""
    return end.kind in ("until_end", "cycle", "labelled")


def grows(row: ElementRow) -> bool:
    """Whether the slots of a row stay and add up: no end, no ceiling, nothing that supersedes them."""
    return is_unending(row.rule.end) and row.at_most is None and not row.supersede


def turns_after_birth(row: ElementRow) -> int | None:
    """How many turns after its birth turn a slot is still on stage; None unless its end counts turns."""
    end = row.rule.end
    return end.n if end.kind == "born" and end.unit == "turns" else None


def ends_first(one: Bound, other: Bound) -> bool:
    """Whether an end of one slot comes before that of another slot born in the same call, in every session.

    Turns and calls cannot be compared: a turn may hold one call or hundreds.
    """
    if one.kind == "born" and is_unending(other):
        return True
    if one.kind == other.kind == "born" and one.unit == other.unit:
        return one.n < other.n
    return False


def retires_by_call(row: ElementRow) -> bool:
    """Whether slots of a row can leave or shrink between two calls of one turn."""
    end = row.rule.end
    return end.unit == "calls" or row.supersede or row.at_most is not None


def becomes_due(row: ElementRow) -> bool:
    """Whether slots of a row are ever due, and so wait for a settle (language.md section 2, settle)."""
    end = row.rule.end
    late = row.retire != "drop" or row.keep_last > 0
    by_turns = late and end.kind in ("born", "turn")
    by_the_newer = (late or row.key is not None or row.min_tokens > 0) and end.kind == "until_superseded"
    return retires_by_call(row) or end.kind == "idle" or by_turns or by_the_newer
