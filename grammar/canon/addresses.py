"""Addresses of articles: computed from asset paths, never looked for (specification of canon, section 1).

An address is a path below ``articles/`` without the extension of its asset: `src/core/config.ts` is governed by
`src/core/config`. Addresses are in Unicode NFC, so that two spellings of one name are one address.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from .lengths import WHITE

#: Longest segment of an address in UTF-8 bytes: with `.md` it still fits a file name of 255 bytes.
LONGEST_SEGMENT = 251

#: Bytes of an address: systems have paths of 4,095, and the folder of the store and the names of versions need some.
LONGEST_ADDRESS = 3_000

_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")


def slashed(path: str) -> str:
    """A path as people write it, trimmed, in NFC, with slashes for backslashes."""
    path = path.strip(WHITE)
    if "\\" in path:
        path = path.replace("\\", "/")
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def contained(path: str, cwd: str = "") -> str:
    """A path below ``cwd``, which is cut off its front, as an address with its extension kept.

    `.` and empty segments are dropped and `..` takes the segment before it away, but never leaves the root: no
    address points outside the store.
    """
    path = slashed(path)
    below = _below(path, cwd)
    return recontained(path if below is None else below)


def leads_out(path: str, cwd: str = "") -> bool:
    """Whether a path names what is not in the folder ``cwd``: by `..`, or as an absolute path of another folder.

    It has an address all the same, of what is left of it (``contained``), which is hardly the one that was meant. A
    slash alone is the root of all addresses.
    """
    path = slashed(path)
    below = _below(path, cwd)
    if below is None and _ABSOLUTE.match(path) and path.strip("/"):
        return True
    left = path if below is None else below
    if ".." not in left:
        return False
    depth = 0
    for segment in left.split("/"):
        depth += -1 if segment == ".." else segment not in ("", ".")
        if depth < 0:
            return True
    return False


def _below(path: str, cwd: str) -> str | None:
    """What is left of a path below a folder; None when it is not below it as it is written."""
    if not cwd:
        return None
    folder = slashed(cwd).rstrip("/")
    return path[len(folder) :] if path == folder or path.startswith(folder + "/") else None


def recontained(path: str) -> str:
    """What is contained of an address, which may end in white space: a contained one comes back as it is."""
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            if kept:
                kept.pop()
        elif segment and segment != ".":
            kept.append(segment)
    return "/".join(kept)


def without_extension(address: str) -> str:
    """The address without one extension. Nothing is dropped of a name that would then be empty or only dots.

    (The original makes `.` of `..foo`, which is no name of a file.)
    """
    start = address.rfind("/") + 1
    dot = address.rfind(".", start)
    return address[:dot] if dot > start and address[start:dot].strip(".") else address


def normalise(path: str, cwd: str = "") -> str:
    """The address that governs an asset path; empty: the path names nothing below the root."""
    return without_extension(contained(path, cwd))


def upwards(address: str) -> Iterator[str]:
    """The address and those above it, nearest first; nothing for the empty address."""
    while address:
        yield address
        address = address.rpartition("/")[0]


def parent_of(address: str) -> str:
    """The address one segment up; empty for an address of one segment."""
    return address.rpartition("/")[0]


def flaw_of(address: str) -> str | None:
    """Why no article can have this address, in words; None: one can."""
    if not address:
        return "it is empty"
    if not address.isprintable() and any(unicodedata.category(char) in ("Cc", "Cs") for char in address):
        return "it holds a control character"
    if any(len(part.encode("utf-8", "surrogatepass")) > LONGEST_SEGMENT for part in address.split("/")):
        return f"one of its segments is longer than {LONGEST_SEGMENT} bytes"
    if len(address.encode("utf-8", "surrogatepass")) > LONGEST_ADDRESS:
        return f"it is longer than {LONGEST_ADDRESS} bytes"
    return None
