"""``dcc replay``: runs rules over a recorded session, beside what others would keep of it (contracts.md)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..compiler.load import load_program
from ..compiler.visible import visible, visible_json
from ..runtime.hosts.recorded_session import read_session
from ..runtime.hosts.recording import Recording
from ..runtime.hosts.session_file import SessionFileError
from ..runtime.replay.choice import NAMES, WINDOW
from ..runtime.replay.compare import compare
from ..runtime.replay.curve import CurveError, curve_document, curve_table, read_sweep, run_sweep
from ..runtime.replay.document import document
from ..runtime.replay.table import calls as call_lines
from ..runtime.replay.table import heading, table
from .reading import fail_usage

_SESSION = "A session of pi or Claude Code (JSONL), or messages of OpenAI or Anthropic (JSON), plain or .gz."


def replay_session(
    session: Annotated[Path, typer.Argument(metavar="SESSION", help=_SESSION)],
    ruleset: Annotated[
        list[str] | None, typer.Option("--ruleset", "-r", metavar="R", help="A ruleset to run; repeatable.")
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", "-p", metavar="NAME", help=f"Only these beside them: {', '.join(NAMES)}."),
    ] = None,
    window: Annotated[
        int, typer.Option(min=1, help="Tokens of the context window, for the policies that have one.")
    ] = WINDOW,
    format: Annotated[Literal["text", "json"], typer.Option(help="What to print.")] = "text",
    calls: Annotated[bool, typer.Option("--calls", help="Print what every call held.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="With --calls: the ids of the slots.")] = False,
    curve: Annotated[
        str | None,
        typer.Option(metavar="PARAM=VALUES", help="Sweep one value of a ruleset: settle.every=8,16 or =8:32:8."),
    ] = None,
    as_: Annotated[
        Literal["openai", "anthropic", "pi"], typer.Option("--as", help="The format of the requests.")
    ] = "openai",
) -> None:
    """Run rulesets over a recorded session and compare them with other policies and with keeping everything."""
    names = policy or list(NAMES)
    if unknown := [name for name in names if name not in NAMES]:
        fail_usage(f"no policy {unknown[0]}", f"the policies are {', '.join(NAMES)}")
    rulesets = ruleset or []
    if curve is not None:
        _curve(session, rulesets, curve, format)
        return
    programs = [load_program(one) for one in rulesets]
    recording = _recording(session)
    with _progress(len(programs) + ("dynamic-context" in names)) as done:
        found = compare(recording, programs, names, window=window, format=as_, done=done)
    if format == "json":
        _print_json(document(found, calls=calls))
        return
    for result in found.results if calls else ():
        for line in call_lines(result, ids=verbose):
            print(visible(line))
        print()
    for line in table(found):
        print(visible(line))


def _curve(session: Path, rulesets: list[str], curve: str, format: str) -> None:
    """Print a sweep over one ruleset."""
    if len(rulesets) > 1:
        fail_usage("--curve sweeps one ruleset", "give --ruleset once")
    name = rulesets[0] if rulesets else "standard"
    try:
        sweep = read_sweep(curve)
    except CurveError as error:
        fail_usage(error.message, error.help)
    recording = _recording(session)
    with _progress(len(sweep.points)) as done:
        found = run_sweep(recording, name, sweep, done=done)
    if format == "json":
        _print_json(curve_document(name, sweep, found))
        return
    for line in (*heading(recording), "", f"{name}:", *curve_table(sweep, found)):
        print(visible(line))


def _recording(session: Path) -> Recording:
    try:
        return read_session(session)
    except SessionFileError as error:
        fail_usage(error.message, error.help)


def _print_json(value: dict[str, Any]) -> None:
    print(visible_json(value))


@contextmanager
def _progress(runs: int) -> Iterator[Callable[[], None]]:
    """A bar on the terminal while there is something to wait for; yields what to call after each run."""
    if runs < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    with typer.progressbar(length=runs, label="replay", file=sys.stderr) as bar:
        yield lambda: bar.update(1)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("replay")(replay_session)
