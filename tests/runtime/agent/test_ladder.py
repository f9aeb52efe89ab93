"""The overflow ladder: bounded, in order; a rung without gain is no recovery (conformance/overflow_ladder.yaml)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dcc.compiler.load import load_program
from dcc.runtime.agent.failures import OVERFLOW, failure_of
from dcc.runtime.agent.ladder import DEFAULT, Ladder, Rung, retry_limit, rungs_of
from dcc.runtime.providers.errors import ProviderError

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[2] / "conformance" / "overflow_ladder.yaml").read_text("utf-8")
)


def climb(
    compact: Callable[[], bool],
    truncate: Callable[[], bool],
    rungs: tuple[tuple[Rung, int], ...] = DEFAULT,
    skipping: Rung | None = None,
) -> Counter[str]:
    """A provider that always says the request is too long: model calls, compactions that gained, truncations."""
    counts: Counter[str] = Counter()

    def counted(rung: str, step: Callable[[], bool]) -> Callable[[], bool]:
        def run() -> bool:
            gained = step()
            counts[rung] += gained
            counts[f"{rung} tried"] += 1
            return gained

        return run

    ladder = Ladder(
        rungs, {"compact": counted("compact", compact), "truncate_results": counted("truncate_results", truncate)}
    )
    counts["calls"] = 1
    while ladder.recover(skipping=skipping) is not None:
        counts["calls"] += 1
        assert counts["calls"] < 1000
    return counts


def outcomes(written: list[str]) -> Callable[[], bool]:
    """Whether each try gains; the last of what is written stands for all that follow."""
    left = iter(written)
    return lambda: next(left, written[-1]) == "gained"


def columns(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if "dcc" in row and "openclaw" in row]


ENDS = [end[name] for end in CASES["ends"] for name in ("kind", "text")]
ROWS = [*columns(CASES["climbs"]), *columns(CASES["limits"]), *ENDS]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_says_why_where_its_columns_differ(row: dict[str, Any]) -> None:
    told = [row[name] for name in ("seed", "openclaw", "dcc") if name in row]
    assert bool(row.get("why")) == any(column != told[0] for column in told)


@pytest.mark.parametrize("case", CASES["climbs"], ids=lambda case: case["id"])
def test_what_a_provider_that_always_refuses_costs(case: dict[str, Any]) -> None:
    counts = climb(outcomes(case["compact"]), outcomes(case["truncate"]), skipping=case.get("skipping"))
    assert [counts["calls"], counts["compact"], counts["truncate_results"]] == case["dcc"]


@pytest.mark.parametrize("case", CASES["limits"], ids=str)
def test_all_tries_of_a_prompt_are_bounded(case: dict[str, Any]) -> None:
    assert retry_limit(case["profiles"]) == case["dcc"] == min(160, max(32, 24 + 8 * case["profiles"]))


@pytest.mark.parametrize("case", CASES["declared"], ids=str)
def test_the_rungs_are_those_that_the_ruleset_declares(case: dict[str, Any]) -> None:
    written = {} if case["recovery"] is None else {"recovery": case["recovery"]}
    program = load_program({"name": "x", "life_cycle": {"user": ["born", None]}, **written})
    assert [list(rung) for rung in rungs_of(program.sections.get("recovery"))] == case["rungs"]


def test_the_end_of_the_ladder_is_told_in_the_words_of_the_seed() -> None:
    texts = [end["text"]["seed"] for end in CASES["ends"] if "seed" in end["text"]]
    assert set(texts) == {OVERFLOW}
    assert failure_of(ProviderError("context_overflow", "too long")).text == CASES["ends"][0]["text"]["dcc"]


@pytest.mark.parametrize("case", CASES["not_done"], ids=lambda case: case["what"][:40])
def test_what_is_not_done_is_seen_to_otherwise(case: dict[str, Any]) -> None:
    assert case["why"]
    assert (Path(__file__).parents[3] / case["instead"]).exists()


@given(st.lists(st.booleans(), max_size=40), st.lists(st.booleans(), max_size=40), st.integers(1, 4), st.integers(1, 3))
def test_whatever_gains_the_ladder_ends(compacts: list[bool], truncates: list[bool], c: int, t: int) -> None:
    compact, truncate = iter(compacts), iter(truncates)
    counts = climb(lambda: next(compact, True), lambda: next(truncate, True), (("compact", c), ("truncate_results", t)))
    assert counts["compact tried"] <= 2 * c
    assert counts["truncate_results tried"] <= t
    assert counts["calls"] <= 1 + 2 * c + t
