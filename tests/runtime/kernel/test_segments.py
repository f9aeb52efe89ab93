"""Births, closings and reopenings, case by case from conformance/segments.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.compiler.load import load_program
from dcc.compiler.program import Rule
from dcc.grammar.bounds import parse_bound
from dcc.runtime.kernel.law import on_stage
from dcc.runtime.kernel.ledger import Ledger
from dcc.runtime.kernel.retirement import Retirement
from dcc.runtime.kernel.segments import SegmentError, birth_segment, check_segments, close_before, reopen_at
from dcc.runtime.kernel.slots import PATCH, Segment, Slot
from dcc.runtime.kernel.stage import Stage

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[2] / "conformance" / "segments.yaml").read_text("utf-8")
)


def by_id(cases: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


def rule_of(case: dict[str, Any]) -> Rule:
    start, end = case["rule"]
    return Rule(parse_bound(start), parse_bound(end))


def assert_on(case: dict[str, Any], segments: tuple[Segment, ...]) -> None:
    slot = Slot("x@1", "x", case["born"], PATCH, 0, 0, 1, 0, Rule(), segments, b"", 1)
    for turn, expected in case.get("on", {}).items():
        assert on_stage(slot, turn, turn) is expected, f"turn {turn}"


@by_id(CASES["births"])
def test_the_segment_that_a_rule_gives_at_birth(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(SegmentError) as caught:
            birth_segment(rule_of(case), case["born"], visible_from=case.get("visible_from"))
        assert caught.value.code == case["error"]
    else:
        segment = birth_segment(rule_of(case), case["born"], visible_from=case.get("visible_from"))
        assert list(segment) == case["segment"]


def live(case: dict[str, Any]) -> tuple[tuple[Segment, ...], list[bool]]:
    rule, born = rule_of(case), case["born"]
    segments: tuple[Segment, ...] = (birth_segment(rule, born),)
    did: list[bool] = []
    for act in case["acts"]:
        verb, turn = act.split()
        if verb == "close":
            segments, done = close_before(segments, int(turn))
        else:
            segments, done = reopen_at(segments, int(turn), rule, born)
        did.append(done)
    return segments, did


@by_id(CASES["lives"])
def test_closing_and_reopening(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(SegmentError) as caught:
            live(case)
        assert caught.value.code == case["error"]
        return
    segments, did = live(case)
    assert [list(s) for s in segments] == case["segments"]
    assert did == case.get("did", [True] * len(did))
    assert_on(case, segments)


@by_id(CASES["given"])
def test_segments_as_they_are_found(case: dict[str, Any]) -> None:
    segments = tuple(Segment(*s) for s in case["segments"])
    if "error" in case:
        with pytest.raises(SegmentError) as caught:
            check_segments(segments, case["born"])
        assert caught.value.code == case["error"]
    else:
        check_segments(segments, case["born"])
        assert_on(case, segments)


def test_the_stage_never_goes_back() -> None:
    ledger = Ledger()
    stage = Stage(ledger, Retirement(ledger, load_program({}), lambda slot: ""))
    stage.move(3, 1)
    with pytest.raises(SegmentError) as caught:
        stage.move(2, 1)
    assert caught.value.code == "turn_backwards"
