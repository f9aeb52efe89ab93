"""Bytes of a source from a file or a stream: no more of them than any text that is read may have."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import BinaryIO

from .compose import MAX_BYTES


def read_source(path: Path) -> bytes:
    """The bytes of a file; of one that is too large, or that never ends, as many as show that it is.

    Raises OSError, and ValueError for a path with a NUL.
    """
    refuse_pipe(path)
    with path.open("rb") as file:
        return read_stream(file)


def read_stream(stream: BinaryIO) -> bytes:
    """The bytes of a stream (standard input, a pipe), as :func:`read_source`."""
    return stream.read(MAX_BYTES + 1)


def refuse_pipe(path: Path) -> None:
    """Refuse a named pipe: opening it waits for somebody who writes, maybe for ever. Raises OSError.

    What a shell puts in place of ``<(command)`` stands below /dev, and has its writer.
    """
    if path.is_fifo() and not path.is_relative_to("/dev"):
        raise OSError(errno.ESPIPE, "it is a named pipe, not a file", str(path))
