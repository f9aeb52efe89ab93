"""What stands at turn 0 of a new session: the system text, and what the ruleset tells the model of its own formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..compiler.program import Program
from .recall.settings import recall_settings


def starting_slots(program: Program, system: str | Sequence[str] | None) -> Iterator[tuple[str, str]]:
    """(element, content) of each turn-0 slot, in order (spec/dynamiccontext.md section 16).

    ``system`` is the system text, or several (None: the ruleset's ``runtime.system``). ``recall.instruction`` and
    ``answer.outputs.<x>.instruction`` become ``recall_instruction`` and ``<x>_instruction``.
    """
    text = system_of(program) if system is None else system
    for one in (text,) if isinstance(text, str) else text or ():
        yield "system", one
    recall = recall_settings(program)
    if recall.instruction and recall.on:
        yield "recall_instruction", recall.instruction
    answer = program.sections.get("answer") or {}
    for element, output in (answer.get("outputs") or {}).items():
        if output.get("instruction"):
            yield f"{element}_instruction", output["instruction"]


def system_of(program: Program) -> str | None:
    """The system text of the ruleset's ``runtime`` section, if it has one."""
    runtime = program.sections.get("runtime") or {}
    content = (runtime.get("system") or {}).get("content")
    return content if isinstance(content, str) else None
