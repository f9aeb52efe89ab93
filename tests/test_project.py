"""The shape of the project: which way imports run, how long files are, what they may be called."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: The folders of the package, each of which may import only itself and those before it.
ORDER = ("rulesets", "grammar", "compiler", "runtime", "cli")

#: Names that say nothing about what is in a file.
FORBIDDEN = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}

LONGEST = 400
LONG = 300

SOURCES = [path for folder in ORDER for path in sorted((ROOT / folder).rglob("*.py"))]


def imports_of(path: Path) -> Iterator[tuple[str, ...]]:
    """The modules that a file imports from the package, as parts below it: ``("grammar", "bounds")``."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            module = tuple(node.module.split(".")) if node.module else ()
            yield from ((*base, *module),) if module else ((*base, name.name) for name in node.names)


def absolute_imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.split(".")[0]
        elif isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=shown)
def test_imports_run_one_way(path: Path) -> None:
    own = ORDER.index(path.relative_to(ROOT).parts[0])
    wrong = [".".join(to) for to in imports_of(path) if to[0] in ORDER and ORDER.index(to[0]) > own]
    assert wrong == [], f"{shown(path)} imports what comes after it; the order is {' <- '.join(ORDER)}"


def test_the_kernel_imports_nothing_of_the_runtime() -> None:
    kernel = ROOT / "runtime" / "kernel"
    found = {
        (shown(path), ".".join(to))
        for path in kernel.rglob("*.py")
        for to in imports_of(path)
        if to[0] == "runtime" and to[:2] != ("runtime", "kernel")
    }
    assert found == set()


@pytest.mark.parametrize("path", SOURCES, ids=shown)
def test_imports_inside_the_package_are_relative(path: Path) -> None:
    assert not {"dcc", *ORDER} & set(absolute_imports_of(path))


def test_files_have_telling_names() -> None:
    assert [shown(path) for path in SOURCES if path.stem in FORBIDDEN] == []


def test_files_are_short() -> None:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in SOURCES}
    assert {shown(path): n for path, n in lines.items() if n > LONGEST} == {}
    long = [shown(path) for path, n in lines.items() if n > LONG]
    assert len(long) * 20 <= len(lines), f"most files are under {LONG} lines; longer are {long}"


def test_every_module_says_what_it_is() -> None:
    modules = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert [shown(path) for path, module in modules.items() if module.body and not ast.get_docstring(module)] == []


def test_tests_have_unique_names_and_are_no_package() -> None:
    names = [path.name for path in (ROOT / "tests").rglob("*.py")]
    assert sorted(set(names)) == sorted(names)
    assert "__init__.py" not in names


def test_no_path_of_a_machine_is_in_the_sources() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    machine = re.compile(r"(?<![\w.])/(?:home|Users|root|work|tmp/v)/\w")
    suffixes = {".py", ".md", ".toml", ".lark"}
    found = [
        name
        for name in listed.split("\0")
        if Path(name).suffix in suffixes and not name.startswith(("tests/", "src/"))
        if (ROOT / name).is_file() and machine.search((ROOT / name).read_text(encoding="utf-8"))
    ]
    assert found == []
