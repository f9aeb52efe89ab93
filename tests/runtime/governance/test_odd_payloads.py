"""What a model or a host may send instead of operations: refused with few words and at once, however odd or large."""

from __future__ import annotations

from typing import Any

import governed
import pytest

from dcc.runtime.governance.wire import clean_id

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
