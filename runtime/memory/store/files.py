"""Files that are whole or not there: made under another name, on disk before they get their own.

What lies in a store may come from anybody: nothing is waited for, nothing without an end is read, and nothing is
written or taken away where a link leads.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from ....compiler import reason
from ..errors import CanonError
from .layout import Layout

#: Bytes of the largest file that is read from a store or written to it. An article that is long has 20,000 characters.
LARGEST: Final = 16 << 20

#: What keeps git from taking dcc's own folder in.
_IGNORE = ("/.gitignore", b"*\n")


def read_file(path: str, largest: int = LARGEST) -> bytes | None:
    """The bytes of a file; None when there is none.

    Raises CanonError (``not_a_file``) for a pipe, a socket or a device, which may have no end, and (``too_large``) for
    more than ``largest`` bytes; OSError.
    """
    try:
        with open(path, "rb", opener=at_once) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise CanonError("not_a_file", f"{path} is no regular file", help="move it away")
            size = found.st_size
            data = file.read(size + 1) if size <= largest else b""
            if len(data) > size:
                # It grew meanwhile, or is one of those that say nothing of their size (/proc).
                data += file.read(largest - size)
            if max(size, len(data)) > largest:
                raise too_large(path, largest)
            return data
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def too_large(path: str, largest: int = LARGEST) -> CanonError:
    """What is said of a file that is not read, or not written, for its size."""
    return CanonError("too_large", f"{path} has more than {largest} bytes", help="split it")


def reason_of(error: CanonError | OSError) -> str:
    """Why a file cannot be used, in words that go behind its name."""
    if isinstance(error, CanonError):
        return _REASONS.get(error.code, error.message)
    return reason.reason_of(error)


_REASONS: Final = {
    "not_a_file": "it is no regular file",
    "too_large": "it is too large",
    "outside_store": "it is a link out of the store",
}


def _is_below(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def refuse_link(path: str) -> None:
    """Raises CanonError (``outside_store``) when a part of a store is a link."""
    if os.path.islink(path):
        raise CanonError("outside_store", f"{path} is a link", help="put what it leads to in its place")


def flaw_of_file(entry: os.DirEntry[str], folder: str) -> str | None:
    """Why a file that a folder of the store lists cannot be read from it, in words; None: it can.

    What a link shows of other places is not the store's to tell.
    """
    try:
        if entry.is_symlink() and not _is_below(entry.path, folder):
            return "it is a link out of the store"
        if entry.is_file():
            return None
        return "it is no regular file" if os.path.exists(entry.path) else "it is a link to nothing"
    except OSError:
        return "it is a link that leads back to itself"


def at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe (``opener`` of ``open``)."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


def as_text(data: bytes) -> str:
    """The text of a file. Bytes that are not UTF-8 come back as they were when it is written."""
    return data.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """The bytes of a text; a lone surrogate that stands for no byte becomes U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def make_own_folder(layout: Layout) -> None:
    """Make the folder that dcc keeps in a store. Raises CanonError (``outside_store``), OSError."""
    refuse_links(layout)
    os.makedirs(layout.temporary, exist_ok=True)
    ignore = layout.own + _IGNORE[0]
    if not os.path.lexists(ignore):
        with suppress(FileExistsError), open(ignore, "xb") as file:
            file.write(_IGNORE[1])


def refuse_links(layout: Layout) -> None:
    """Raises CanonError (``outside_store``) when a part of the store is a link: others would be written through it."""
    for path in (layout.articles, layout.journal, layout.own, layout.temporary, layout.replaced, layout.lock):
        refuse_link(path)


def put(layout: Layout, path: str, data: bytes) -> None:
    """Write a file in place of whatever had its name. The caller holds the lock of the store."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with _made(layout, data) as made:
        os.replace(made, path)
    _keep(os.path.dirname(path))


def put_new(layout: Layout, path: str, data: bytes) -> bool:
    """Write a file under a name that is free; False when it is taken. The caller holds the lock of the store."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with _made(layout, data) as made:
        try:
            os.link(made, path)
        except FileExistsError:
            return False
        except OSError:
            # A file system without links: the name is taken first, so a crash can leave an entry that is cut off.
            if not _put_exclusively(path, data):
                return False
    _keep(os.path.dirname(path))
    return True


def sweep(layout: Layout) -> None:
    """Take away what died before it got its name. The caller holds the lock, and has refused links."""
    for name in os.listdir(layout.temporary) if os.path.isdir(layout.temporary) else ():
        with suppress(OSError):  # A folder, or a file of another user: what cannot be taken away is in nobody's way.
            os.unlink(f"{layout.temporary}/{name}")


@contextmanager
def _made(layout: Layout, data: bytes) -> Iterator[str]:
    """A file with this content, on disk, under a name of its own; gone afterwards unless it was given another."""
    path = f"{layout.temporary}/{os.getpid()}-{os.urandom(6).hex()}"
    try:
        with open(path, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield path
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)


def _put_exclusively(path: str, data: bytes) -> bool:
    try:
        with open(path, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        return False
    return True


def _keep(folder: str) -> None:
    """Bring a folder's new names to disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
