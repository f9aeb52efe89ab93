"""Elements that every turn must have (``context.required_elements``; spec/dynamiccontext.md sections 4 and 16)."""

from __future__ import annotations

from collections.abc import Iterable

from ...compiler.program import Program
from ...grammar.errors import DccError

#: What any answer may bear, whatever the ruleset says of answers.
_ANSWERED = frozenset({"assistant", "think"})


def check_request(program: Program, on_stage: Iterable[str]) -> None:
    """Refuse a request without a required element that no answer could bring: it would be paid for in vain.

    Raises DccError (``missing_required_element``).
    """
    _check([e for e in program.required_elements if e not in _borne_by_answers(program)], on_stage)


def check_turn(program: Program, held: Iterable[str]) -> None:
    """Refuse a turn whose requests and last answer together lack a required element.

    Raises DccError (``missing_required_element``).
    """
    _check(program.required_elements, held)


def _borne_by_answers(program: Program) -> frozenset[str]:
    answer = program.sections.get("answer") or {}
    return _ANSWERED | frozenset(answer.get("outputs") or {})


def _check(required: Iterable[str], held: Iterable[str]) -> None:
    present = frozenset(held)
    missing = [element for element in required if element not in present]
    if missing:
        names = ", ".join(missing)
        raise DccError(
            "missing_required_element",
            f"the turn has no {names}, which context.required_elements asks for; nothing was committed",
            help=f"set one, such as /{missing[0]} its text remain none, or take it out of required_elements",
        )
