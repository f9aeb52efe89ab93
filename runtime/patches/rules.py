"""Rule patches: ``/dc-rule`` and ``/dc-addrow`` as changes to the ledger (language.md section 4). Pure.

After turn S a rule patch acts from S + 1: nothing that turn S was shown is rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ...compiler.program import Program, Rule
from ..errors import SessionError
from ..kernel.bear import governed
from ..kernel.events import rule_to_text
from ..kernel.ledger import Ledger
from ..kernel.places import begun, over
from ..kernel.retirement import outlasts_turns, row_of
from ..kernel.segments import SegmentError, birth_segment, end_place
from ..kernel.slots import Segment, Slot
from ..kernel.undo import Change

RuleMode = Literal["forward", "add_row", "reset_from_now", "force_refresh"]
MODES = ("forward", "add_row", "reset_from_now", "force_refresh")


def rule_patch(
    ledger: Ledger, program: Program, element: str, rule: Rule, mode: str, *, known: bool, on_stage: dict[str, int]
) -> Iterator[Change]:
    """The changes (kind, data) of one rule patch; validated before the first one is given.

    ``known``: the element has a row or slots; ``on_stage``: slots on stage by element. Raises SessionError:
    ``bad_mode``, ``row_exists``, ``refinement``, ``unknown_row``, ``start_open``, ``end_before_start``.
    """
    if mode not in MODES:
        raise SessionError("bad_mode", f"unknown mode {mode!r}", help="expected " + ", ".join(MODES))
    base = program.row(element).of
    if base is not None:
        raise SessionError(
            "refinement", f"{element} is a refinement of {base}; its rule is the one of the ruleset",
            help="a rule patch speaks of an element, such as toolResult",
        )  # fmt: skip
    if mode == "add_row" and known:
        raise SessionError(
            "row_exists", f"{element} has a rule already", help=f"change it with /dc-rule {element} …"
        )
    if mode != "add_row" and not known:
        raise SessionError("unknown_row", f"no element {element}", help=f"add it with /dc-addrow {element} …")
    now = ledger.turn
    _validate(rule, now + 1)
    slots = [ledger.slots[i] for i in ledger.by_element.get(element, [])]
    if mode == "force_refresh":
        for slot in slots:
            if covering(slot, now) is not None:
                _validate(rule, slot.turn)
    old = ledger.rules.get(element)
    yield "rule_changed", {
        "element": element,
        "rule": rule_to_text(rule),
        "was": rule_to_text(old) if old is not None else None,
    }
    for slot in slots:
        at = covering(slot, now)
        if mode == "reset_from_now" and at is not None:
            yield from close_at(slot, at, now)
        elif mode == "force_refresh":
            yield from _refresh(program, slot, at, rule, now, on_stage)


def slot_patch(
    ledger: Ledger, program: Program, slot: Slot, rule: Rule, on_stage: dict[str, int]
) -> Iterator[Change]:
    """The changes that give one slot a rule of its own, as ``force_refresh`` does for all of an element.

    Raises SessionError: ``start_open``, ``end_before_start``.
    """
    _validate(rule, slot.turn)
    yield from _refresh(program, slot, covering(slot, ledger.turn), rule, ledger.turn, on_stage)


def close_at(slot: Slot, index: int, turn: int) -> Iterator[Change]:
    """End one segment at ``turn``, if it would go on."""
    was = slot.segments[index].end
    if was is None or was < 0 or was > turn:
        yield "segment_closed", {"slot": slot.id, "index": index, "end": turn, "was": was}


def _refresh(
    program: Program, slot: Slot, at: int | None, rule: Rule, now: int, on_stage: dict[str, int]
) -> Iterator[Change]:
    governor = rule.end.element or ""
    own = governed(rule, on_stage.get(governor, 0) > 0)
    yield "rule_copied", {"slot": slot.id, "rule": rule_to_text(own), "was": rule_to_text(slot.rule)}
    if at is None:
        return
    stays = outlasts_turns(row_of(program, slot), slot.element, slot.tokens, slot.is_patch)
    end = None if stays else end_place(rule.end, slot.turn)
    end = end if end is None else max(end, now)
    was = slot.segments[at].end
    if end != was:
        yield "segment_closed", {"slot": slot.id, "index": at, "end": end, "was": was}


def covering(slot: Slot, turn: int) -> int | None:
    """The segment that lies over all of ``turn``, by index."""
    for index, (start, end) in enumerate(slot.segments):
        if (start < 0 or begun(start, turn, 0)) and (end is None or (end >= 0 and not over(end, turn, 0))):
            return index
    return None


def _validate(rule: Rule, turn: int) -> Segment:
    try:
        return birth_segment(rule, turn)
    except SegmentError as error:
        raise SessionError(error.code, error.message, help=error.help) from None
