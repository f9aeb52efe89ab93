"""The curve of clearing old results, the family beside it, and the page of figures."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from types import ModuleType

import pytest
from recordings import got, recording, say, turn, use

from dcc.runtime.hosts.recording import Step
from dcc.runtime.replay.evidence import find_evidence
from dcc.runtime.replay.history import read_history
from dcc.runtime.replay.policies.clearing import clear_old_results
from dcc.runtime.replay.policies.holding import carry_out
from dcc.runtime.replay.totals import sum_up

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "rulesets" / "README.md"

#: By how much a share, and by which part of itself a count, may differ before the page is stale.
SHARE, PART = 0.002, 0.02

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


@pytest.fixture(scope="module")
def bench() -> Iterator[ModuleType]:
    """The measurements, which are no part of the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        import bench.clearing
        import bench.family
        import bench.figures
        import bench.hull

        yield bench
    for name in [name for name in sys.modules if name.partition(".")[0] == "bench"]:
        del sys.modules[name]


def test_the_hull_is_the_least_concave_line_above_all_points(bench: ModuleType) -> None:
    points = [(0.5, 0.8), (0.4, 0.2), (0.6, 0.82), (0.45, 0.3), (0.7, 1.0), (0.9, 1.0), (0.55, 0.5)]
    hull = bench.clearing.upper_hull(points)
    assert hull == ((0.4, 0.2), (0.5, 0.8), (0.7, 1.0))
    at = bench.clearing.evidence_at
    assert at(hull, 0.39) is None
    assert [at(hull, tokens) for tokens in (0.4, 0.5, 0.8)] == [0.2, 0.8, 1.0]
    assert at(hull, 0.45) == pytest.approx(0.5)
    assert all(at(hull, tokens) >= evidence - 1e-9 for tokens, evidence in points)


def test_a_point_is_what_the_policy_itself_gives(bench: ModuleType) -> None:
    steps: list[Step] = []
    for n in range(12):
        steps += [use(f"r{n}", "read", path=f"f{n}.py"), got(f"r{n}", f"    line_number_{n} = {n}\n" + "word " * 99)]
    for n in (11, 9, 2):
        old = f"    line_number_{n} = {n}"
        steps += [use(f"e{n}", "edit", path=f"f{n}.py", oldText=old), got(f"e{n}", "done", "edit")]
    history, measure = read_history(recording(turn("read them", *steps, say("done"))))
    edits = find_evidence(history)
    (point,) = bench.clearing.clearing_curve(history, edits, [0], [4])
    totals = sum_up(carry_out(history, "", clear_old_results(trigger=0, keep=4)), measure, history, edits)
    assert point.tokens == pytest.approx(totals.tokens_ratio, abs=1e-4)
    assert point.evidence == totals.evidence.kept / totals.evidence.counted == 2 / 3


def test_the_family_has_longer_and_shorter_lives(bench: ModuleType) -> None:
    rows = bench.family.scaled("coding", 0.5)["life_cycle"]
    assert (rows["file-path"]["end"], rows["file-path"]["at_most"]) == ("idle+50 calls", 14)
    assert rows["assistant"]["end"] == "born+32 calls"
    assert rows["toolResult"]["end"] == "born+6 calls"
    assert len(bench.family.family()) == len(bench.family.FACTORS)


def test_the_page_tells_of_every_measured_ruleset_and_of_no_machine(bench: ModuleType) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in bench.hull.RULESETS:
        assert f"[{name}]({name}.yaml)" in page
        assert len(re.findall(rf"^\| {name} \|", page, re.MULTILINE)) >= 2, "a row for each session"
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == [
        "Figures", "Beside clearing old results", "Within a share of the tokens", "How to measure again",
    ]  # fmt: skip
    tables = re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE)
    assert all(len({row.count("|") for row in table.splitlines()}) == 1 for table in tables)
    assert not re.search(r"(?<![\w.])/(?:home|work|tmp|root|Users)/", page)


@pytest.mark.slow
def test_bars_hold_and_the_page_is_fresh(bench: ModuleType) -> None:
    paths = bench.hull.sessions()
    if not paths:
        pytest.skip("the recorded sessions are not here")
    measured = bench.hull.measure_all(paths)
    over = {name: value for name, value in bench.hull.figures(measured).items() if value > bench.hull.BARS[name]}
    assert over == {}
    page, fresh = PAGE.read_text(encoding="utf-8"), bench.figures.page(measured)
    lines = zip_longest(page.splitlines(), fresh.splitlines(), fillvalue="")
    stale = [(told, now) for told, now in lines if not same(told, now)]
    assert stale == [], "rulesets/README.md is stale: run `make figures`"


def same(line: str, fresh: str) -> bool:
    """Whether two lines differ in nothing, or in their figures by little."""
    if _NUMBER.sub("#", line) != _NUMBER.sub("#", fresh):
        return False
    pairs = zip(_NUMBER.findall(line), _NUMBER.findall(fresh), strict=True)
    return all(_near(float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs)


def _near(told: float, measured: float) -> bool:
    return abs(told - measured) <= max(SHARE, PART * measured if measured > 1 else 0)


def test_lines_are_compared_by_their_figures() -> None:
    assert same("| coding | 0.323 | 1,000 |", "| coding | 0.324 | 1,010 |")
    assert not same("| coding | 0.323 |", "| coding | 0.333 |")
    assert not same("| coding | 0.323 |", "| frugal | 0.323 |")
    assert not same("| a | 8 |", "| a | 9 |")
