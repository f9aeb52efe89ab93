"""Runs tests/conformance/load_errors.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.compiler.check import all_checks
from dcc.compiler.load import check_source

CASES = yaml.safe_load((Path(__file__).parents[1] / "conformance" / "load_errors.yaml").read_text("utf-8"))[
    "cases"
]

#: What is proved of rules that are in order has fixtures of its own (tests/checks).
PROVED = {module.CHECK.code for module in all_checks() if module.CHECK.kind == "growth"}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_findings(case: dict[str, Any]) -> None:
    text = case["ruleset"]
    result = check_source("case.yaml", text)
    found = [[d.code, text[d.start.offset : d.end.offset]] for d in result.diagnostics if d.code not in PROVED]
    assert sorted(found) == sorted(case["expect"])
    assert all(d.help for d in result.diagnostics), "every finding says how to mend it"
    assert (result.program is None) == any(d.severity == "error" for d in result.diagnostics)
