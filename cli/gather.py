"""The texts that ``dcc check`` is asked to check: files, folders, shipped names, standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..compiler.documents import shipped_names, shipped_ops_names, shipped_ops_path, shipped_path
from ..compiler.files import OPS
from ..compiler.problem import nearest
from ..compiler.reading import read_source, read_stream
from ..compiler.reason import reason_of
from ..compiler.recognise import is_ops, is_ours

#: Folders that a walk does not enter, besides hidden ones.
SKIPPED_FOLDERS = {"node_modules", "__pycache__", "build", "dist"}

#: Standard input as a path.
STDIN = "-"


@dataclass(frozen=True, slots=True)
class Target:
    """A text to check. ``name`` is how findings name it; ``file`` is where a fixed text is written, if anywhere."""

    name: str
    data: bytes
    file: Path | None = None
    is_stdin: bool = False


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found under the paths, and what could not be read: messages for standard error."""

    targets: tuple[Target, ...]
    unreadable: tuple[str, ...]


def gather(paths: list[str], stdin_filename: str, excludes: Callable[[str], bool]) -> Gathered:
    """The texts under the paths, each once; ``excludes`` says what a walk steps over.

    What cannot be read is told of by its own name, and the rest is gathered all the same.
    """
    targets: dict[str, Target] = {}
    unreadable: list[str] = []

    def refuse(name: str, error: OSError | ValueError) -> None:
        why = reason_of(error) if name else "a path has a name"
        mend = _mend(name) if isinstance(error, FileNotFoundError) else ""
        unreadable.append(f"cannot read {name or repr(name)}: {why}{mend}")

    for path in paths:
        in_folder = os.path.isdir(path)
        for name in _walk(path, excludes, refuse) if in_folder else (path,):
            try:
                target = _target(name, stdin_filename)
            except (OSError, ValueError) as error:
                refuse(name, error)
                continue
            if not in_folder or (is_ops if name.endswith(OPS) else is_ours)(target.data):
                targets.setdefault(target.name, target)
    return Gathered(tuple(targets.values()), tuple(unreadable))


def _mend(name: str) -> str:
    """What may have been meant by a path that is not there."""
    near = nearest(name, [*shipped_names(), *shipped_ops_names()])
    return f"\nhelp: did you mean `{near}`?" if near else "\nhelp: name a file or a folder that is there"


def _target(path: str, stdin_filename: str) -> Target:
    """The text of one path that is no folder."""
    if path == STDIN:
        return Target(stdin_filename, read_stream(sys.stdin.buffer), is_stdin=True)
    shipped = None if os.path.exists(path) else shipped_path(path) or shipped_ops_path(path)
    data = read_source(Path(shipped) if shipped else Path(path))
    return Target(path, data, Path(path)) if shipped is None else Target(shipped.name, data)


def _walk(
    folder: str, excludes: Callable[[str], bool], refuse: Callable[[str, OSError], None]
) -> Iterator[str]:
    """The files under a folder that may be dcc's, in a stable order.

    ``refuse`` is told of folders that cannot be read.
    """
    for root, folders, files in os.walk(folder, onerror=lambda error: refuse(str(error.filename), error)):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in SKIPPED_FOLDERS and not excludes(os.path.join(root, name))
        )
        for name in sorted(files):
            path = os.path.normpath(os.path.join(root, name))
            if not name.endswith((".yaml", ".yml", OPS)) or excludes(path):
                continue
            # A pipe or a device is nothing that somebody left there to be checked, and reading it may never end.
            if os.path.isfile(path) or not os.path.exists(path):
                yield path
