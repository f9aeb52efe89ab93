"""Usage: what a report says, sums for the bill, the last call for the context (conformance/agent_usage.yaml)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.compiler.load import load_program
from dcc.runtime.agent.usage import Reported, Spent
from dcc.runtime.providers.usage import anthropic_usage, openai_usage
from dcc.runtime.session import Reply, Session
from dcc.runtime.values import Usage

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[2] / "conformance" / "agent_usage.yaml").read_text("utf-8")
)


def rows() -> list[dict[str, Any]]:
    """All rows that have columns, the figures of runs among them."""
    figures = [figure for run in CASES["runs"] for figure in run.values() if isinstance(figure, dict)]
    return [*CASES["reports"], *CASES["sessions"], *figures]


@pytest.mark.parametrize("row", rows(), ids=str)
def test_a_row_says_why_where_its_columns_differ(row: dict[str, Any]) -> None:
    columns = [row[name] for name in ("seed", "openclaw", "dcc") if name in row]
    assert bool(row.get("why")) == any(column != columns[0] for column in columns)


@pytest.mark.parametrize("row", CASES["reports"], ids=lambda row: str(row["raw"]))
def test_what_a_report_says(row: dict[str, Any]) -> None:
    """The first name that is there decides, also when its value is no number. A figure that is not there counts 0."""
    usage = anthropic_usage(row["raw"])
    said = None if usage is None else [usage.input, usage.output, usage.cache_read, usage.cache_write, usage.total]
    assert said == row["dcc"]


@pytest.mark.parametrize("row", CASES["providers"], ids=lambda row: str(row["raw"]))
def test_providers_count_a_prompt_once(row: dict[str, Any]) -> None:
    assert {"openai": openai_usage, "anthropic": anthropic_usage}[row["shape"]](row["raw"]) == Usage(*row["dcc"])


@pytest.mark.parametrize("raw", [[], "many", 7, {"prompt_tokens": "many", "completion_tokens": True}])
def test_what_is_no_report_says_nothing(raw: object) -> None:
    assert openai_usage(raw) is None
    assert anthropic_usage(raw) is None


def test_a_report_that_sums_up_several_samplings_is_not_exact() -> None:
    raw = {"input_tokens": 23_000, "output_tokens": 1_000}
    once = anthropic_usage({**raw, "iterations": [{"type": "message", **raw}]})
    twice = anthropic_usage({**raw, "iterations": [{"type": "compaction", "input_tokens": 180_000}, raw]})
    assert once == Usage(23_000, 1_000)
    assert twice == Usage(23_000, 1_000, exact=False)


def spent(calls: list[list[int | None]]) -> Spent:
    total = Spent()
    for call in calls:
        total = total.and_call(Reported(*call))
    return total


@pytest.mark.parametrize("case", CASES["runs"], ids=lambda case: case["id"])
def test_what_the_calls_of_a_run_come_to(case: dict[str, Any]) -> None:
    total = spent(case["calls"])
    usage = total.usage()
    for name, columns in case.items():
        if name == "context":
            assert total.context == columns["dcc"]
        elif isinstance(columns, dict):
            assert (None if usage is None else getattr(usage, name)) == columns["dcc"], name


def test_the_naive_sum_is_told_nowhere() -> None:
    usage = spent(CASES["runs"][0]["calls"]).usage()
    assert usage is not None
    naive = 170 + 600 + 152_500 + 1_500
    assert naive == 154_770
    assert naive not in (usage.total, usage.last_call_total)


def test_a_call_without_a_report_changes_nothing() -> None:
    total = spent(CASES["runs"][0]["calls"])
    assert total.and_call(None) == total
    assert total.and_call(Reported(0, 0, 0, 0)) == total


def test_calls_for_summaries_are_billed_and_are_no_part_of_the_conversation() -> None:
    talk = spent([[10, 5, 100, 0]])
    usage = talk.usage(talk.and_call(Reported(3_000, 200, 0, 0)))
    assert usage is not None
    assert (usage.input, usage.output, usage.total) == (10, 5, 115)
    assert (usage.billed_input, usage.billed_output, usage.billed_cache_read) == (3_010, 205, 100)
    only = Spent().usage(spent([[3_000, 200, 0, 0]]))
    assert only is not None
    assert (only.total, only.billed_input) == (0, 3_000)


def test_one_report_that_is_not_exact_makes_none_of_the_sums_exact() -> None:
    exact = Spent().and_call(Reported.of(Usage(1, 2, 3, 4)))
    usage, other = exact.usage(), exact.and_call(Reported.of(Usage(1, exact=False))).usage()
    assert usage is not None
    assert other is not None
    assert (usage.exact, other.exact) == (True, False)


@pytest.mark.parametrize("case", CASES["sessions"], ids=str)
def test_the_context_of_a_session(case: dict[str, Any]) -> None:
    """As long as the last prompt; the answer is no part of it, and nobody's sums are. Unknown is not zero."""
    session = Session.create(load_program("standard"))
    session.begin("hello")
    session.request()
    usage = None if case["reply"] is None else Usage(*case["reply"], total=case["total"])
    session.add_reply(Reply("hi", usage=usage))
    session.commit()
    assert (session.spending.prompt or None) == case["dcc"]
