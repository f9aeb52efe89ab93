"""Policies and rulesets over one recording, each measured against keeping everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...compiler.load import load_program
from ...compiler.program import Program
from ..hosts.recording import Recording
from ..values import Format
from .calls import Replayed
from .choice import DYNAMIC_CONTEXT, MEASURE, NAMES, REFERENCES, WINDOW
from .evidence import find_evidence
from .history import History, read_history
from .totals import Totals, sum_up
from .workers import replay_all


@dataclass(frozen=True, slots=True)
class Result:
    """One policy: what its calls held, and the figures."""

    replayed: Replayed
    totals: Totals


@dataclass(frozen=True, slots=True)
class Comparison:
    """A recording under several policies; the first result is the one that kept everything."""

    recording: Recording
    history: History
    results: tuple[Result, ...]
    window: int


def compare(
    recording: Recording,
    programs: Sequence[Program],
    policies: Sequence[str] = NAMES,
    *,
    window: int = WINDOW,
    format: Format = "openai",
    processes: int | None = None,
    done: Callable[[], None] = lambda: None,
) -> Comparison:
    """Run ``policies`` (names of choice.py) and ``programs`` over the recording, in this order.

    ``window``: tokens of the context window that reference policies are told of; ``done`` is called after each
    program. Keeping everything is always run, whether it is among ``policies`` or not.
    """
    history, measure = read_history(recording, format)
    original = [load_program(DYNAMIC_CONTEXT)] if DYNAMIC_CONTEXT["name"] in policies else []
    runs = replay_all(recording, [*original, *programs], history.ids, format=format, processes=processes, done=done)
    found = [measure]
    for name in policies:
        if name in REFERENCES:
            found.append(REFERENCES[name](history, name, window))
        elif name != MEASURE:
            found.append(runs.pop(0))
    edits = find_evidence(history)
    results = (Result(run, sum_up(run, measure, history, edits)) for run in (*found, *runs))
    return Comparison(recording, history, tuple(results), window)
