"""A sweep over one parameter of a ruleset: prompt tokens against evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ...compiler.load import CompileError, load_program
from ...compiler.override import override
from ...compiler.program import Program
from ...grammar.errors import DccError
from ..hosts.recording import Recording
from .choice import MEASURE
from .compare import Comparison, compare
from .document import heading, policy
from .table import aligned, evidence_cells

#: The most points of one sweep.
MOST = 200

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class CurveError(DccError):
    """A parameter or its values cannot be read."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A parameter, as keys from the top of a ruleset, and its values: as written and as the ruleset gets them."""

    path: tuple[str, ...]
    points: tuple[tuple[str, Any], ...]

    @property
    def parameter(self) -> str:
        """The parameter as it was written."""
        return ".".join(self.path)


def read_sweep(text: str) -> Sweep:
    """Read ``PARAM=a,b,c``, ``PARAM=a:b:step`` (b included), or either behind a template with ``{}`` and ``:``.

    ``life_cycle.toolResult.end=born+{} calls:2,4,8`` gives three bounds. Raises CurveError (``bad_curve``).
    """
    parameter, equals, rest = text.partition("=")
    path = tuple(parameter.strip().split("."))
    before, tail, values = _template(rest)
    if not equals or not values.strip() or not all(path):
        raise CurveError(
            "bad_curve",
            f"{text!r} is no sweep",
            help="write settle.every=8,16,24 or settle.every=8:32:8, or with a template "
            "'life_cycle.toolResult.end=born+{} calls:2,4,8'",
        )
    written = [f"{before}{value}{tail}" for value in _values(values.strip())]
    return Sweep(path, tuple((one, _scalar(one)) for one in written))


def programs_of(ruleset: str, sweep: Sweep) -> list[Program]:
    """The ruleset compiled once for each value.

    Raises CompileError for the ruleset itself, CurveError (``bad_curve``) for a value that makes errors in it.
    """
    return [_program(ruleset, sweep, written, value) for written, value in sweep.points]


def _program(ruleset: str, sweep: Sweep, written: str, value: Any) -> Program:
    try:
        return load_program(override(ruleset, sweep.path, value))
    except CompileError as error:
        load_program(ruleset)
        found = next(d for d in error.diagnostics if d.severity == "error")
        message = f"--curve {sweep.parameter}={written}: {found.code} {found.name}: {found.message}"
        raise CurveError("bad_curve", message, help=found.help) from error


def run_sweep(
    recording: Recording, ruleset: str, sweep: Sweep, *, done: Callable[[], None] = lambda: None
) -> Comparison:
    """Every point over the recording; the first result is the one that kept everything. Raises as ``programs_of``."""
    return compare(recording, programs_of(ruleset, sweep), (MEASURE,), done=done)


def curve_document(ruleset: str, sweep: Sweep, comparison: Comparison) -> dict[str, Any]:
    """The sweep as one JSON document."""
    points = zip(sweep.points, comparison.results[1:], strict=True)
    return {
        **heading(comparison.recording),
        "ruleset": ruleset,
        "parameter": sweep.parameter,
        "measure": policy(comparison.results[0]),
        "points": [{"value": value, **policy(result)} for (_, value), result in points],
    }


def curve_table(sweep: Sweep, comparison: Comparison) -> Iterator[str]:
    """The sweep for people."""
    rows = [(sweep.parameter, "tokens", "ratio", "cost ratio", "evidence", "share", "results")]
    for (written, _), result in zip(sweep.points, comparison.results[1:], strict=True):
        totals = result.totals
        ratios = f"{totals.tokens_ratio:.3f}", f"{totals.cost_ratio:.3f}"
        rows.append((written, f"{totals.prompt_tokens:,}", *ratios, *evidence_cells(totals)))
    yield from aligned(rows)


def _template(text: str) -> tuple[str, str, str]:
    """What stands before and after each value, and the values; without ``{}`` nothing stands around them."""
    before, hole, after = text.partition("{}")
    if not hole:
        return "", "", text
    tail, _, values = after.partition(":")
    return before, tail, values


def _values(text: str) -> list[str]:
    """The values as written: a list, or a range with its end."""
    bounds = text.split(":")
    if len(bounds) == 1:
        return [value.strip() for value in text.split(",")]
    numbers = [_number(bound.strip()) for bound in bounds]
    if len(numbers) != 3 or any(number is None for number in numbers) or not numbers[2]:
        raise CurveError("bad_curve", f"{text!r} is no range", help="write first:last:step, such as 8:32:8")
    first, last, step = (number or 0 for number in numbers)
    count = math.floor((last - first) / step + 1e-9) + 1
    if not 0 < count <= MOST:
        raise CurveError("bad_curve", f"{text!r} gives {count} values", help=f"a range gives 1 to {MOST} values")
    return [f"{round(first + i * step, 9):g}" for i in range(count)]


def _number(text: str) -> int | float | None:
    if not _NUMBER.fullmatch(text):
        return None
    return float(text) if "." in text else int(text)


def _scalar(text: str) -> Any:
    """A value as YAML would read it."""
    number = _number(text)
    if number is not None:
        return number
    return {"null": None, "true": True, "false": False}.get(text, text)
