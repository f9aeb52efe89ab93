"""A scenario file says exactly what it means, or a problem says where and how to mend it."""

import json

import pytest

from dcc.runtime.scenario.load import read_scenario_file


def problems(text: str, path: str = "a.yaml") -> list[tuple[int, str]]:
    """Line and name of every problem of a scenario text."""
    file = read_scenario_file(path, text.encode())
    assert (file.scenario is None) == bool(file.problems)
    return [(d.start.line, d.name) for d in file.diagnostics()]


def test_a_short_reply_is_one_call() -> None:
    file = read_scenario_file("a.yaml", b"steps: [{user: hi, reply: ok}]")
    assert file.scenario is not None
    (step,) = file.scenario.steps
    assert [call.text for call in step.calls] == ["ok"]


def test_json_is_read_by_the_rules_of_json() -> None:
    text = json.dumps({"steps": [{"user": "\U0001f600 \ud83d", "reply": "yes"}]})
    file = read_scenario_file("a.json", text.encode())
    assert file.scenario is not None
    assert file.scenario.steps[0].user == "\U0001f600 \ud83d"


BAD = {
    "steps": ("ruleset: standard", [(1, "missing-key")]),
    "not a mapping": ("- a", [(1, "wrong-type")]),
    "empty": ("", [(1, "wrong-type")]),
    "syntax": ("steps: [", [(1, "yaml-syntax")]),
    "unknown key": ("steps:\n  - user: a\n    rpely: b", [(3, "unknown-key")]),
    "unknown key at the top": ("stepz: []\nsteps: []", [(1, "unknown-key")]),
    "twice": ("steps: []\nsteps: []", [(2, "duplicate-key")]),
    "two kinds": ("steps:\n  - {user: a, abort: true}", [(2, "step-kind")]),
    "no kind": ("steps:\n  - {labels: {}}", [(2, "step-kind")]),
    "text": ("steps:\n  - user: 4", [(2, "wrong-type")]),
    "typed by whom": ("steps:\n  - {user: a, typed: host}", [(2, "wrong-type")]),
    "typed without a message": ("steps:\n  - {abort: true, typed: false, labels: {}}", [(2, "step-kind")] * 2),
    "resume false": ("steps:\n  - resume: false", [(2, "wrong-type")]),
    "two ways": ("steps:\n  - {user: a, reply: b, fail: c}", [(2, "step-calls")]),
    "reply to nothing": ("steps:\n  - {abort: true, reply: b}", [(2, "step-calls")]),
    "a bound that is no number": (
        "steps:\n  - user: a\n    expect: {tokens: {at_most: many}, visible: [{tokens: {at_least: true}}]}",
        [(3, "wrong-type")] * 2,
    ),
    "empty call": ("steps:\n  - user: a\n    calls: [{}]", [(3, "missing-key")]),
    "after a failure": (
        "steps:\n  - user: a\n    calls:\n      - {fail: x}\n      - {assistant: {text: b}}",
        [(4, "call-after-failure")],
    ),
    "results alone": (
        "steps:\n  - user: a\n    calls:\n      - {results: [{id: c}]}",
        [(4, "results-alone")],
    ),
    "two calls of one id": (
        "steps:\n  - user: a\n    calls:\n      - assistant: {tool_calls: [{id: c, name: x}, {id: c, name: y}]}",
        [(4, "repeated-id")],
    ),
    "result without call": (
        "steps:\n  - user: a\n    calls:\n      - assistant: {text: b}\n        results: [{id: c, content: d}]",
        [(5, "unknown-call")],
    ),
    "duration": ("steps:\n  - {user: a, wait: 6 minutes}", [(2, "bad-duration")]),
    "instant": ("steps:\n  - {user: a, at: noon}", [(2, "bad-instant")]),
    "both times": ("steps:\n  - {user: a, wait: 6m, at: 2025-01-02}", [(2, "step-time")]),
    "unknown act": ("steps:\n  - do: [{clsoe: a}]", [(2, "unknown-key")]),
    "two acts": ("steps:\n  - do: [{close: a, keep: b}]", [(2, "action")]),
    "act without argument": ("steps:\n  - do: [{patch: {element: a}}]", [(2, "missing-key")]),
    "representation": ("steps:\n  - do: [{represent: {slot: a, as: big}}]", [(2, "wrong-type")]),
    "undo of nothing": ("steps:\n  - do: [{undo: 0}]", [(2, "wrong-type")]),
    "expectation": ("steps:\n  - {user: a, expect: {stages: []}}", [(2, "unknown-key")]),
    "expected list": ("steps:\n  - {user: a, expect: {stage: user@1}}", [(2, "wrong-type")]),
    "usage": ("steps:\n  - user: a\n    calls: [{assistant: {}, usage: {input: -1}}]", [(3, "wrong-type")]),
    "update without operations": ("steps:\n  - do: [{update: {reason: r}}]", [(2, "missing-key")]),
    "update with a wrong key": (
        "steps:\n  - do: [{update: {reason: r, operation: []}}]", [(2, "missing-key"), (2, "unknown-key")],
    ),
    "actor": ("steps:\n  - do: [{update: {reason: r, operations: [], actor: me}}]", [(2, "wrong-type")]),
    "base": ("steps:\n  - do: [{update: {reason: r, operations: [], base: newest}}]", [(2, "wrong-type")]),
    "compaction of a host": ("steps:\n  - do: [{host_compaction: boredom}]", [(2, "wrong-type")]),
    "governance": ("governance: {gate: [replace]}\nsteps: []", [(1, "unknown-key")]),
    "limit": ("governance: {max_context: 85%}\nsteps: []", [(1, "wrong-type")]),
    "gates": ("governance: {gates: replace}\nsteps: []", [(1, "wrong-type")]),
    "breaks": ("steps:\n  - {user: a, expect: {breaks: few}}", [(2, "wrong-type")]),
    "transactions": ("steps:\n  - {user: a, expect: {transactions: 2}}", [(2, "wrong-type")]),
    "surprise of YAML 1.1": ("steps:\n  - {user: on}", [(2, "yaml-surprise")]),
}


@pytest.mark.parametrize("name", BAD)
def test_a_wrong_scenario_has_its_problem_in_its_place(name: str) -> None:
    text, expected = BAD[name]
    assert problems(text) == expected


def test_a_ruleset_is_told_from_a_scenario() -> None:
    (found,) = read_scenario_file("a.yaml", b"life_cycle: {user: [born, null]}").diagnostics()
    assert (found.message, found.start.line) == ("this is a ruleset, and no scenario", 1)
    assert "dcc check" in (found.help or "")


def test_every_problem_is_found_at_once() -> None:
    found = problems("ruleset: 4\nsteps:\n  - user: 1\n  - {user: a, wait: x}\n  - {abort: 3}")
    assert [line for line, _ in found] == [1, 3, 4, 5]


def test_a_near_key_is_offered() -> None:
    (diagnostic,) = read_scenario_file("a.yaml", b"steps: [{user: a, rpely: b}]").diagnostics()
    assert diagnostic.help == "did you mean `reply`?"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{", "json-syntax"),
        ('{"steps": [], "steps": []}', "duplicate-key"),
        ("[" * 100_000, "too-large"),
    ],
)
def test_wrong_json_is_a_problem(text: str, name: str) -> None:
    assert [found for _, found in problems(text, "a.json")] == [name]


@pytest.mark.parametrize("data", [b"\x00\x01\x02", b"\xff\xfes", "steps: é".encode("latin-1")])
def test_what_is_no_text_is_a_problem(data: bytes) -> None:
    assert read_scenario_file("a.yaml", data).problems
