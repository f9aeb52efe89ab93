"""The built distributions: all of the package is in the wheel, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("grammar", "compiler", "runtime", "rulesets", "cli")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and with the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    with ZipFile(next(built.glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    expected = {
        f"dcc/{path.relative_to(ROOT).as_posix()}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == expected | {"dcc/__init__.py", "dcc/__main__.py", "dcc/py.typed"}


def test_the_wheel_has_the_command_and_the_licence(built: Path) -> None:
    with ZipFile(next(built.glob("*.whl"))) as wheel:
        info = {name.partition(".dist-info/")[2]: name for name in wheel.namelist() if ".dist-info/" in name}
        assert wheel.read(info["entry_points.txt"]).decode() == "[console_scripts]\ndcc = dcc.cli.entry:main\n"
        assert "licenses/LICENSE" in info


def test_the_source_distribution_holds_tests_and_pages(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    pages = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "docs/language.md"}
    assert {*pages, "Makefile", ".ci/run", "tests/test_wheel.py", "bench/__main__.py"} <= names
