"""How well the length of a prompt is known before it is sent: calibration beside two common ways to guess it.

``python -m bench.calibration`` prints the errors on two recorded sessions, from call 11 on, where they are
(``../shared/data``). On *full* views the lengths are recorded; on the views that a ruleset would have sent they are
put together from recorded pieces (truth.py says how). A reduced view is estimated twice: with what its own requests
taught, and (*from full*) with what only the full requests taught, as on the first call after a session was reduced.

- calibrated: what the runtime does (runtime/governance/budget/calibration.py).
- last usage: the prompt is as long as the last one.
- characters/4: a token for four characters, system prompt and schemas not known.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from dcc.runtime.governance.budget.calibration import Calibration
from dcc.runtime.replay.table import aligned

from .truth import View, views_of

DATA = Path(__file__).parents[2] / "shared" / "data"

RULESETS = ("coding", "research")

#: Calls that are passed over: a session that has just begun teaches little.
PASSED = 10

#: The window that bounds the overhead: the recorded models' own.
WINDOW = 200_000

#: The most that the median and the ninth decile of the errors may be, in percent.
BARS = {"calibration_median_percent": 5.0, "calibration_p90_percent": 12.0}


class Row(NamedTuple):
    """One kind of view of one session: the errors of each way, as shares of the true length."""

    session: str
    view: str
    calibrated: list[float]
    last: list[float]
    characters: list[float]


def rows_of(path: Path) -> Iterator[Row]:
    """The rows of a session."""
    session = path.name.removesuffix(".jsonl.gz")
    views = views_of(path, RULESETS)
    yield _row(session, "full", views.full, views.full)
    for name, reduced in views.reduced.items():
        yield _row(session, name, reduced, reduced)
        yield _row(session, f"{name}, from full", reduced, views.full)


def _row(session: str, name: str, views: list[View], taught: list[View]) -> Row:
    """The errors on ``views``, each estimated with what the requests ``taught`` before it."""
    row = Row(session, name, [], [], [])
    known = Calibration()
    for number, (view, sent) in enumerate(zip(views, taught, strict=True)):
        if number >= PASSED:
            row.calibrated.append(_error(known.estimate(view.raw, view.chains), view))
            row.last.append(_error(taught[number - 1].tokens, view))
            row.characters.append(_error(view.characters / 4, view))
        known = known.observed(sent.raw, round(sent.tokens), chains=sent.chains, window=WINDOW)
    return row


def _error(estimate: float, view: View) -> float:
    return abs(estimate - view.tokens) / view.tokens


def _spread(errors: list[float]) -> tuple[float, float]:
    """The median and the ninth decile, in percent."""
    return 100 * median(errors), 100 * quantiles(errors, n=10, method="inclusive")[-1]


def run(quick: bool = False) -> dict[str, float]:
    """The worst median and ninth decile of any row, in percent; none without the sessions, or in a quick run."""
    rows = [] if quick else [row for path in sessions() for row in rows_of(path)]
    if not rows:
        return {}
    medians, deciles = zip(*(_spread(row.calibrated) for row in rows), strict=True)
    return dict(zip(BARS, (max(medians), max(deciles)), strict=True))


def sessions() -> list[Path]:
    """The recorded sessions that are here."""
    return sorted(DATA.glob("*.jsonl.gz"))


def table(rows: Iterable[Row]) -> Iterator[str]:
    """The rows for people: median and ninth decile of the errors in percent."""
    ways = ("calibrated", "last usage", "characters/4")
    shown: list[tuple[str, ...]] = [("session", "view", *(head for way in ways for head in (way, "p90")))]
    for row in rows:
        errors = (row.calibrated, row.last, row.characters)
        shown.append((row.session, row.view, *(f"{value:.1f}" for one in errors for value in _spread(one))))
    yield from aligned(shown)


def main() -> int:
    """Measure and print; exit 1 when an error is over its bar, 2 without sessions."""
    if sys.argv[1:]:
        print("usage: python -m bench.calibration", file=sys.stderr)
        return 2
    paths = sessions()
    if not paths:
        print("no sessions: they are looked for in ../shared/data, beside the checkout", file=sys.stderr)
        return 2
    print("error of the length of the next prompt, in percent (median, ninth decile)")
    print("\n".join(table(row for path in paths for row in rows_of(path))))
    for path in paths:
        missed = _spread(views_of(path, ()).unexplained)
        print(f"{path.name.removesuffix('.jsonl.gz')}: full views put together miss what was recorded by"
              f" {missed[0]:.1f} % (median), {missed[1]:.1f} % (p90)")  # fmt: skip
    found = run()
    for name, value in found.items():
        print(f"{name:28} {value:6.2f}  bar {BARS[name]}")
    return 0 if all(value <= BARS[name] for name, value in found.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
