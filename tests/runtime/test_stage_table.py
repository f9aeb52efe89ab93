"""The slot x turn table keeps its columns straight, whatever script the names are in."""

from pathlib import Path

from dcc.runtime.scenario.report import table
from dcc.runtime.scenario.verdict import run_scenario
from dcc.runtime.view.table import stage_table, width_of


def test_a_row_a_slot_and_a_column_a_turn() -> None:
    rows = {"user@1": ["full", "full", "off"], "toolResult@2": [None, "ref", "stub"]}
    assert stage_table(["1", "2", "next"], rows) == [
        "             1 2 next",
        "user@1       # #    .",
        "toolResult@2   r    s",
    ]


def test_wide_names_are_aligned() -> None:
    first, second = stage_table(["1"], {"目标@1": ["full"], "goal_@1": ["off"]})[1:]
    assert width_of(first) == width_of(second)
    assert (first, second) == ("目标@1  #", "goal_@1 .")


def test_combining_marks_take_no_column() -> None:
    assert width_of("e\u0301") == 1


def test_nothing_to_show() -> None:
    assert stage_table([], {}) == [""]


def test_the_next_request_holds_a_stub_of_a_result_that_leaves_before_its_call() -> None:
    text = """
ruleset: {extends: [standard], life_cycle: {toolResult: {start: born, at_most: 1}}}
steps:
  - user: Read both.
    calls:
      - {assistant: {tool_calls: [{id: a, name: read, arguments: {}}]}, results: [{id: a, content: one of two}]}
      - {assistant: {tool_calls: [{id: b, name: read, arguments: {}}]}, results: [{id: b, content: two of two}]}
      - {assistant: Done.}
  - {user: Thanks., reply: You are welcome.}
"""
    played = run_scenario(Path("stubs.yaml"), text.encode()).played
    assert played is not None
    first, second = [line.split() for line in table(played) if line.startswith("toolResult")]
    assert (first, second) == (["toolResult@1", "s", "s", "s"], ["toolResult@1.2", "#", "#", "#"])
