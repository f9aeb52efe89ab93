"""What a model or a host may send instead of operations: refused with few words and at once, however odd or large."""

from __future__ import annotations

import math
from typing import Any

import governed
import pytest

from dcc.runtime.governance.wire import clean_id, whole

LOOP: list[Any] = []
LOOP.append(LOOP)


def _restore(ids: Any) -> dict[str, Any]:
    return {"reason": "r", "operations": [{"op": "restore", "ids": ids}]}


@pytest.mark.parametrize(
    ("payload", "rules"),
    [
        (_restore(["$" + "9" * 5000]), ["unknown_id"]),
        (_restore([f"zz{n}" for n in range(20_000)]), ["unknown_id"]),
        (_restore(["x" * 100_000]), ["unknown_id"]),
        (_restore(["a" + " " * 60_000 + "b"]), ["unknown_id"]),
        (_restore(["\n" * 60_000]), ["empty_ids"]),
        ({"reason": "r", "operations": [], "base": "9" * 5000}, ["bad_argument"]),
        ({"reason": "r", "operations": [], "base": 10**30}, ["stale_base"]),
        ({"reason": "r", "operations": LOOP}, ["bad_payload", "bad_operation"]),
        ({"reason": "r", "operations": [{("a", "b"): 1}]}, ["bad_payload", "bad_operation"]),
        ({"reason": "r", "operations": [{"op": "replace", "ids": [f"q{n}" for n in range(9999)], "content": "x"}]},
         ["extra_ids"]),
        ({"reason": "r", "operations": [{"op": "compact", "ids": ["toolCall@1", "toolResult@1"], "description": "d",
          "content": "c", "preserve": [f"name {n}" for n in range(20_000)]}]}, ["preserve_missing"]),
    ],
    ids=["number", "many", "long", "blanks", "lines", "base", "future", "loop", "name", "targets", "literals"],
)  # fmt: skip
def test_it_is_refused_in_few_words(payload: object, rules: list[str]) -> None:
    session = governed.governed()
    before = session.state_hash()
    outcome = session.update_context(payload)
    assert [rejection.rule for rejection in outcome.rejections] == rules
    assert all(len(rejection.message) < 1000 for rejection in outcome.rejections)
    assert session.state_hash() == before


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("user@1", "user@1"), (" [block:user@1] ", "user@1"), ("[ block : user@1 ]", "user@1"), ('"user@1"', "user@1"),
        ("`user@1`", "user@1"), ("block", "block"), ("[]", ""), ("a" + " " * 200_000 + "b", "a" + " " * 200_000 + "b"),
    ],
)  # fmt: skip
def test_an_id_is_read_as_it_is_meant(said: str, meant: str) -> None:
    assert clean_id(said) == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (7, 7), (7.0, 7), ("7", 7), (" #7 ", 7), (0, 0), (True, None), (7.5, None), (math.inf, None), (math.nan, None),
        ("9" * 5_000, None), ("seven", None), (None, None), ([7], None),
    ],
)  # fmt: skip
def test_a_number_is_read_as_it_is_meant(said: object, meant: int | None) -> None:
    assert whole(said) == meant


def test_a_base_may_be_a_float_and_a_key_a_number() -> None:
    """What JSON writers make of a number is the number: nothing is applied twice or refused for that."""
    session = governed.governed()
    archive = {"op": "set_visibility", "ids": ["assistant@1"]}
    base = float(session.governance.base)
    first = session.update_context({"reason": "r", "operations": [archive], "base": base, "key": 17})
    assert first.applied == 1
    assert session.update_context({"reason": "r", "operations": [archive], "base": base, "key": 17}) == first
    assert session.update_context({"reason": "r", "operations": [archive], "base": base, "key": "17"}) == first


def test_a_key_that_is_none_is_refused() -> None:
    outcome = governed.governed().update_context({"reason": "r", "operations": [], "key": ["a"]})
    assert [(r.op_index, r.rule) for r in outcome.rejections] == [(-1, "bad_argument")]
    assert "key must be a text" in outcome.rejections[0].message


def test_references_in_one_text_are_read_apart() -> None:
    session = governed.governed()
    fold = {
        "op": "fold", "description": "d", "content": "c", "scope_label": "s",
        "ids": "assistant@1, toolCall@1 toolResult@1",
    }  # fmt: skip
    merge = {"op": "merge", "ids": "$0, assistant@2", "description": "d", "content": "c"}
    outcome = governed.operate(session, fold, merge)
    assert outcome.ok, outcome.rejections


@pytest.mark.parametrize(
    "id", ["\u0430ssistant@1", "assistant\uff201", "assistant@\u0661", "assistant@1\u200b", "\uff41ssistant@1"],
    ids=["another letter", "full width", "other digit", "unseen", "wide letter"],
)  # fmt: skip
def test_an_id_that_only_looks_like_a_slot_is_told_with_the_slot(id: str) -> None:
    """Printed, both are the same: a model that is told "no slot assistant@1" would try it again."""
    outcome = governed.operate(governed.governed(), {"op": "set_visibility", "ids": [id]})
    (rejection,) = outcome.rejections
    assert rejection.rule == "unknown_id"
    assert f"{id} (written with other characters than assistant@1: name that one)" in rejection.message


@pytest.mark.parametrize(
    ("operation", "told"),
    [
        ({"op": "SET_VISIBILITY", "ids": ["assistant@1"]}, "did you mean set_visibility?"),
        ({"op": "set_visibility", "IDs": ["assistant@1"], "ids": ["assistant@1"]}, "did you mean ids?"),
    ],
)
def test_a_name_in_another_case_is_nearly_that_name(operation: dict[str, Any], told: str) -> None:
    outcome = governed.operate(governed.governed(), operation)
    assert told in outcome.rejections[0].message


def test_a_base_below_all_numbers_is_none() -> None:
    payload = {"reason": "r", "operations": [], "base": -5}
    assert [r.rule for r in governed.governed().update_context(payload).rejections] == ["stale_base"]
