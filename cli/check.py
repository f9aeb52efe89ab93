"""``dcc check``: the findings in rulesets (contracts.md)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..compiler.compose import decode
from ..compiler.diagnostics import Diagnostic, has_errors, sort_diagnostics
from ..compiler.documents import shipped_path
from ..compiler.formats import Report
from ..compiler.load import check_source
from ..compiler.recognise import is_scenario, looks_like_ruleset

Format = Literal["text", "concise", "json"]

#: Folders that a walk does not enter, besides hidden ones.
SKIPPED_FOLDERS = {"node_modules", "__pycache__", "build", "dist"}


def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH…|-]", help="Files, folders, shipped names, or - for standard input."),
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print the findings.")] = "text",
    stdin_filename: Annotated[
        str, typer.Option(metavar="NAME", help="The name of standard input in findings.")
    ] = "-",
) -> None:
    """Check rulesets and print what is wrong, where, and how to mend it."""
    texts: dict[str, bytes] = {}
    unreadable = False
    for path in paths or ["."]:
        try:
            texts |= _gather(path, stdin_filename)
        except (OSError, ValueError) as error:
            unreadable = True
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            typer.echo(f"dcc check: cannot read {path}: {reason.lower()}", err=True)
    found: list[Diagnostic] = []
    for path, text in texts.items():
        found += check_source(path, text).diagnostics
    diagnostics = sort_diagnostics(found)
    shown = {path: decode(text)[0] for path, text in texts.items()}
    shown |= _other_texts(diagnostics, shown)
    report = Report(diagnostics, len(texts), shown, _colour())
    render = import_module(f"..compiler.formats.{format}", __package__).render
    sys.stdout.write(render(report))
    if unreadable:
        raise typer.Exit(2)
    if has_errors(diagnostics):
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(check)


def _gather(path: str, stdin_filename: str) -> dict[str, bytes]:
    """The texts to check under one argument, by the name that findings give them."""
    if path == "-":
        return {stdin_filename: sys.stdin.buffer.read()}
    if os.path.isdir(path):
        texts = {name: Path(name).read_bytes() for name in _walk(path)}
        scenarios = sum(map(is_scenario, texts.values()))
        if scenarios:
            typer.echo(
                f"dcc check: {scenarios} with `steps` in {path} stepped over; run `dcc test`", err=True
            )
        return {name: text for name, text in texts.items() if looks_like_ruleset(text)}
    shipped = None if os.path.exists(path) else shipped_path(path)
    text = Path(shipped or path).read_bytes()
    if is_scenario(text):
        typer.echo(f"dcc check: {path} has `steps`, it is a scenario; run `dcc test {path}`", err=True)
        return {}
    return {path if shipped is None else f"{path}.yaml": text}


def _walk(folder: str) -> Iterator[str]:
    """The YAML files under a folder, in a stable order."""
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in SKIPPED_FOLDERS)
        for name in sorted(files):
            if name.endswith((".yaml", ".yml")):
                yield os.path.normpath(os.path.join(root, name))


def _other_texts(diagnostics: tuple[Diagnostic, ...], shown: dict[str, str]) -> dict[str, str]:
    """The texts of rulesets that were only extended, for their excerpts."""
    others = {d.path for d in diagnostics} - set(shown)
    return {path: decode(Path(path).read_bytes())[0] for path in others if os.path.isfile(path)}


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
