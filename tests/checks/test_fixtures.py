"""Every check has a folder here: bad.yaml trips it, good.yaml trips nothing, expected.txt is what is said of bad.yaml.

Checks of operations have bad.ops and good.ops.

``python tests/checks/test_fixtures.py`` writes expected.txt anew; read the difference before you commit it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dcc.compiler.check import all_checks
from dcc.compiler.diagnostics import Diagnostic
from dcc.compiler.files import check_file

HERE = Path(__file__).parent
NAMES = [module.CHECK.name for module in all_checks()]


def fixture(name: str, stem: str) -> Path:
    """A file of a check's folder: a ruleset or a scenario, or a file of operations."""
    path = HERE / name / f"{stem}.ops"
    return path if path.exists() else path.with_suffix(".yaml")


def findings(path: Path) -> tuple[Diagnostic, ...]:
    """What is found in a fixture; extended files are looked for beside it."""
    return check_file(str(path), path.read_bytes()).diagnostics


def told(path: Path) -> str:
    """The findings as people read them, without the machine's paths."""
    lines = []
    for found in findings(path):
        start, end = found.start, found.end
        name = "" if Path(found.path) == path else f"{Path(found.path).name}:"
        place = f"{name}{start.line}:{start.column}-{end.line}:{end.column}"
        lines.append(f"{place} {found.severity} {found.code} {found.name}: {found.message}")
        lines += [f"  {near.start.line}:{near.start.column} {near.message}" for near in found.related]
        lines.append(f"  help: {found.help}")
    return "".join(f"{line}\n" for line in lines).replace(f"{HERE.as_posix()}/", "")


@pytest.mark.parametrize("name", NAMES)
def test_bad(name: str) -> None:
    path = fixture(name, "bad")
    assert name in {found.name for found in findings(path)}
    assert told(path) == (HERE / name / "expected.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_good(name: str) -> None:
    assert told(fixture(name, "good")) == ""


def test_every_folder_is_a_check() -> None:
    assert sorted({path.parent.name for path in HERE.glob("*/bad.*")}) == sorted(NAMES)


def test_every_check_came_with_a_version_that_there_is() -> None:
    changelog = (HERE.parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = set(re.findall(r"^## \[([0-9.]+)\]", changelog, re.MULTILINE))
    assert {module.CHECK.since for module in all_checks()} <= versions


def write() -> None:
    """Write what is said of every bad.yaml."""
    for path in sorted(HERE.glob("*/bad.*")):
        path.with_name("expected.txt").write_text(told(path), encoding="utf-8")


if __name__ == "__main__":
    write()
