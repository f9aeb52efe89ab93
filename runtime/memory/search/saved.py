"""The file of an index: a line of JSON that says what follows, then the parts. Derived; anything odd and it is none.

Nothing in it is ever run, and it is for its owner alone: it holds the words of the store.
"""

from __future__ import annotations

import json
import os
import sys
import time
import unicodedata
import zlib
from array import array
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from .documents import Stamp
from .postings import Packed, is_sound

#: Version of the file and of the terms in it: another one makes the index anew.
VERSION: Final = 1

#: Seconds after which a file that its writer did not finish is taken away.
ABANDONED: Final = 3_600

_MAKING: Final = ".making"


class Row(NamedTuple):
    """A document in an index: its key, the fingerprint of its file, its length in terms, when it was read."""

    key: str
    base: str
    length: int
    declared: bool
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Saved:
    """An index as it is on disk; document n is row n."""

    rows: tuple[Row, ...]
    packed: Packed


def write(file: str, saved: Saved) -> bool:
    """Write an index, whole or not at all; False when the folder cannot be written."""
    parts = (
        json.dumps(saved.rows).encode(),
        "\n".join(saved.packed.terms).encode(),
        saved.packed.ends.tobytes(),
        saved.packed.postings.tobytes(),
    )
    head = {**_made_by(), "sizes": [len(part) for part in parts], "checksum": _checksum(parts)}
    made = f"{file}.{os.getpid()}-{os.urandom(4).hex()}{_MAKING}"
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        _sweep(os.path.dirname(file))
        with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(json.dumps(head).encode() + b"\n")
            out.writelines(parts)
        os.replace(made, file)
    except OSError:
        with suppress(OSError):
            os.unlink(made)
        return False
    return True


def read(file: str) -> Saved | None:
    """The index in a file; None when there is none that can be used."""
    try:
        with open(file, "rb") as held:
            head: Any = json.loads(held.readline())
            data = memoryview(held.read())
        return _parsed(head, data)
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _parsed(head: Any, data: memoryview) -> Saved | None:
    if not isinstance(head, Mapping) or any(head.get(key) != value for key, value in _made_by().items()):
        return None
    parts, at = list[memoryview](), 0
    for size in head["sizes"]:
        parts.append(data[at : at + size])
        at += size
    if at != len(data) or head["checksum"] != _checksum(tuple(parts)):
        return None
    rows = tuple(
        Row(str(key), str(base), int(length), bool(declared), _stamp(stamp))
        for key, base, length, declared, stamp in json.loads(bytes(parts[0]))
    )
    names = str(parts[1], "utf-8")
    packed = Packed(tuple(names.split("\n")) if names else (), _numbers(parts[2]), _numbers(parts[3]))
    return Saved(rows, packed) if is_sound(packed) else None


def _made_by() -> dict[str, object]:
    """What must be the same for an index to be read: terms depend on the version of Unicode too."""
    return {"dcc": "canon index", "version": VERSION, "unicode": unicodedata.unidata_version, "order": sys.byteorder}


def _checksum(parts: tuple[bytes | memoryview, ...]) -> int:
    found = 0
    for part in parts:
        found = zlib.crc32(part, found)
    return found


def _stamp(values: list[Any]) -> Stamp:
    number, size, changed, touched = map(int, values)
    return number, size, changed, touched


def _numbers(part: memoryview) -> array[int]:
    found = array("Q")
    found.frombytes(part)
    return found


def _sweep(folder: str) -> None:
    """Take away what writers that died have left."""
    with os.scandir(folder) as entries:
        old = [entry.path for entry in entries if entry.name.endswith(_MAKING) and _is_abandoned(entry)]
    for path in old:
        with suppress(OSError):
            os.unlink(path)


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.stat().st_mtime < time.time() - ABANDONED
    except OSError:
        return False
