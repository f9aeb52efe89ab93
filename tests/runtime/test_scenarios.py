"""The language and the kernel, told in scenarios: every file of tests/conformance/scenarios holds."""

from pathlib import Path

import pytest

from dcc.runtime.scenario.verdict import run_scenario, scenario_files

FOLDER = Path(__file__).parents[1] / "conformance" / "scenarios"
FILES = list(scenario_files(FOLDER))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FOLDER).with_suffix("").as_posix())
def test_scenario(path: Path) -> None:
    run = run_scenario(path, path.read_bytes())
    assert [d.message for d in run.diagnostics] == []
    assert [(run.file.line_of(d.path), d.title, d.expected, d.got) for d in run.differences] == []


def test_there_are_scenarios() -> None:
    assert len(FILES) > 80
