"""Writes the pages of docs/ that are made from the code: checks, commands, rulesets (``make docs``)."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from dcc.cli.entry import VERBS
from dcc.compiler.check import CheckModule, all_checks
from dcc.compiler.documents import shipped_names, shipped_ops_names, shipped_ops_path, shipped_path
from dcc.compiler.files import check_file
from dcc.compiler.ops.model import OpTable
from dcc.compiler.ops.show import page_lines
from dcc.compiler.ops.source import read_ops_file

DOCS = Path(__file__).parent

MADE = "<!-- Made by `make docs`; change the code it is made from instead. -->"


def pages() -> dict[str, str]:
    """The text of every made page, by file name."""
    made = {"checks.md": checks, "commands.md": commands, "rulesets.md": rulesets, "ops.md": ops}
    return {name: "\n".join([MADE, "", *lines()]).rstrip() + "\n" for name, lines in made.items()}


def checks() -> Iterator[str]:
    """The page of every check, from its docstring."""
    modules = all_checks()
    yield from ("# Checks", "", "What `dcc check` finds. `dcc explain CODE` prints one of these pages.", "")
    yield from ("| code | name | severity | about | since | rule |", "|---|---|---|---|---|---|")
    for module in modules:
        check, rule = module.CHECK, (module.__doc__ or "").splitlines()[0]
        anchor = f"{check.code}-{check.name}".lower()
        yield row(f"[{check.code}](#{anchor})", check.name, check.severity, check.kind, check.since, rule)
    for module in modules:
        yield from ("", f"## {module.CHECK.code} {module.CHECK.name}", "")
        for line in (module.__doc__ or "").strip().splitlines():
            if line == "## Instead" and (said := told(module)):
                yield from ("### What dcc says of it", "", *(f"    {line}" for line in said), "")
            yield line.replace("## ", "### ", 1)


def told(module: CheckModule) -> list[str]:
    """What `dcc check` says of the example of a check; nothing when that is told and not written."""
    example = textwrap.dedent((module.__doc__ or "").split("## Example\n\n")[1].split("\n\n## ")[0])
    said = []
    for found in check_file("rules.yaml", example).diagnostics:
        if found.code == module.CHECK.code:
            place = f"{found.path}:{found.start.line}:{found.start.column}"
            said += [f"{place}: {found.severity} {found.code} {found.name}: {found.message}", f"  help: {found.help}"]
    return said


def commands() -> Iterator[str]:
    """Every verb with its arguments and options, from the functions that carry them out."""
    yield from ("# Commands", "")
    yield from ("| command | what it does |", "|---|---|")
    verbs = dict(callbacks())
    for verb, callback in verbs.items():
        yield row(f"[`dcc {verb}`](#dcc-{verb.replace(' ', '-')})", (callback.__doc__ or "").strip().splitlines()[0])
    for verb, callback in verbs.items():
        yield from ("", f"## dcc {verb}", "", *(inspect.getdoc(callback) or "").splitlines(), "")
        yield from ("| argument or option | meaning | default |", "|---|---|---|")
        yield from (row(*cells) for cells in parameters(callback))
    yield from ("", "## Exit codes", "", "| code | meaning |", "|---|---|")
    yield from ("| 0 | fine |", "| 1 | findings, an expectation that failed, or an error that was answered |")
    yield from ("| 2 | wrong usage, or a path that cannot be read |", "| 3 | an error of dcc itself |")


def row(*cells: str) -> str:
    """A row of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def callbacks() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every verb, and what stands under one that is a group, with the function that carries it out."""
    for verb in VERBS:
        app = typer.Typer()
        import_module(f"dcc.cli.{verb}").register(app)
        for command in app.registered_commands:
            if command.callback is not None:
                yield verb, command.callback
        for group in app.registered_groups:
            for command in group.typer_instance.registered_commands if group.typer_instance else ():
                if command.callback is not None:
                    yield f"{verb} {command.name or command.callback.__name__}", command.callback


def parameters(callback: Callable[..., Any]) -> Iterator[tuple[str, str, str]]:
    """(how it is written, its meaning, its default) of each parameter."""
    hints = get_type_hints(callback, include_extras=True)
    for name, parameter in inspect.signature(callback).parameters.items():
        kind, info = get_args(hints[name])
        default = parameter.default
        if isinstance(info, ArgumentInfo):
            shown = f"`{info.metavar or name.upper()}`"
            default = "required" if default is inspect.Parameter.empty else default
        else:
            shown = option(name, kind, info)
        text = "" if default in (None, False, Path()) else str(default)
        yield shown, info.help or "", text


def option(name: str, kind: Any, info: OptionInfo) -> str:
    """How an option is written: its names, and what follows them."""
    names = list(info.param_decls or ())
    first = info.default if isinstance(info.default, str) else None
    names = ([first] if first else []) + names or [f"--{name.replace('_', '-')}"]
    if kind is bool:
        value = ""
    elif get_origin(kind) is Literal:
        value = " " + "|".join(get_args(kind))
    else:
        value = f" {info.metavar or 'N'}"
    return f"`{', '.join(sorted(names, key=len))}{value}`"


def rulesets() -> Iterator[str]:
    """The header comment and the rules of every ruleset that ships."""
    yield from ("# Rulesets", "", "What ships with dcc. Name one in `extends:`, or wherever a ruleset is asked for.")
    yield "Scenarios under `rulesets/scenarios/` hold each to what it says."
    for name in shipped_names():
        path = shipped_path(name)
        assert path is not None
        header, _, rules = path.read_text(encoding="utf-8").partition(f"\nname: {name}\n")
        comment = [line.removeprefix("#").removeprefix(" ") for line in header.splitlines()]
        comment[0] = comment[0].partition(": ")[2].capitalize()
        yield from ("", f"## {name}", "", *comment, "", "```yaml", f"name: {name}")
        yield from (*rules.rstrip().splitlines(), "```")


def ops() -> Iterator[str]:
    """Every operation that ships: the header comment of its file, what it takes, and what is decided of it."""
    yield from ("# Operations", "", "What a model may do to its own context, through the tool `context_update`.")
    yield "[How operations are written](language.md#operations); `dcc ops` shows those of any file or ruleset."
    for name in shipped_ops_names():
        path = shipped_ops_path(name)
        assert path is not None
        text = path.read_text(encoding="utf-8")
        comment = [line.removeprefix("#").removeprefix(" ") for line in text.partition("\n\n")[0].splitlines()]
        comment[0] = comment[0].partition(": ")[2].capitalize()
        yield from ("", f"## {name}", "", *comment, "")
        yield "A decision names states in turn: the first that fits counts. It is taken with arguments that are"
        yield "otherwise valid, targets that are all alike and gates that are open. `goal` stands for all that a person"
        yield "patches; thinking of the open turn is refused as the system is. Guards, and what a transaction must"
        yield from ("leave whole, come after.", "")
        table = OpTable(read_ops_file(str(path), text).table)
        yield from (line.replace("## ", "### ", 1) for line in page_lines(table))


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
