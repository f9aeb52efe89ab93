"""What a tool must not write: the files that the session itself is in.

A store may lie in the workspace (``dcc run --store talk.db``). A file put in its place would take the conversation away
while it goes on.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ...store.claim import is_claim

#: What SQLite puts beside a database: its name and one of these.
_BESIDE: Final = ("-wal", "-shm", "-journal")


class StoreFiles:
    """The files of ``store``, those beside it, and ``others`` in its folder."""

    def __init__(self, store: Path, others: Iterable[str] = ()) -> None:
        real = Path(os.path.realpath(store))
        self._folder, self._store = real.parent, real.name
        self._names = (real.name, *(real.name + ending for ending in _BESIDE), *others)

    def holds(self, folder: int, name: str) -> bool:
        """Whether ``name`` in the open folder is one of them, or another name of one (a hard link, other letters)."""
        is_called_so = name in self._names or is_claim(name, self._store)
        if is_called_so and _identity(self._folder) == _identity(folder):
            return True
        meant = _identity(name, folder)
        return meant is not None and any(_identity(self._folder / own) == meant for own in self._names)


def _identity(file: int | str | Path, folder: int | None = None) -> tuple[int, int] | None:
    """What a file is, whatever it is called; None: it is not there."""
    try:
        status = os.stat(file) if isinstance(file, int) else os.stat(file, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    return status.st_dev, status.st_ino
