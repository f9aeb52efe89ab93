"""The rulesets that ship: each has a header that says when to use it, no findings, and scenarios that hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcc.compiler.documents import shipped_names, shipped_path
from dcc.compiler.load import check_source
from dcc.runtime.scenario.verdict import run_scenario, scenario_files

FOLDER = Path(__file__).parents[1] / "rulesets" / "scenarios"


@pytest.mark.parametrize("name", shipped_names())
def test_no_findings(name: str) -> None:
    path = shipped_path(name)
    assert path is not None
    assert check_source(str(path), path.read_bytes()).diagnostics == ()


@pytest.mark.parametrize("name", shipped_names())
def test_header_says_when_to_use_it(name: str) -> None:
    path = shipped_path(name)
    assert path is not None
    header = path.read_text(encoding="utf-8").split("\nname:")[0]
    assert header.startswith(f"# {name}: ")
    assert "# Use it when" in header


@pytest.mark.parametrize("name", shipped_names())
def test_it_has_scenarios_under_its_name(name: str) -> None:
    assert list(scenario_files(FOLDER / name))


@pytest.mark.parametrize(
    "path", list(scenario_files(FOLDER)), ids=lambda path: path.relative_to(FOLDER).with_suffix("").as_posix()
)
def test_scenario(path: Path) -> None:
    run = run_scenario(path, path.read_bytes())
    assert [found.message for found in run.diagnostics] == []
    assert [(run.file.line_of(d.path), d.title, d.expected, d.got) for d in run.differences] == []
