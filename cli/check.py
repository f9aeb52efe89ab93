"""``dcc check``: the findings in rulesets, and their fixes (contracts.md)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from ..compiler.batch import check_all
from ..compiler.check import all_checks
from ..compiler.choice import selectors, unknown_selectors
from ..compiler.compose import decode
from ..compiler.diagnostics import Diagnostic, sort_diagnostics
from ..compiler.formats import SEVERITIES, Report
from ..compiler.reading import read_source
from ..compiler.settings import FailOn, Settings, SettingsError
from ..compiler.settings_of import SettingsOf
from ..compiler.visible import visible, visible_line
from ..grammar.ast import Severity
from .gather import STDIN, Gathered, Target, gather

if TYPE_CHECKING:
    from .mend import Mended

Format = Literal["text", "concise", "json", "sarif", "github", "junit"]
Color = Literal["auto", "always", "never"]

#: Formats that can tell numbers instead of findings, or with them.
COUNTED = ("text", "concise", "json")


def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH…|-]", help="Files, folders, shipped names, or - for standard input."),
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option(help="How to print the findings: text, on GitHub Actions github."),
    ] = None,
    color: Annotated[Color, typer.Option(help="Whether text is coloured; auto: on a terminal.")] = "auto",
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE,…", help="Only these checks: codes, prefixes such as DCC2, or names."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="CODE,…", help="Not these checks; the nearer word wins.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Make the safe fixes, in the files.")] = False,
    unsafe_fixes: Annotated[
        bool, typer.Option("--unsafe-fixes", help="Make fixes too that may change what a ruleset means.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print what --fix would change, and change nothing.")
    ] = False,
    fail_on: Annotated[
        FailOn | None, typer.Option(help="The lightest finding that makes the exit code 1: error if not given.")
    ] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 whatever is found.")] = False,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Count the findings of each check instead of telling them.")
    ] = False,
    stdin_filename: Annotated[
        str, typer.Option(metavar="NAME", help="The name of standard input in findings.")
    ] = STDIN,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings to use instead of the nearest ones.")
    ] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help="Use no file of settings.")] = False,
    show_settings: Annotated[
        bool, typer.Option("--show-settings", help="Print the settings of each path, and check nothing.")
    ] = False,
) -> None:
    """Check rulesets and print what is wrong, where, and how to mend it."""
    given: dict[str, Any] = {"select": _selectors("--select", select), "ignore": _selectors("--ignore", ignore)}
    given |= {"fail_on": fail_on, "unsafe_fixes": unsafe_fixes or None}
    settings = SettingsOf(config, isolated, {key: value for key, value in given.items() if value is not None})
    shape = format or ("github" if os.environ.get("GITHUB_ACTIONS") else "text")
    if statistics and shape not in COUNTED:
        _usage(f"--statistics goes with --format {', '.join(COUNTED)}", "leave one of the two out")
    try:
        if show_settings:
            _show(paths or ["."], settings)
            return
        gathered = gather(paths or ["."], stdin_filename, lambda path: settings.path(path).excludes(path))
        for note in gathered.unreadable:
            typer.echo(visible(f"dcc check: {note}"), err=True)
        code = _run(gathered, settings, fix, diff, shape, _colour(color), statistics)
    except SettingsError as error:
        _usage(error.message, error.help)
    if gathered.unreadable:
        raise typer.Exit(2)
    raise typer.Exit(0 if exit_zero else code)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(check)


def _run(
    gathered: Gathered, settings: SettingsOf, fix: bool, diff: bool, shape: Format, colour: bool, counts: bool
) -> int:
    """Check, fix and print; the exit code."""
    targets = gathered.targets
    mended: list[Mended] = []
    if fix or diff:
        # Most runs fix nothing: they need not wait for what that imports.
        from .mend import mend, show_diff, write

        mended = [mend(target, settings.path(target.name)) for target in targets]
        if diff:
            changed = show_diff(mended)
            left = [d for one in mended for d in _chosen(one.left, settings)]
            return int(changed or _fails((*left, *settings.diagnostics), settings))
        targets = write(mended)
    report = _report(targets, settings, mended, colour, counts)
    # With --fix the fixed text of standard input takes standard output; findings go beside it.
    beside = fix and any(target.is_stdin for target in targets)
    (sys.stderr if beside else sys.stdout).write(_rendered(report, shape))
    return int(_fails(report.diagnostics, settings))


def _report(
    targets: Iterable[Target], settings: SettingsOf, mended: list[Mended], colour: bool, counts: bool
) -> Report:
    """What the checks find in the texts as they are now."""
    texts = {target.name: target.data for target in targets}
    governing = [settings.path(path) for path in texts]
    found = [d for diagnostics in check_all(list(texts.items())) for d in diagnostics]
    diagnostics = sort_diagnostics((*_chosen(found, settings), *settings.diagnostics))
    shown = {path: decode(text)[0] for path, text in texts.items()}
    others = {d.path for d in diagnostics} - set(shown)
    shown |= {path: decode(read_source(Path(path)))[0] for path in others if os.path.isfile(path)}
    return Report(
        diagnostics,
        len(texts),
        shown,
        colour,
        paths=tuple(texts),
        mended=tuple(d for one in mended for d in one.mended),
        failing=tuple(s for s in SEVERITIES if any(_reaches(s, one) for one in governing)),
        statistics=counts,
        tried=_tried(mended, settings),
    )


def _tried(mended: list[Mended], settings: SettingsOf) -> Literal["none", "safe", "all"]:
    """Which fixes were made where they could be: unsafe ones only when every file had them."""
    if not mended:
        return "none"
    return "all" if all(settings.path(one.target.name).unsafe_fixes for one in mended) else "safe"


def _rendered(report: Report, shape: Format) -> str:
    module = "statistics" if report.statistics and shape != "json" else shape
    rendered: str = import_module(f"..compiler.formats.{module}", __package__).render(report)
    return rendered


def _chosen(diagnostics: Iterable[Diagnostic], settings: SettingsOf) -> list[Diagnostic]:
    """The findings of the checks that speak, by the settings of the file that each stands in."""
    return [d for d in diagnostics if settings.path(d.path).choice.takes(d.code, d.name)]


def _fails(diagnostics: Iterable[Diagnostic], settings: SettingsOf) -> bool:
    return any(_reaches(d.severity, settings.path(d.path)) for d in diagnostics)


def _reaches(severity: Severity, settings: Settings) -> bool:
    """Whether a finding of this severity fails the run."""
    return settings.fail_on != "never" and SEVERITIES.index(severity) <= SEVERITIES.index(settings.fail_on)


def _selectors(option: str, words: list[str] | None) -> tuple[str, ...] | None:
    """The selectors of an option, None when it is not given; one that fits no check is wrong usage."""
    if words is None:
        return None
    chosen = selectors(words)
    checks = [(module.CHECK.code, module.CHECK.name) for module in all_checks()]
    for word, near in unknown_selectors(chosen, checks):
        _usage(f"{option}: {word} is no check", f"did you mean {near}?" if near else "`dcc explain` lists the checks")
    return chosen


def _show(paths: list[str], settings: SettingsOf) -> None:
    """Print the settings of each path as TOML."""
    import json

    for path in paths:
        folder = Path(path).absolute()
        found = settings.folder(folder if folder.is_dir() else folder.parent).document()
        typer.echo(visible_line(f"# {path}: {found.pop('source') or 'no file of settings'}"))
        for key, value in found.items():
            typer.echo(visible(f"{key} = {json.dumps(value, ensure_ascii=False)}"))


def _usage(message: str, help: str | None) -> NoReturn:
    typer.echo(visible(f"dcc check: {message}" + (f"\nhelp: {help}" if help else "")), err=True)
    raise typer.Exit(2)


def _colour(color: Color) -> bool:
    if color == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return color == "always"
