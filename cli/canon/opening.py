"""What every verb of ``dcc canon`` does: open the stores of a folder, print a reply, give the exit code."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ...compiler.visible import visible, visible_json
from ...runtime.memory.canon import Canon
from ...runtime.memory.desk import Provenance
from ...runtime.memory.errors import CanonError
from ...runtime.memory.options import read_options, user_settings
from ...runtime.memory.reply import Reply, refusal_of
from ...runtime.memory.store.files import LARGEST
from ...runtime.memory.store.layout import STORE, Layout
from ..reading import fail_usage

FolderOption = Annotated[Path, typer.Option("--cwd", "-C", metavar="FOLDER", help="The project's folder.")]
RootOption = Annotated[
    str | None, typer.Option("--root", metavar="FOLDER", help="The store of the project, by default .canon in it.")
]
MountOption = Annotated[
    list[str] | None, typer.Option("--mount", metavar="FOLDER", help="A further folder with a store of its own.")
]
ReadOnlyOption = Annotated[bool, typer.Option("--read-only", help="Refuse every write.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the reply as JSON.")]
PathArgument = Annotated[str, typer.Argument(metavar="PATH", help="An asset's path or an address.")]


def opened(
    folder: Path, root: str | None, mounts: list[str] | None, read_only: bool = False, harness: str = ""
) -> Canon:
    """Canon in a folder, with the user's settings. Raises CanonError for settings that cannot be used."""
    if not folder.is_dir():
        fail_usage(f"{folder} is no folder", "name a folder with --cwd")
    for named in mounts or ():
        if not (folder / named).is_dir():
            fail_usage(f"{named or 'the empty name'} is no folder that can be mounted", "name a folder with --mount")
    project = None if root else _project_above(os.path.abspath(folder))
    if project is not None:
        note = f"note: {folder} has no store, and {project} has one: name the project with --cwd {shlex.quote(project)}"
        print(visible(note), file=sys.stderr)
    given = user_settings() | ({"root": root} if root else {}) | {"mounts": mounts or []}
    provenance = Provenance(harness=harness)
    return Canon(os.path.abspath(folder), read_options(given), read_only=read_only, provenance=provenance)


def _project_above(folder: str) -> str | None:
    """The nearest folder above that has a store, within a repository of git; None where the folder has one itself."""
    here = folder
    while not Layout(f"{here}/{STORE}").is_begun:
        above = os.path.dirname(here)
        if above == here or os.path.lexists(f"{here}/.git"):
            return None
        here = above
    return here if here != folder else None


def told(answer: Callable[[], Reply], as_json: bool) -> None:
    """Print what a verb answers, in JSON also what canon refuses.

    What was not done ends the program with exit code 1.
    """
    try:
        reply = answer()
    except CanonError as error:
        if not as_json:
            raise
        reply = refusal_of(error)
    if as_json:
        print(visible_json(reply.document()))
    else:
        print(visible(reply.text), file=sys.stderr if reply.is_error else sys.stdout)
    if reply.is_error:
        raise typer.Exit(1)


def text_or_input(text: str | None) -> str | None:
    """A text that is given; for ``-`` what stands on standard input, with line feeds for line ends.

    What no store takes is wrong usage: more than an article may have, and what is not UTF-8.
    """
    if text != "-":
        return text
    data = sys.stdin.buffer.read(LARGEST + 1)
    if len(data) > LARGEST:
        fail_usage(f"standard input has more than {LARGEST} bytes", "split it: no article and no entry is so large")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        fail_usage(f"standard input is not UTF-8 at byte {error.start}", "save it as UTF-8 first")
