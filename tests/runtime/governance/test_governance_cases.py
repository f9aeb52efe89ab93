"""Transactions, case by case from conformance/governance.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import governed
import pytest
import yaml

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[2] / "conformance" / "governance.yaml").read_text("utf-8")
)["cases"]


def payload(case: dict[str, Any], last: int) -> Any:
    """What is sent, with ``{long}`` and ``base: last`` filled in."""
    if "payload" in case:
        return case["payload"]
    operations = case["operations"]
    if isinstance(operations, list):
        operations = [filled(one) for one in operations] * case.get("repeat", 1)
    sent = {"reason": case.get("reason", "to see"), "operations": operations}
    return sent | ({"base": last if case["base"] == "last" else case["base"]} if "base" in case else {})


def filled(operation: dict[str, Any]) -> dict[str, Any]:
    return {k: governed.LONG if v == "{long}" else v for k, v in operation.items()}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_transaction(case: dict[str, Any]) -> None:
    session = governed.governed(
        loop=case.get("loop", False),
        gates=case.get("gates", ("replace", "redact")),
        max_context=case.get("max_context"),
    )
    last = 0
    for operations in case.get("first", ()):
        done = session.update_context({"reason": "before", "operations": [filled(one) for one in operations]})
        assert done.ok, done.rejections
        last = done.transaction
    for _ in range(case.get("grow", 0)):
        session.add_entry("note", governed.LONG)
    before = session.state_hash()
    outcome = session.update_context(payload(case, last or session._recorder.ledger.transaction))
    rejections = case.get("rejections", [])
    assert [[r.op_index, r.rule] for r in outcome.rejections] == rejections
    assert outcome.ok is (rejections == [])
    assert outcome.applied == case.get("applied", 0)
    if rejections:
        assert case.get("says", "") in outcome.rejections[0].message
    if not outcome.applied:
        assert session.state_hash() == before
        assert outcome.freed_tokens == outcome.delta_tokens == 0
        assert outcome.created == ()
        assert outcome.transaction is None
