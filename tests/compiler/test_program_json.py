"""A Program as JSON: stable, whole, and readable without YAML, pydantic or Lark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dcc.compiler.load import CompileError, load_program
from dcc.compiler.program import Program
from dcc.grammar.errors import DccError

RULESETS = [
    "standard",
    Path(__file__).parent / "original_style.yaml",
    {
        "life_cycle": {
            "read": {"of": "toolResult", "match": {"tool": "/r/", "is_error": False}, "end": "idle+9 calls"},
            "目标": ["born", "until_end(goal)"],
        },
        "settle": {"every": "4 calls"},
        "roles": "python",
    },
]


@pytest.mark.parametrize("ruleset", RULESETS, ids=["standard", "original", "mapping"])
def test_round_trip(ruleset: str | Path) -> None:
    program = load_program(ruleset)
    text = program.to_json()
    again = Program.from_json(text)
    assert again == program
    assert list(again.elements) == list(program.elements)
    assert again.to_json() == text
    assert json.loads(text)["schema_version"] == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", "nope", '{"schema_version": 99}', "[" * 100_000])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(DccError) as caught:
        Program.from_json(text)
    assert caught.value.code == "bad_program"


def test_a_program_runs_without_the_compiler(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    path.write_text(load_program("standard").to_json(), encoding="utf-8")
    code = (
        "import sys, pathlib\n"
        "from dcc.compiler.program import Program\n"
        f"Program.from_json(pathlib.Path({str(path)!r}).read_text('utf-8')).vocabulary\n"
        "print([name for name in ('yaml', 'pydantic', 'lark', 'jinja2', 're2') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_program_in_the_place_of_a_ruleset_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    path.write_text(load_program("standard").to_json(), encoding="utf-8")
    for ruleset in (path, {"extends": [str(path)]}):
        with pytest.raises(CompileError) as refused:
            load_program(ruleset)
        (found,) = [d for d in refused.value.diagnostics if d.severity == "error"]
        assert "compiled program" in found.message
        assert "name the ruleset that it was made of" in found.help
