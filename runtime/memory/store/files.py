"""Files that are whole or not there: made under another name, on disk before they get their own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..errors import CanonError
from .layout import Layout

#: What keeps git from taking dcc's own folder in.
_IGNORE = ("/.gitignore", b"*\n")


def read_file(path: str) -> bytes | None:
    """The bytes of a file; None when there is none.

    Raises CanonError (``not_a_file``) for a pipe, a socket or a device: reading one may never end.
    """
    try:
        with open(path, "rb", opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise CanonError("not_a_file", f"{path} is no regular file", help="move it away")
            return file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


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


def _is_below(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def _at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


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
    """Make the folder that dcc keeps in a store."""
    os.makedirs(layout.temporary, exist_ok=True)
    ignore = layout.own + _IGNORE[0]
    if not os.path.exists(ignore):
        with open(ignore, "wb") as file:
            file.write(_IGNORE[1])


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


def sweep(layout: Layout) -> int:
    """Take away what died before it got its name; how many files. The caller holds the lock of the store."""
    names = os.listdir(layout.temporary) if os.path.isdir(layout.temporary) else []
    for name in names:
        os.unlink(f"{layout.temporary}/{name}")
    return len(names)


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
