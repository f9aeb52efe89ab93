"""Patches to content and to rules, as a host makes them (``/dc-rule``, ``/dc-addrow``, typed patches)."""

from __future__ import annotations

from ...compiler.program import Rule
from ...grammar.ast import Bound
from ...grammar.bounds import parse_bound, show_bound
from ...grammar.errors import GrammarError
from ...grammar.patches import make_patch
from ..accepting import accepted_element, accepted_text
from ..errors import SessionError
from ..patches.rules import rule_patch, slot_patch
from .base import Control


class Patching(Control):
    """Queues content patches and changes rules."""

    def queue_patch(
        self, element: str, content: str, mode: str, turns: int | None, at: int | None = None
    ) -> tuple[int, tuple[str, ...]]:
        """Queue a content patch for turn ``at`` (None: the coming one); it lands when that turn begins.

        Returns the turn, and the notices. Raises SessionError with the codes of ``make_patch``, ``bad_content`` and
        ``patch_too_late``.
        """
        ledger, content = self._ledger, accepted_text(content, "the content of a patch")
        try:
            patch = make_patch("host", element, content, mode, turns)
        except GrammarError as error:
            raise SessionError(error.code, error.message, help=error.help) from None
        at = ledger.turn + 1 if at is None else at
        if at <= ledger.turn:
            raise SessionError("patch_too_late", f"turn {at} has begun", help=f"the coming turn is {ledger.turn + 1}")
        notices: list[str] = []
        with self._recorder.transaction("queue") as emit:
            for old in [p for p in ledger.queue if p.element == patch.element and p.at == at]:
                emit("queue_dropped", cause="superseded", patch=old.number)
                message = f"of two {patch.element} patches for turn {at} the later one counts"
                emit("notice", code="patch_replaced", message=message)
                notices.append(message)
            digest = self._recorder.keep_content(patch.content)
            number = ledger.seq + 1
            emit("queued", patch=[number, patch.element, digest.hex(), patch.mode, patch.turns, at])
        return at, tuple(notices)

    def patch_rule(self, element: str, start: object, end: object, mode: str) -> Rule:
        """Change an element's rule (``/dc-rule``, ``/dc-addrow``); bounds as in YAML. Returns the new rule.

        Raises SessionError: ``bad_element``, the codes of ``parse_bound`` and of ``rule_patch``, ``unknown_element``
        (an ``until_end`` of an element that does not exist), ``start_in_calls``, ``no_dataset``, ``no_key``,
        ``user_must_show``.
        """
        accepted_element(element)
        rule = Rule(_bound(start), _bound(end))
        self._check_rule(element, rule)
        known = self._knows(element)
        stage = self._recorder.stage
        changes = list(
            rule_patch(self._ledger, self._program, element, rule, mode, known=known, on_stage=stage.counts)
        )
        with self._recorder.transaction("rule_patch") as emit:
            for kind, data in changes:
                emit(kind, **data)
        return rule

    def patch_slot(self, slot_id: str, start: object, end: object) -> None:
        """Give one slot a rule of its own, from its birth turn on (library only: no command does this).

        Raises SessionError: ``unknown_slot``, and as :meth:`patch_rule`.
        """
        slot = self._slot(slot_id)
        rule = Rule(_bound(start), _bound(end))
        self._check_rule(slot.element, rule)
        changes = list(slot_patch(self._ledger, self._program, slot, rule, self._recorder.stage.counts))
        with self._recorder.transaction("rule_patch") as emit:
            for kind, data in changes:
                emit(kind, **data)

    def _knows(self, element: str) -> bool:
        ledger = self._ledger
        return (
            element in self._program.declared
            or element in self._program.elements
            or element in ledger.rules
            or element in ledger.by_element
        )

    def _check_rule(self, element: str, rule: Rule) -> None:
        """What a ruleset may not say of the element is refused here too."""
        start, end = rule.start, rule.end
        if start.kind == "born" and start.unit == "calls":
            raise SessionError(
                "start_in_calls", f"{show_bound(start)} is no start: slots come on stage at a turn",
                help="write born, born+n or a turn number",
            )  # fmt: skip
        if end.kind in ("cycle", "labelled"):
            raise SessionError(
                "no_dataset", f"{end.kind} asks a labelled dataset; a session has none",
                help="write an end that needs none, such as born+3",
            )  # fmt: skip
        if end.kind == "idle" and self._program.row(element).key is None:
            raise SessionError(
                "no_key", f"idle needs a key, and {element} declares none", help="declare key: in the ruleset"
            )
        if end.kind == "until_end" and not self._knows(end.element or ""):
            raise SessionError(
                "unknown_element", f"until_end({end.element}): no element {end.element}",
                help=f"name one that has a rule, or add it with /dc-addrow {end.element} …",
            )  # fmt: skip
        if element == "user" and (start.kind != "born" or start.n):
            raise SessionError("user_must_show", "a request always holds the message it answers",
                               help="start user at born")  # fmt: skip


def _bound(value: object) -> Bound:
    if isinstance(value, Bound):
        return value
    try:
        return parse_bound(value)
    except GrammarError as error:
        help = error.help or "write for example born, born+3, until_goal_end or null"
        raise SessionError(error.code, error.message, help=help) from None
