"""The arithmetic of compaction, case by case from conformance/compaction.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.compiler.prompt import fill_prompt
from dcc.runtime.compaction.due import is_due_by_interval, is_due_by_size, is_worth_it
from dcc.runtime.compaction.retention import RetentionError, kept
from dcc.runtime.compaction.transcript import Told, host_transcript, transcript
from dcc.runtime.kernel.records import Compacting
from dcc.runtime.view.build import UnitView
from dcc.runtime.view.size import Sizes
from dcc.runtime.view.unit import Shown, Unit

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[2] / "conformance" / "compaction.yaml").read_text("utf-8")
)


def by_id(cases: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


@by_id(CASES["retention"])
def test_retention(case: dict[str, Any]) -> None:
    k = {"k": case["k"]} if "k" in case else {}
    if "error" in case:
        with pytest.raises(RetentionError) as error:
            kept(case["strategy"], case["anchors"], case["turn"], **k)
        assert error.value.code == case["error"]
    else:
        assert list(kept(case["strategy"], case["anchors"], case["turn"], **k)) == case["stays"]


@by_id(CASES["interval"])
def test_interval(case: dict[str, Any]) -> None:
    assert is_due_by_interval(case["turn"], case["last"], case["interval"]) is case["due"]


@by_id(CASES["size"])
def test_size(case: dict[str, Any]) -> None:
    sizes = Sizes()
    for turn, text in enumerate(case["texts"]):
        unit = Unit((Shown(f"user@{turn}", "user", "user", False, text),))
        sizes.put((turn, 2, 0, 0, turn), UnitView(unit, (), 0))
    assert sizes.total.as_list == case["bytes"]


def test_a_request_as_large_as_the_threshold_is_not_too_large() -> None:
    assert not is_due_by_size(32_000, 32_000)
    assert is_due_by_size(32_001, 32_000)


@by_id(CASES["transcript"])
def test_transcript(case: dict[str, Any]) -> None:
    assert transcript(Told(*slot) for slot in case["slots"]) == case["text"]


def test_a_host_is_told_without_turns() -> None:
    assert host_transcript([Told(1, "user", "a"), Told(2, "note", "b")]) == "[user] a\n[note] b"


@by_id(CASES["prompts"])
def test_prompts(case: dict[str, Any]) -> None:
    assert fill_prompt(case["prompt"], case["content"]) == case["filled"]


@pytest.mark.parametrize(
    ("idle", "before", "tokens", "worth"),
    [(0, 0, 10, True), (1, 10, 10, False), (1, 10, 11, True), (2, 10, 19, False), (2, 10, 20, True), (9, 0, 0, False)],
)
def test_after_passes_without_gain_there_must_be_more_to_gain(idle: int, before: int, tokens: int, worth: bool) -> None:
    assert is_worth_it(Compacting(0, idle, before), tokens) is worth
