"""What a tool must not write: the files that the session itself is in.

A store may lie in the workspace (``dcc run --store talk.db``). A file put in its place would take the conversation away
while it goes on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

#: What SQLite puts beside a database: its name and one of these.
_BESIDE: Final = ("-wal", "-shm", "-journal")

#: What claims of sessions are called after the name of their store (``store.claim``).
_CLAIM: Final = re.compile(r"\.[0-9a-f]{16}\.lock")


class StoreFiles:
    """The files of ``store``, those beside it, and ``others`` in its folder."""

    def __init__(self, store: Path, others: Iterable[str] = ()) -> None:
        real = Path(os.path.realpath(store))
        self._folder, self._store = real.parent, real.name
        self._names = (real.name, *(real.name + ending for ending in _BESIDE), *others)

    def holds(self, folder: int, name: str) -> bool:
        """Whether ``name`` in the open folder is one of them, or another name of one (a hard link, other letters)."""
        if self._is_called(name) and _identity(self._folder) == _identity(folder):
            return True
        meant = _identity(name, folder)
        return meant is not None and any(_identity(self._folder / own) == meant for own in self._names)

    def _is_called(self, name: str) -> bool:
        claims = name.startswith(self._store) and _CLAIM.fullmatch(name.removeprefix(self._store))
        return name in self._names or bool(claims)


def _identity(file: int | str | Path, folder: int | None = None) -> tuple[int, int] | None:
    """What a file is, whatever it is called; None: it is not there."""
    try:
        status = os.stat(file) if isinstance(file, int) else os.stat(file, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    return status.st_dev, status.st_ino
