"""What README.md and docs/ say is so: their commands are run, their files read, their made pages made anew."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import yaml

from dcc.cli.entry import VERBS

ROOT = Path(__file__).parents[1]
HAND_WRITTEN = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/language.md", "docs/checking.md"]

PROJECT_PATH = re.compile(r"`((?:grammar|compiler|runtime|rulesets|cli|tests|bench|docs)/[\w./-]*)`")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text_of(page), re.MULTILINE | re.DOTALL)


def write_files(page: str, folder: Path) -> None:
    """Write the YAML blocks that name their file in a first line ``# name.yaml``."""
    for block in blocks(page, "yaml"):
        if named := re.match(r"# (\S+\.yaml)\n", block):
            (folder / named[1]).write_text(block, encoding="utf-8")


def environment() -> Mapping[str, str]:
    """One in which ``dcc`` is the one that is tested."""
    here = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    return here | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("page", ["README.md", "docs/language.md", "docs/checking.md"])
def test_commands_print_what_the_page_shows(page: str, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    sessions = blocks(page, "console")
    assert sessions
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(sessions), re.MULTILINE):
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
        )
        assert done.stdout + done.stderr == shown, command


@pytest.mark.parametrize("page", ["README.md", "docs/language.md"])
def test_files_that_are_shown_have_no_warnings(page: str, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    command = [sys.executable, "-m", "dcc", "check", "--isolated", "--fail-on", "warning", "."]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_python_example() -> None:
    example = doctest.DocTestParser().get_doctest("".join(blocks("README.md", "pycon")), {}, "README", None, 0)
    assert example.examples
    said: list[str] = []
    assert doctest.DocTestRunner().run(example, out=said.append).failed == 0, "".join(said)


def test_yaml_blocks_are_yaml() -> None:
    for page in HAND_WRITTEN:
        for block in blocks(page, "yaml"):
            assert yaml.safe_load(block)


def test_links_lead_somewhere() -> None:
    for page in [*HAND_WRITTEN, *(f"docs/{name}" for name in made_pages())]:
        for target in re.findall(r"\]\(([^)#\s]+)\)", text_of(page)):
            assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def test_named_files_and_folders_exist() -> None:
    for page in HAND_WRITTEN:
        for name in PROJECT_PATH.findall(text_of(page)):
            assert re.search(r"/my[-_]", name) or (ROOT / name).exists(), f"{page} names {name}"


def test_commands_and_targets_that_are_named_exist() -> None:
    makefile = text_of("Makefile")
    for page in HAND_WRITTEN:
        text = text_of(page)
        assert set(re.findall(r"`dcc (\w+)", text)) <= set(VERBS)
        targets = re.findall(r"\bmake (\w+)`", text)
        assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_changelog_has_this_version() -> None:
    version = re.search(r'^version = "(.+)"$', text_of("pyproject.toml"), re.MULTILINE)
    assert version is not None
    assert f"## [{version[1]}]" in text_of("CHANGELOG.md")


def made_pages() -> dict[str, str]:
    spec = spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    pages: dict[str, str] = module.pages()
    return pages


@pytest.mark.parametrize(("name", "text"), made_pages().items(), ids=made_pages())
def test_made_pages_are_fresh(name: str, text: str) -> None:
    assert text_of(f"docs/{name}") == text, f"docs/{name} is stale: run `make docs`"
