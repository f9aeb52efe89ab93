"""The texts that ``dcc check`` is asked to check: files, folders, shipped names, standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..compiler.documents import shipped_path
from ..compiler.recognise import is_ours

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
    """The texts under the paths, each once; ``excludes`` says what a walk steps over."""
    targets: dict[str, Target] = {}
    unreadable: list[str] = []
    for path in paths:
        try:
            for target in _under(path, stdin_filename, excludes):
                targets.setdefault(target.name, target)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            unreadable.append(f"cannot read {path}: {reason.lower()}")
    return Gathered(tuple(targets.values()), tuple(unreadable))


def _under(path: str, stdin_filename: str, excludes: Callable[[str], bool]) -> Iterator[Target]:
    """The texts under one path."""
    if path == STDIN:
        yield Target(stdin_filename, sys.stdin.buffer.read(), is_stdin=True)
    elif os.path.isdir(path):
        for name in _walk(path, excludes):
            data = Path(name).read_bytes()
            if is_ours(data):
                yield Target(name, data, Path(name))
    else:
        shipped = None if os.path.exists(path) else shipped_path(path)
        data = Path(shipped or path).read_bytes()
        yield Target(path, data, Path(path)) if shipped is None else Target(f"{path}.yaml", data)


def _walk(folder: str, excludes: Callable[[str], bool]) -> Iterator[str]:
    """The YAML files under a folder, in a stable order."""
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in SKIPPED_FOLDERS and not excludes(os.path.join(root, name))
        )
        for name in sorted(files):
            path = os.path.normpath(os.path.join(root, name))
            if name.endswith((".yaml", ".yml")) and not excludes(path):
                yield path
