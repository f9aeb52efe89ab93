"""A file that belongs to a person, such as settings: written whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Final

#: Stands in the name of what is being written; a writer that was killed leaves such a file.
_MAKING: Final = ".dcc-"

#: Seconds after which such a file counts as left behind.
ABANDONED: Final = 3_600


def write_whole(path: str, text: str) -> None:
    """Write a file in UTF-8, line ends as they are, with the rights that it had; a link is followed. Raises OSError."""
    real = os.path.realpath(path)
    os.makedirs(os.path.dirname(real), exist_ok=True)
    _sweep(real)
    made = f"{real}{_MAKING}{os.urandom(6).hex()}"
    try:
        with open(made, "x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(made, os.stat(real).st_mode & 0o7777)
        os.replace(made, real)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(made)


def _sweep(real: str) -> None:
    """Take away what writers of this file left that were killed."""
    folder, name = os.path.split(real)
    for other in os.listdir(folder):
        if other.startswith(name + _MAKING):
            with suppress(OSError):
                if os.lstat(f"{folder}/{other}").st_mtime < time.time() - ABANDONED:
                    os.unlink(f"{folder}/{other}")
