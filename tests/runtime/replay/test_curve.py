"""Sweeps: how a parameter and its values are written, and what becomes of a ruleset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recordings import read_loop, recording

from dcc.compiler.override import override
from dcc.runtime.replay.curve import CurveError, programs_of, read_sweep, run_sweep


@pytest.mark.parametrize(
    ("text", "path", "values"),
    [
        ("settle.every=8,16", "settle.every", [8, 16]),
        ("settle.every=8:32:8", "settle.every", [8, 16, 24, 32]),
        ("settle.every=32:8:-12", "settle.every", [32, 20, 8]),
        ("compact.x=0.5:0.7:0.1", "compact.x", [0.5, 0.6, 0.7]),
        ("life_cycle.toolResult.end=born+{} calls:2,4", "life_cycle.toolResult.end", ["born+2 calls", "born+4 calls"]),
        ("life_cycle.toolResult.end=born+{}:1:3:1", "life_cycle.toolResult.end", ["born+1", "born+2", "born+3"]),
        ("settle.every={}:8,16", "settle.every", [8, 16]),
        ("life_cycle.read.supersede=true,false", "life_cycle.read.supersede", [True, False]),
        ("life_cycle.read.end=born, null", "life_cycle.read.end", ["born", None]),
    ],
)
def test_sweeps(text: str, path: str, values: list[Any]) -> None:
    sweep = read_sweep(text)
    assert (sweep.parameter, [value for _, value in sweep.points]) == (path, values)


@pytest.mark.parametrize(
    "text", ["", "settle.every", "settle.every=", "=1,2", "a..b=1", "a={} calls", "a=1:2", "a=1:2:0", "a=1:2:-1",
             "a=1:x:1", "a=1:100000:1"],
)  # fmt: skip
def test_what_is_no_sweep_says_how_one_is_written(text: str) -> None:
    with pytest.raises(CurveError) as raised:
        read_sweep(text)
    assert raised.value.help


def test_a_value_is_put_into_a_ruleset_with_all_that_it_extends(tmp_path: Path) -> None:
    path = tmp_path / "short.yaml"
    path.write_text("extends: [standard]\nlife_cycle: {toolResult: [born, born+1]}\n")
    values = override(path, ("life_cycle", "toolResult", "end"), "born+3 calls")
    assert values["life_cycle"]["toolResult"] == {"start": "born", "end": "born+3 calls"}
    assert values["life_cycle"]["think"] == ["born", "born"]
    assert "extends" not in values
    assert override(path, ("settle", "every"), 8)["settle"] == {"every": 8}


def test_each_point_is_a_program() -> None:
    sweep = read_sweep("life_cycle.toolResult.end=born+{}:1,2")
    first, second = programs_of("standard", sweep)
    assert (first.row("toolResult").rule.end.n, second.row("toolResult").rule.end.n) == (1, 2)


def test_longer_lives_cost_more_tokens() -> None:
    found = run_sweep(
        recording(read_loop(12, 50)), "standard", read_sweep("life_cycle.toolResult.end=born+{} calls:1,4,8")
    )
    tokens = [result.totals.prompt_tokens for result in found.results]
    assert sorted(tokens[1:]) == tokens[1:]
    assert tokens[-1] < tokens[0]
