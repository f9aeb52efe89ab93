"""``dcc canon install``: the entries of canon in the settings of a host, shown and written, or taken out again."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from difflib import unified_diff
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import typer

from ...compiler.visible import visible
from ...runtime.hosts.installing import Change, carry_out
from .opening import FolderOption

Host = Literal["claude-code", "codex"]


def install(
    host: Annotated[Host, typer.Argument(metavar="HOST", help="claude-code or codex.")],
    cwd: FolderOption = Path(),
    user: Annotated[bool, typer.Option("--user", help="For all projects of the user, not for this one.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take the entries out again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; without a terminal nothing is asked.")] = False,
    command: Annotated[
        str | None, typer.Option("--command", metavar="COMMAND", help="How the host is to start dcc.")
    ] = None,
) -> None:
    """Show what changes in the files of a host, then change it: hooks, and the server of the tool canon.

    Entries of others keep every byte. Done twice it changes nothing. Start a new session of the host afterwards.
    """
    changes = import_module(f"...runtime.hosts.{host.replace('-', '_')}.install", __package__).changes
    planned: tuple[Change, ...] = changes(
        os.path.abspath(cwd), command or _usual(user), os.environ, user=user, remove=remove
    )
    changing = [change for change in planned if change.is_change]
    notes = [note for change in planned for note in change.notes]
    if not remove and command is None and find_spec("mcp") is None:
        notes.append("the server of the tool canon does not start yet: python -m pip install 'dcc-context[mcp]'")
    for note in notes:
        print(visible(f"note: {note}"), file=sys.stderr)
    for change in changing:
        print(visible("".join(_shown(change))), end="")
    if not changing:
        print("nothing to change")
        return
    if dry_run:
        return
    if not yes and sys.stdin.isatty() and not typer.confirm("Write this?"):
        raise typer.Exit(1)
    for change in changing:
        carry_out(change)
        print(visible(f"{'wrote' if change.after else 'removed'} {change.path}"))


def _usual(user: bool) -> str:
    """How a host finds dcc: a project is shared, so there by name, if it can be found so."""
    if not user and shutil.which("dcc"):
        return "dcc"
    own = Path(sys.executable).parent / "dcc"
    return shlex.quote(str(own)) if own.exists() else f"{shlex.quote(sys.executable)} -m dcc"


def _shown(change: Change) -> Iterator[str]:
    before, after = (change.before or "").splitlines(keepends=True), change.after.splitlines(keepends=True)
    old = change.path if change.before is not None else "/dev/null"
    new = change.path if change.after else "/dev/null"
    for line in unified_diff(before, after, old, new):
        yield line if line.endswith("\n") else f"{line}\n"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("install")(install)
