"""JSONL files of sessions, plain or gzip: one record in memory at a time, damage named and survived."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from ...compiler.reading import refuse_pipe
from ...compiler.reason import reason_of
from ...grammar.errors import DccError

_GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
#: Bytes in which a NUL tells a binary file.
_PROBE = 8192


class SessionFileError(DccError):
    """A session file that cannot be read as one: missing, a folder, empty, binary or of no known kind."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line that holds no JSON object. ``torn``: it is the last one, cut off while it was written."""

    line: int
    torn: bool


Record = dict[str, Any]


def read_records(path: Path) -> Iterator[Record | Damaged]:
    """The JSON object of each line that is not blank, or what is wrong with it.

    Raises SessionFileError when the file is missing, a folder, empty, binary or damaged gzip.
    """
    empty = True
    damaged: Damaged | None = None
    for number, line in _lines(path):
        if damaged is not None:
            yield damaged
            damaged = None
        record = _record(line)
        empty = False
        if record is None:
            damaged = Damaged(number, torn=False)
        else:
            yield record
    if damaged is not None:
        yield Damaged(damaged.line, torn=True)
    if empty:
        raise SessionFileError(
            "empty_file", f"{path} is empty", help="give a recorded session (JSONL or .gz)"
        )


def read_document(path: Path) -> Any:
    """The whole file as one JSON value; None when it is none. Raises SessionFileError as ``read_records`` does."""
    try:
        return json.loads(b"".join(line for _, line in _lines(path)))
    except (ValueError, RecursionError):
        return None


def _record(line: bytes) -> Record | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(number from 1, line) of every line that is not blank; a cut gzip stream ends in its torn line."""
    number = 0
    try:
        with _open(path) as file:
            for number, line in enumerate(file, start=1):
                text = line.removeprefix(_BOM) if number == 1 else line
                if text.strip():
                    yield number, text
    except EOFError:
        yield number + 1, b"{"
    except (gzip.BadGzipFile, zlib.error) as error:
        raise SessionFileError(
            "damaged_gzip",
            f"{path} is damaged after line {number}: {error}",
            help="unpack what can be saved with gzip -dc and give the plain file",
        ) from error
    except OSError as error:
        raise SessionFileError(
            "unreadable_file",
            f"{path} cannot be read: {reason_of(error)}",
            help="give the path of a recorded session (JSONL or .gz)",
        ) from error


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    """The file, unpacked; told by its first bytes, not by its name. A NUL among them: a binary file."""
    refuse_pipe(path)
    with path.open("rb") as file:
        packed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        file.seek(0)
        opened = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
        if b"\0" in opened.read(_PROBE):
            raise SessionFileError(
                "binary_file",
                f"{path} is a binary file; expected text in UTF-8, one JSON object a line",
                help="give a recorded session (JSONL or .gz)",
            )
        opened.seek(0)
        yield opened
