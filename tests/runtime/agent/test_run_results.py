"""What a run gives back, case by case from conformance/agent_results.yaml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from agents import PROTOCOLS, rules, run, usage
from loopback.behaviour import Refuses, Says
from loopback.server import Loopback

CASES = yaml.safe_load((Path(__file__).parents[2] / "conformance" / "agent_results.yaml").read_text("utf-8"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("case", CASES["errors"], ids=lambda case: case["dcc"])
def test_how_a_run_ends_that_is_refused(case: dict[str, Any], protocol: str, folder: Path) -> None:
    refusal = Refuses(case["status"], json.dumps({"error": {"message": case["says"]}}))
    with Loopback(refusal) as server:
        result = run(rules(server, protocol), "go", folder)
    assert case["openclaw"] == case["dcc"] or case.get("why")
    assert result.meta.error is not None
    assert result.meta.error.kind == case["dcc"]
    assert case["says"] in result.meta.error.message
    (payload,) = result.payloads
    assert payload.is_error
    assert case["told"] in payload.text
    assert (result.answer, result.meta.stop_reason, result.meta.aborted) == ("", "error", False)
    assert result.meta.prompt_report is not None
    assert len(server.seen) == 1


def _at(document: Any, name: str) -> Any:
    for key in name.split("."):
        document = document[key]
    return document


@pytest.mark.parametrize("case", CASES["fields"], ids=lambda case: str(case["dcc"] or case["openclaw"]))
def test_where_a_result_says_it(case: dict[str, Any], folder: Path) -> None:
    with Loopback(Says(("ok",), usage=usage("openai", 5, 1))) as server:
        document = run(rules(server), "go", folder).to_json()
    if case["dcc"] is None:
        with pytest.raises(KeyError):
            _at(document, case["openclaw"])
    else:
        _at(document, case["dcc"])
    assert case["seed"] in (None, case["dcc"])
    assert case["openclaw"] == case["dcc"] or case.get("why")
