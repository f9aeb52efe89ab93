"""Runs tests/conformance/ignores.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.compiler.load import CompileError, check_source, load_program

CASES = yaml.safe_load((Path(__file__).parents[1] / "conformance" / "ignores.yaml").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_silenced(case: dict[str, Any]) -> None:
    text = case["ruleset"]
    result = check_source("case.yaml", text)
    assert sorted(d.code for d in result.silenced) == case["silenced"]
    found = [[d.code, text[d.start.offset : d.end.offset]] for d in result.diagnostics]
    assert sorted(found) == sorted(case["expect"])


def test_a_silenced_error_is_still_one(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("life_cycle: {a: [5, 3]}  # dcc: ignore[DCC205]\n")
    assert check_source(str(path), path.read_bytes()).program is None
    with pytest.raises(CompileError, match="DCC205"):
        load_program(path)


def test_a_comment_of_an_extended_file_counts_there(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("life_cycle: {a: [5, cycle]}  # dcc: ignore[DCC207, DCC205]\n")
    result = check_source(str(tmp_path / "main.yaml"), "extends: [base.yaml]\n")
    assert result.diagnostics == ()
    assert [d.code for d in result.silenced] == ["DCC207"]
