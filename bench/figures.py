"""Writes rulesets/README.md: what each shipped ruleset is for, and its figures (``make figures``).

It needs the recorded sessions in ``../shared/data``; without them nothing is written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from dcc.compiler.documents import shipped_names, shipped_path
from dcc.runtime.replay.totals import Totals

from . import family
from .hull import ABOVE, SHARES, Measured, curve_beside, measure_all, ratios, sessions

PAGE = Path(__file__).parents[1] / "rulesets" / "README.md"

MADE = "<!-- Made by `make figures`; change bench/figures.py instead. -->"

_READING = """
## Figures

Measured on two recorded sessions of a coding agent (pi, four tools: read, edit, write, bash), a feature and a
refactoring, that are not part of this project; `make figures` looks for them in `../shared/data`. Each ruleset
decides anew what every recorded call would have held.

- **tokens**: of all prompts, as a share of keeping everything; the system prompt and schemas are not counted.
- **cost**: likewise, where a token of the prefix that the call before had too costs 0.1 and any other 1.25.
- **evidence**: of the edits whose old text stood somewhere in the session before, the share that found every line of
  it in full on stage.
- **re-reads**: recorded reads of a file whose newest read was not in full on stage then.
- **hidden, offloaded, restored**: slots that left the stage, became shorter on it, came back; each time counted.

The rows below the rulesets are other policies, and what the host did itself (as-recorded: the provider's own count).
Savings grow with the length of a session; in one of fifty calls there is little to save.
"""

_CURVE = """
## Beside clearing old results

Clearing replaces all results but the newest few by a placeholder once the history is above a trigger. Its curve is
the upper hull over triggers of 0 to 150,000 tokens and 0 to 60 results kept. It ends where no result is left, since
calls and words stay: with fewer tokens it has no point, and there is a dash.
"""

_FAMILY = """
## Within a share of the tokens

The best evidence of one family of rulesets, {ruleset} with all lives in calls and all ceilings times a factor
({low:g} to {high:g}), for at most so many tokens.
"""

_AGAIN = """
## How to measure again

- `make figures` writes this page; `python -m bench.hull` prints the comparison, with `--json` as JSON; both need the
  sessions. `make bench` holds the figures to their bars.
- `dcc replay SESSION --ruleset coding --ruleset frugal` measures any session of your own, `--curve` sweeps one value.
- `dcc test rulesets/scenarios` needs no session: the scenarios hold each ruleset to what its header says.
"""


def page(measured: Iterable[Measured]) -> str:
    """The text of the page."""
    found = list(measured)
    factors = {"ruleset": family.RULESET, "low": family.FACTORS[0], "high": family.FACTORS[-1]}
    parts = [MADE, "", "# The rulesets that ship", "", *_purposes(), *_text(_READING)]
    for one in found:
        parts += ["", f"### {one.session}: {one.calls} calls in {one.turns} turns", "", *_figures(one)]
    parts += [*_text(_CURVE), "", *_beside(found), *_text(_FAMILY.format(**factors)), "", *_shares(found)]
    return "\n".join([*parts, *_text(_AGAIN)]) + "\n"


def _text(block: str) -> list[str]:
    return block.rstrip().split("\n")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _head(*cells: str) -> tuple[str, str]:
    """The head of a table: the first column to the left, the others to the right."""
    return _row(*cells), _row("---", *["---:"] * (len(cells) - 1))


def _purposes() -> Iterator[str]:
    """A line a ruleset, from the first line of its header."""
    yield from (_row("ruleset", "for"), _row("---", "---"))
    for name in shipped_names():
        path = shipped_path(name)
        assert path is not None
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        yield _row(f"[{name}]({path.name})", first.removeprefix(f"# {name}: "))


def _figures(measured: Measured) -> Iterator[str]:
    yield from _head("", "tokens", "cost", "evidence", "re-reads", "hidden", "offloaded", "restored", "largest prompt")
    for rows in (measured.rulesets, measured.policies):
        yield from (_row(name, *_cells(totals)) for name, totals in rows.items())


def _cells(totals: Totals) -> tuple[str, ...]:
    found = totals.evidence
    shares = ratios(totals.tokens_ratio, totals.cost_ratio, found.kept / found.counted if found.counted else None)
    counts = totals.repeated_reads, totals.hidden, totals.offloaded, totals.restored, totals.peak
    return *shares, *(f"{count:,}" for count in counts)


def _beside(found: list[Measured]) -> Iterator[str]:
    columns = [f"{one.session}: {what}" for one in found for what in ("tokens", "evidence", "curve")]
    yield from _head("ruleset", *columns)
    for name in (*ABOVE, "standard"):
        cells: list[str] = []
        for one in found:
            totals = one.rulesets[name]
            cells += ratios(totals.tokens_ratio, *curve_beside(one, totals))
        yield _row(name, *cells)
    yield from ("", "The curves, as tokens/evidence:", "")
    for one in found:
        yield f"- {one.session}: {', '.join('/'.join(ratios(*point)) for point in one.curve)}"


def _shares(found: list[Measured]) -> Iterator[str]:
    columns = [f"{one.session}: {what}" for one in found for what in ("tokens", "evidence")]
    yield from _head("tokens at most", *columns)
    for share in SHARES:
        best = [one.best(share) or (None, None) for one in found]
        yield _row(f"{share:.2f}", *(cell for point in best for cell in ratios(*point)))


def main() -> int:
    """Measure and write the page; exit 2 without sessions."""
    if sys.argv[1:]:
        print("usage: python -m bench.figures", file=sys.stderr)
        return 2
    paths = sessions()
    if not paths:
        print("no sessions: they are looked for in ../shared/data, beside the checkout", file=sys.stderr)
        return 2
    PAGE.write_text(page(measure_all(paths)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
