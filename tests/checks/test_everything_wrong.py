"""The files of everything_wrong/ trip every check that there is; what ships trips none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dcc.cli.init import starter
from dcc.compiler.check import all_checks
from dcc.compiler.documents import shipped_names, shipped_ops_names, shipped_ops_path, shipped_path
from dcc.compiler.files import check_file

HERE = Path(__file__).parent
FILES = (
    "ruleset.yaml", "contrary.yaml", "contrary_compaction.yaml", "contrary_front.yaml",
    "contrary_tools.yaml", "scenario.yaml", "scenario_of_operations.yaml", "schema.json", "wrong.ops", "unwritten.ops",
)  # fmt: skip


def test_every_check_is_tripped() -> None:
    """A check that no file here trips is not found to work: add to ruleset.yaml what is wrong by it."""
    paths = [HERE / "everything_wrong" / name for name in FILES]
    found = {d.name for path in paths for d in check_file(str(path), path.read_bytes()).diagnostics}
    assert {module.CHECK.name for module in all_checks()} - found == set()


@pytest.mark.parametrize("name", shipped_names())
def test_what_ships_trips_none(name: str) -> None:
    path = shipped_path(name)
    assert path is not None
    assert check_file(str(path), path.read_bytes()).diagnostics == ()


def test_scenarios_that_ship_trip_none() -> None:
    folder = HERE.parents[1] / "rulesets" / "scenarios"
    for path in sorted(folder.rglob("*.yaml")):
        assert check_file(os.fspath(path), path.read_bytes()).diagnostics == (), path


def test_operations_that_ship_trip_none() -> None:
    for name in shipped_ops_names():
        path = shipped_ops_path(name)
        assert path is not None
        assert check_file(str(path), path.read_bytes()).diagnostics == (), name


def test_the_starter_trips_none() -> None:
    assert check_file("rules.yaml", starter("rules")).diagnostics == ()


def test_a_file_of_the_first_system_has_no_errors() -> None:
    path = HERE.parent / "compiler" / "original_style.yaml"
    assert check_file(str(path), path.read_bytes()).diagnostics == ()
