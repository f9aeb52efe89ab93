"""What a scenario may ask of governance: that it is compared, and printed by ``dcc play``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from dcc.compiler.ops.vocabulary import FLOOR_CODES
from dcc.runtime.governance.checking import _FLOOR
from dcc.runtime.scenario.document import document
from dcc.runtime.scenario.verdict import Run, run_scenario

RULES = {"life_cycle": {"toolResult": ["born", None]}, "governance": {"ops": "cpat", "window": 100_000}}
ARCHIVE = {"update": {"reason": "read", "operations": [{"op": "set_visibility", "ids": ["assistant@1"]}]}}


def run(*steps: dict[str, Any], **more: Any) -> Run:
    """A scenario, played and compared."""
    scenario = {"ruleset": RULES, "steps": [{"user": "hello", "reply": "hi", "name": "begun"}, *steps], **more}
    return run_scenario(Path("a.yaml"), yaml.safe_dump(scenario).encode())


def differences(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What differs, by key: what there was instead."""
    found = run(*steps, **more)
    assert found.played is not None, found.diagnostics
    return {str(difference.path[-1]): difference.got for difference in found.differences}


def test_what_does_not_hold_is_told() -> None:
    wrong = {
        "archived": [], "hidden": ["user@1"], "band": "critical", "same_hash_as": "begun",
        "transactions": [{"ok": False}], "breaks": 3,
    }  # fmt: skip
    found = differences({"do": [ARCHIVE], "expect": wrong})
    assert found.keys() == wrong.keys()
    assert (found["archived"], found["hidden"], found["band"], found["breaks"]) == (["assistant@1"], [], "ok", 0)
    assert found["same_hash_as"] == "(nothing)"


def test_a_step_is_named_by_number_or_by_name() -> None:
    back: list[dict[str, Any]] = [{"do": [ARCHIVE]}, {"do": [{"undo": 1}], "expect": {"same_hash_as": 1}}]
    assert differences(*back) == {}
    back[1]["expect"] = {"same_hash_as": 2}
    assert differences(*back) == {"same_hash_as": 1}
    back[1]["expect"] = {"same_hash_as": "begun"}
    assert differences(*back) == {}


def test_results_are_compared_by_call() -> None:
    call = {"id": "c1", "name": "context_update", "arguments": {"reason": "r", "operations": []}}
    step: dict[str, Any] = {
        "user": "go on",
        "calls": [
            {"assistant": {"tool_calls": [call]}, "expect": {"results": {"c1": {"ok": True, "applied": 0}}}},
            {"assistant": "done"},
        ],
    }
    assert differences(step) == {}
    step["calls"][0]["expect"] = {"results": {"c1": {"ok": False}, "c2": {}}}
    found = differences(step)
    assert found.keys() == {"c1", "c2"}
    assert found["c1"]["applied"] == 0


def test_the_person_opens_gates_sets_limits_and_switches_off() -> None:
    replace = {"update": {"reason": "r", "operations": [{"op": "replace", "ids": ["assistant@1"], "content": "h"}]}}
    refused = {"transactions": [{"rejections": ["op_disabled"]}]}
    assert differences({"do": [replace], "expect": refused}) == {}
    done = {"transactions": [{"rejections": []}]}
    assert differences({"do": [replace], "expect": done}, governance={"gates": ["replace"]}) == {}
    full = {"user": "/cpat", "expect": {"output": {"contains": "of 500 ("}}}
    assert differences(full, governance={"max_context": 500}) == {}
    off = {"do": [ARCHIVE], "expect": {"error": "governance_off"}}
    assert differences(off, {"resume": True}, off, governance={"off": True}) == {}


def test_a_host_that_would_compact_is_answered() -> None:
    asked = {"do": [{"host_compaction": "manual"}], "expect": {"output": {"contains": '"cancel": true'}}}
    assert differences(asked) == {}


def test_play_prints_tail_and_transactions() -> None:
    played = run({"do": [ARCHIVE]}, {"user": "and?", "reply": "so"}).played
    assert played is not None
    _, archived, after = document(played)["steps"]
    (entry,) = archived["transactions"]
    assert (entry["ok"], entry["slots"], archived["archived"]) == (True, ["assistant@1"], ["assistant@1"])
    assert "assistant@1" in after["calls"][0]["tail"]
    assert after["transactions"] == []


def test_codes_that_no_operation_declares_are_known_to_the_check_of_scenarios() -> None:
    assert set(_FLOOR) <= FLOOR_CODES
