"""A file that a verb writes for a person: whole or not at all, and never over a store."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO, Final

from ..compiler.reason import reason_of
from .reading import fail_usage

#: What standard output is called on the command line.
STANDARD_OUTPUT: Final = Path("-")

#: How every file of SQLite begins (SQLite, "Database File Format", section 1.3), and what it keeps beside one.
_SQLITE: Final = b"SQLite format 3\0"
_BESIDE: Final = ("-wal", "-shm", "-journal")


@contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """What is written here takes the place of the file ``path`` when all of it is there; ``-`` is standard output.

    A new file is its owner's alone, since sessions hold what people typed; one that exists keeps its rights, and a
    link goes on pointing to it. A device or a pipe is written as it is. Ends the program with exit code 2 where that
    cannot be, and where ``path`` is a SQLite file: another place was meant.
    """
    try:
        if path == STANDARD_OUTPUT:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
            return
        real = Path(os.path.realpath(path))
        if real.exists() and not real.is_file():
            with real.open("wb") as out:
                yield out
            return
        if _is_of_sqlite(real):
            fail_usage(f"{path} is a SQLite file, and is not overwritten", "name another file to write to")
        descriptor, name = mkstemp(dir=real.parent, prefix=".dcc-")
        try:
            with open(descriptor, "wb") as scratch:
                yield scratch
            if real.exists():
                shutil.copymode(real, name)
            os.replace(name, real)
        except BaseException:
            os.unlink(name)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        fail_usage(f"cannot write {path}: {reason_of(error)}", "name a file in a folder with room")


def _is_of_sqlite(path: Path) -> bool:
    if path.name.endswith(_BESIDE) and path.with_name(path.name.rpartition("-")[0]).exists():
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE
