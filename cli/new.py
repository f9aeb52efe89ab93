"""``dcc new``: skeletons that work as they stand: a ruleset, an operation, a check, a reader of session files."""

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
from ..compiler.visible import visible
from .reading import fail_usage

Kind = Literal["ruleset", "op", "check", "ops-check", "host"]

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")

#: The hundreds of the codes of checks, of rules and of operations; a new check takes the next.
_RULES, _OPERATIONS = 200, 600


@dataclass(frozen=True, slots=True)
class Skeleton:
    """What a kind consists of: template to the path of its file, and what to do next.

    ``home`` is a folder that must be there already; None: the files may stand anywhere. ``codes``: the hundred of
    the code of a check.
    """

    files: dict[str, str]
    home: str | None
    then: str
    codes: int = _RULES


SKELETONS: dict[Kind, Skeleton] = {
    "ruleset": Skeleton(
        {"ruleset.yaml": "$name.yaml", "scenario.yaml": "scenarios/$name/first.yaml"},
        None,
        "dcc check $into$name.yaml && dcc test ${into}scenarios",
    ),
    "op": Skeleton(
        {"op.ops": "$name.ops", "op_scenario.yaml": "scenarios/$name/first.yaml"},
        None,
        "dcc check $into$name.ops && dcc test ${into}scenarios",
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
    "ops-check": Skeleton(
        {
            "ops_check.py": "compiler/checks/ops/$module.py",
            "ops_check_bad.ops": "tests/checks/$name/bad.ops",
            "ops_check_good.ops": "tests/checks/$name/good.ops",
            "ops_check_expected.txt": "tests/checks/$name/expected.txt",
        },
        "compiler/checks/ops",
        "write in tests/checks/everything_wrong/wrong.ops what trips it, then make docs && make test",
        _OPERATIONS,
    ),
    "host": Skeleton(
        {
            "host.py": "runtime/hosts/${module}_session.py",
            "test_host.py": "tests/runtime/test_${module}_session.py",
        },
        "runtime/hosts",
        "name the reader in runtime/hosts/recorded_session.py && make test",
    ),
}


def new(
    kind: Annotated[Kind, typer.Argument(metavar="KIND", help="ruleset, op, check, ops-check or host.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name: small letters, digits, - between words.")],
    into: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="Where to write: any folder for a ruleset or an op, else a checkout of dcc."
        ),
    ] = Path(),
) -> None:
    """Write a skeleton that works as it stands; nothing that exists is overwritten.

    A ruleset or an operation (op) comes with a scenario, a check of rulesets or of operations (ops-check) with its
    fixtures, a host with a test of its reader.
    """
    if not _NAME.fullmatch(name):
        fail_usage(f"{name} is no name for a {kind}", "use small letters and digits, with - between words")
    skeleton = SKELETONS[kind]
    if skeleton.home is not None and not (into / skeleton.home).is_dir():
        fail_usage(f"{into} has no folder {skeleton.home}", "run it in the root of a checkout of dcc")
    words = words_of(name, skeleton.codes)
    targets = {template: into / fill(path, words) for template, path in skeleton.files.items()}
    taken = [str(path) for path in targets.values() if path.exists()]
    if taken:
        fail_usage(f"{', '.join(taken)}: there already", "choose another name, or remove it first")
    for template, path in targets.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill(text_of(template), words), encoding="utf-8")
        typer.echo(visible(f"wrote {path}"))
    folder = "" if into == Path() else f"{into}/"
    typer.echo(visible(f"next: {fill(skeleton.then, words | {'into': folder})}"))


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(new)


def words_of(name: str, codes: int = _RULES) -> dict[str, str]:
    """What the templates are filled with; ``codes``: the hundred of the code of a check."""
    module = name.replace("-", "_")
    return {
        "name": name.replace("_", "-"),
        "written": yaml_text(name.replace("_", "-")),
        "module": module,
        "op": yaml_text(module),
        "code": _next_code(codes),
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


def _next_code(hundred: int) -> str:
    codes = [int(module.CHECK.code.removeprefix("DCC")) for module in all_checks()]
    return f"DCC{max(code for code in codes if code // 100 == hundred // 100) + 1}"
