"""Which kind of error an answer is, case by case from conformance/provider_errors.yaml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.runtime.providers.classify import SHOWN, classify

CASES = yaml.safe_load((Path(__file__).parents[2] / "conformance/provider_errors.yaml").read_text(encoding="utf-8"))
PASSING = {"rate_limit", "overloaded", "timeout"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['status']} {case['says']}")
def test_kinds(case: dict[str, Any]) -> None:
    error = {"message": case["says"], "type": case.get("type"), "code": case.get("code")}
    wrapped = {"type": "error", "error": error}
    shapes: list[Any] = [wrapped, json.dumps(wrapped), json.dumps([wrapped])]
    if "type" not in case and "code" not in case and case["says"]:
        shapes += [json.dumps({"error": case["says"]}), json.dumps({"detail": case["says"]}), case["says"]]
    for shape in shapes:
        verdict = classify(case["status"], shape)
        assert verdict.kind == case["kind"]
        assert verdict.retryable == (case["kind"] in PASSING)
        assert case["says"] in verdict.said


@pytest.mark.parametrize("body", ["", "<html>" * 10_000, "[]", "[[", "null", '{"error": null}', "[" * 100_000, "\0"])
def test_any_body_is_taken(body: str) -> None:
    assert len(classify(500, body).said) <= SHOWN
