"""``dcc new``: skeletons that work as they stand, for a ruleset, a check and a reader of session files."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated, Literal

import typer

from .. import __version__
from ..compiler.check import all_checks
from .reading import fail_usage

Kind = Literal["ruleset", "check", "host"]

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")

#: Checks of what rules mean have codes of this hundred; a new one takes the next.
_RULES = 200


@dataclass(frozen=True, slots=True)
class Skeleton:
    """What a kind consists of: template to the path of its file, and what to do next.

    ``home`` is a folder that must be there already; None: the files may stand anywhere.
    """

    files: dict[str, str]
    home: str | None
    then: str


SKELETONS: dict[Kind, Skeleton] = {
    "ruleset": Skeleton(
        {"ruleset.yaml": "$name.yaml", "scenario.yaml": "scenarios/$name/first.yaml"},
        None,
        "dcc check $name.yaml && dcc test scenarios",
    ),
    "check": Skeleton(
        {
            "check.py": "compiler/checks/$module.py",
            "check_bad.yaml": "tests/checks/$name/bad.yaml",
            "check_good.yaml": "tests/checks/$name/good.yaml",
            "check_expected.txt": "tests/checks/$name/expected.txt",
        },
        "compiler/checks",
        "write in tests/checks/everything_wrong/ruleset.yaml what trips it, then make docs && make test",
    ),
    "host": Skeleton(
        {
            "host.py": "runtime/hosts/${module}_session.py",
            "test_host.py": "tests/runtime/test_${module}_session.py",
        },
        "runtime/hosts",
        "name the reader in cli/replay.py && make test",
    ),
}


def new(
    kind: Annotated[Kind, typer.Argument(metavar="KIND", help="ruleset, check or host.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name: small letters, digits, - between words.")],
    into: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Where to write: any folder for a ruleset, else a checkout of dcc."),
    ] = Path(),
) -> None:
    """Write the skeleton of a ruleset, a check or a host; nothing that exists is overwritten."""
    if not _NAME.fullmatch(name):
        fail_usage(f"{name} is no name for a {kind}", "use small letters and digits, with - between words")
    skeleton = SKELETONS[kind]
    if skeleton.home is not None and not (into / skeleton.home).is_dir():
        fail_usage(f"{into} has no folder {skeleton.home}", "run it in the root of a checkout of dcc")
    words = words_of(name)
    targets = {template: into / fill(path, words) for template, path in skeleton.files.items()}
    taken = [str(path) for path in targets.values() if path.exists()]
    if taken:
        fail_usage(f"{', '.join(taken)}: there already", "choose another name, or remove it first")
    for template, path in targets.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill(text_of(template), words), encoding="utf-8")
        typer.echo(f"wrote {path}")
    typer.echo(f"next: {fill(skeleton.then, words)}")


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(new)


def words_of(name: str) -> dict[str, str]:
    """What the templates are filled with."""
    module = name.replace("-", "_")
    return {
        "name": name.replace("_", "-"),
        "written": yaml_text(name.replace("_", "-")),
        "module": module,
        "code": _next_code(),
        "version": __version__,
    }


def yaml_text(text: str) -> str:
    """A text as YAML reads it for text, on one line: in quotes where it would be a number, a boolean or worse."""
    import yaml

    whole = text.encode("utf-8", "replace").decode("utf-8")
    if whole.isidentifier() and yaml.safe_load(whole) == whole:
        return whole
    quoted: str = yaml.safe_dump(whole, default_style='"', allow_unicode=True, width=math.inf)
    return quoted.strip()


def text_of(template: str) -> str:
    """The text of a template, by the name of the file it makes."""
    return (files(__package__ or "") / "templates" / f"{template}.template").read_text(encoding="utf-8")


def fill(text: str, words: dict[str, str]) -> str:
    """The text with its words put in."""
    return Template(text).substitute(words)


def _next_code() -> str:
    codes = [int(module.CHECK.code.removeprefix("DCC")) for module in all_checks()]
    return f"DCC{max(code for code in codes if code // 100 == _RULES // 100) + 1}"
