"""What the shipped rulesets make of two recorded sessions, where those are (``../shared/data``).

``python -m bench.hull`` prints the tables, with ``--json`` the same as one JSON document. Beside the rulesets
stand the reference policies of ``dcc replay``, the curve of clearing old results, and what one family of rulesets
reaches at a few shares of the tokens.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from dcc.compiler.load import load_program
from dcc.runtime.hosts.pi_session import read_pi_session
from dcc.runtime.replay.choice import NAMES
from dcc.runtime.replay.compare import compare
from dcc.runtime.replay.evidence import find_evidence
from dcc.runtime.replay.table import aligned
from dcc.runtime.replay.totals import Totals

from . import family
from .clearing import Point, clearing_curve, evidence_at

DATA = Path(__file__).parents[2] / "shared" / "data"

#: What is measured: the rulesets for long tool loops, and the others to compare.
RULESETS = ("coding", "frugal", "research", "anthropic_like", "toolloop", "standard")
#: None of these may lie under the curve of clearing old results.
ABOVE = ("coding", "frugal", "research", "anthropic_like")
#: Shares of the tokens at which the best of the family is told.
SHARES = (0.15, 0.20, 0.25, 0.35, 0.50)

#: The most that each figure may be. ``lost``: the share of the evidence that is gone, in the session where more is
#: lost and in the other one; ``under_curve``: by how much evidence a ruleset lies under the curve.
BARS = {
    "coding_tokens": 0.35,
    "coding_cost": 0.50,
    "coding_lost_worse": 0.07,
    "coding_lost_better": 0.02,
    "frugal_tokens": 0.172,
    "frugal_lost_worse": 0.35,
    "frugal_lost_better": 0.25,
    "under_curve": 0.0,
    "unsound_rows": 0.0,
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One session: policies and rulesets by name, the curve, and the family by its factors."""

    session: str
    calls: int
    turns: int
    policies: dict[str, Totals]
    rulesets: dict[str, Totals]
    curve: tuple[Point, ...]
    family: dict[float, Point]

    def under_curve(self, name: str) -> float | None:
        """By how much evidence a ruleset lies under the curve (negative: above); None: there is no curve."""
        point = point_of(self.rulesets[name])
        evidence = evidence_at(self.curve, point.tokens)
        return None if evidence is None else evidence - point.evidence

    def best(self, share: float) -> Point | None:
        """The member of the family with the most evidence for at most this share of the tokens."""
        within = [point for point in self.family.values() if point.tokens <= share]
        return max(within, key=lambda point: (point.evidence, -point.tokens), default=None)


def sessions() -> list[Path]:
    """The recorded sessions that are here."""
    return sorted(DATA.glob("*.jsonl.gz"))


def measure_all(paths: list[Path]) -> list[Measured]:
    """Every session, each in a process of its own where there are cores for it."""
    if min(len(paths), os.cpu_count() or 1) < 2:
        return [measure(path) for path in paths]
    with ProcessPoolExecutor(len(paths), multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(measure, paths))


def measure(path: Path) -> Measured:
    """One session."""
    recording = read_pi_session(path)
    programs = [load_program(name) for name in RULESETS]
    found = compare(recording, [*programs, *family.family()], processes=1)
    totals = [result.totals for result in found.results]
    policies, rest = totals[: len(NAMES)], totals[len(NAMES) :]
    rulesets, scaled = rest[: len(RULESETS)], rest[len(RULESETS) :]
    return Measured(
        path.name.removesuffix(".jsonl.gz"),
        recording.calls,
        recording.typed,
        {one.name: one for one in policies},
        dict(zip(RULESETS, rulesets, strict=True)),
        clearing_curve(found.history, find_evidence(found.history)),
        dict(zip(family.FACTORS, map(point_of, scaled), strict=True)),
    )


def point_of(totals: Totals) -> Point:
    """Tokens and evidence of a row; the evidence of a session without edits is whole."""
    found = totals.evidence
    return Point(totals.tokens_ratio, found.kept / found.counted if found.counted else 1.0)


def run(quick: bool = False) -> dict[str, float]:
    """The figures of ``BARS``; none without the sessions, and none in a quick run: they have one size."""
    paths = [] if quick else sessions()
    return figures(measure_all(paths)) if paths else {}


def figures(measured: list[Measured]) -> dict[str, float]:
    """The figures of ``BARS``, each the worst of all sessions unless its name says otherwise."""
    rows = {name: [one.rulesets[name] for one in measured] for name in ABOVE}
    found = {"coding_tokens": max(row.tokens_ratio for row in rows["coding"])}
    found["coding_cost"] = max(row.cost_ratio for row in rows["coding"])
    found["frugal_tokens"] = max(row.tokens_ratio for row in rows["frugal"])
    for name in ("coding", "frugal"):
        lost = [1 - point_of(row).evidence for row in rows[name]]
        found |= {f"{name}_lost_worse": max(lost), f"{name}_lost_better": min(lost)}
    under = [one.under_curve(name) for one in measured for name in ABOVE]
    found["under_curve"] = max((by for by in under if by is not None), default=0.0)
    found["unsound_rows"] = float(sum(not _sound(row) for name in ABOVE for row in rows[name]))
    return found


def _sound(row: Totals) -> bool:
    """Whether what was typed stayed, everything was seen in full once, and what was offloaded came back."""
    return row.user_verbatim and row.restorable and not row.unread_removed


def tables(measured: Measured) -> Iterator[str]:
    """One session for people: its rulesets beside the curve, and the best of the family."""
    yield f"{measured.session}: {measured.calls} calls in {measured.turns} turns"
    rows: list[tuple[str, ...]] = [("ruleset", "tokens", "cost", "evidence", "curve")]
    for name, totals in measured.rulesets.items():
        rows.append((name, *ratios(totals.tokens_ratio, totals.cost_ratio, *curve_beside(measured, totals))))
    yield from aligned(rows)
    yield f"curve of clearing old results: {' '.join(f'{p.tokens:.3f}/{p.evidence:.3f}' for p in measured.curve)}"
    for share in SHARES:
        best = measured.best(share)
        yield f"best of {family.RULESET} within {share:.2f}: " + ("/".join(ratios(*best)) if best else "none")


def curve_beside(measured: Measured, totals: Totals) -> tuple[float, float | None]:
    """The evidence of a row, and that of the curve at its tokens."""
    point = point_of(totals)
    return point.evidence, evidence_at(measured.curve, point.tokens)


def ratios(*values: float | None) -> tuple[str, ...]:
    """Shares as they are printed; a dash where there is none."""
    return tuple("-" if value is None else f"{value:.3f}" for value in values)


def main() -> int:
    """Measure and print; exit 1 when a figure is over its bar, 2 without sessions."""
    if sys.argv[1:] not in ([], ["--json"]):
        print("usage: python -m bench.hull [--json]", file=sys.stderr)
        return 2
    paths = sessions()
    if not paths:
        print("no sessions: they are looked for in ../shared/data, beside the checkout", file=sys.stderr)
        return 2
    measured = measure_all(paths)
    found = figures(measured)
    if sys.argv[1:]:
        print(json.dumps({"schema_version": 1, "sessions": [asdict(m) for m in measured], "figures": found}, indent=1))
    else:
        for one in measured:
            print("\n".join((*tables(one), "")))
        for name, value in found.items():
            print(f"{name:20} {value:8.4f}  bar {BARS[name]}")
    return 0 if all(value <= BARS[name] for name, value in found.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
