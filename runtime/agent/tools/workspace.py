"""The workspace: the one folder that an agent's files are in, held open.

It is opened once. From then on its name is not used: every component of a path is opened in the folder before it
(``openat``) and never through a link (``O_NOFOLLOW``), so that whatever is renamed, or swapped for a link, while a
tool runs, no byte outside is read or written.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Final

from ....compiler.reason import reason_of
from .arguments import ToolError
from .paths import components
from .store_files import StoreFiles

# Not every system that can import this has all of these; Workspace refuses where they are missing.
_SAFE: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _SAFE
# O_NONBLOCK: a pipe that took the place of a file must not be waited for.
_FILE: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | _SAFE
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE

#: What a new file may at most be allowed, before the umask.
_NEW_MODE: Final = 0o666

_KINDS: Final = {
    stat.S_IFDIR: "a folder", stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class State:
    """What tells one content of a file from a later one."""

    device: int
    inode: int
    size: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> State:
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


class Workspace:
    """The folder ``path``, held open until :meth:`close`. Raises ToolError (``bad_workspace``).

    ``path`` is its absolute name, ``real`` the same without links: for messages and for what is told to programs.
    ``store``: the files of the session itself, which are not written, wherever they are.
    """

    def __init__(self, path: str | os.PathLike[str], store: StoreFiles | None = None) -> None:
        if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
            raise ToolError("bad_workspace", "this system cannot open files relative to an open folder")
        self.path = Path(os.path.abspath(path))
        real = os.path.realpath(path)
        try:
            # A person named this folder: links on the way to it are theirs.
            self._handle = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise ToolError(
                "bad_workspace", f"the workspace {path} cannot be opened: {reason_of(error)}", help="name a folder"
            ) from None
        self.real = Path(real)
        self._store = store
        self._roots = tuple(dict.fromkeys((str(self.path), real)))

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the folder go. Nothing can be opened any more."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def parts(self, path: str) -> tuple[str, ...]:
        """The components of a path below the workspace. Raises ToolError (``bad_path``, ``outside``)."""
        return components(path, self._roots)

    @contextmanager
    def folder(self, path: str) -> Iterator[int]:
        """A descriptor of the folder ``path``, while it is entered. Raises ToolError."""
        with self._walk(self.parts(path), path, make=False) as descriptor:
            yield descriptor

    @contextmanager
    def reading(self, path: str) -> Iterator[FileIO]:
        """The plain file ``path``, unbuffered, while it is entered.

        Raises ToolError: ``not_found``, ``link``, ``not_a_file``, ``no_access``, and those of :meth:`parts`.
        """
        *above, name = self._file_parts(path)
        with self._walk(tuple(above), path, make=False) as parent:
            # Opening a device may already do something: look before.
            self._require_file(self._status(name, parent, path), path)
            with _told(path):
                descriptor = os.open(name, _FILE, dir_fd=parent)
        with FileIO(descriptor, "rb") as file:
            self._require_file(os.fstat(descriptor), path)
            yield file

    def write(self, path: str, data: bytes, *, expected: State | None = None) -> bool:
        """Put ``data`` in the place of the file ``path``, whole or not at all; whether it is new.

        Folders on the way are made. A file that is there keeps its mode. ``expected``: refuse when the file is no
        longer as it was then. Raises ToolError: ``changed``, ``store_file``, and those of :meth:`reading`.
        """
        *above, name = self._file_parts(path)
        with self._walk(tuple(above), path, make=True) as parent:
            self._require_free(name, parent, path)
            try:
                before = os.stat(name, dir_fd=parent, follow_symlinks=False)
            except FileNotFoundError:
                before = None
            if before is not None:
                self._require_file(before, path)
                if not os.access(name, os.W_OK, dir_fd=parent, follow_symlinks=False):
                    mode = stat.S_IMODE(before.st_mode)
                    raise ToolError("no_access", f"{path} may not be written to: its mode is {mode:04o}")
            with _told(path):
                self._replace(parent, name, data, before, path, expected)
        return before is None

    def _replace(
        self, parent: int, name: str, data: bytes, before: os.stat_result | None, path: str, expected: State | None
    ) -> None:
        # The folder is held, so both names are in it, wherever it is moved to meanwhile.
        fresh = f".dcc-{secrets.token_hex(8)}.tmp"
        descriptor = os.open(fresh, _NEW, _NEW_MODE, dir_fd=parent)
        try:
            with open(descriptor, "wb") as file:
                if before is not None:
                    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
                        with contextlib.suppress(OSError):
                            os.fchown(descriptor, before.st_uid, before.st_gid)
                    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            if expected is not None and State.of(self._status(name, parent, path)) != expected:
                raise ToolError(
                    "changed", f"{path} was changed by somebody else meanwhile; nothing was written",
                    help="read it again",
                )  # fmt: skip
            os.rename(fresh, name, src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(fresh, dir_fd=parent)
            raise

    @contextmanager
    def _walk(self, parts: tuple[str, ...], path: str, *, make: bool) -> Iterator[int]:
        """A descriptor of the folder that ``parts`` lead to, each opened in the one before."""
        if self._handle < 0:
            raise ToolError("bad_workspace", "the workspace is closed")
        if os.fstat(self._handle).st_nlink == 0:
            raise ToolError(
                "bad_workspace", f"the workspace {self.path} was removed: it has no files any more",
                help="tell the person; no file can be read or written in this run",
            )  # fmt: skip
        at = os.dup(self._handle)
        try:
            for name in parts:
                if make:
                    self._require_free(name, at, path)
                    with _told(path), contextlib.suppress(FileExistsError):
                        os.mkdir(name, dir_fd=at)
                at = self._step(at, name, path)
            yield at
        finally:
            os.close(at)

    def _step(self, at: int, name: str, path: str) -> int:
        try:
            below = os.open(name, _FOLDER, dir_fd=at)
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP):
                status = self._status(name, at, path)
                if stat.S_ISLNK(status.st_mode):
                    raise self._link(name, path) from None
                raise ToolError("not_a_folder", f"{name} in {path} is {_kind(status.st_mode)}, no folder") from None
            raise _error(error, path) from None
        os.close(at)
        return below

    def _file_parts(self, path: str) -> tuple[str, ...]:
        parts = self.parts(path)
        if not parts or path.endswith(("/", "/.", "/..")):
            raise ToolError("not_a_file", f"{path} is a folder", help="name a file in it")
        return parts

    def _status(self, name: str, parent: int, path: str) -> os.stat_result:
        with _told(path):
            return os.stat(name, dir_fd=parent, follow_symlinks=False)

    def _require_file(self, status: os.stat_result, path: str) -> None:
        if stat.S_ISLNK(status.st_mode):
            raise self._link(path.rsplit("/", 1)[-1], path)
        if not stat.S_ISREG(status.st_mode):
            raise ToolError("not_a_file", f"{path} is {_kind(status.st_mode)}, no plain file")

    def _require_free(self, name: str, parent: int, path: str) -> None:
        if self._store is not None and self._store.holds(parent, name):
            raise ToolError(
                "store_file", f"{path} is a file that dcc keeps this session in: no tool writes it",
                help="name another file",
            )  # fmt: skip

    @staticmethod
    def _link(name: str, path: str) -> ToolError:
        where = "" if name == path else f" in {path}"
        return ToolError(
            "link", f"{name}{where} is a link, and links are not followed",
            help="name the file that is meant by its own path inside the workspace",
        )  # fmt: skip


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Errors of the system as errors that a model can act upon."""
    try:
        yield
    except OSError as error:
        raise _error(error, path) from None


def _error(error: OSError, path: str) -> ToolError:
    match error.errno:
        case errno.ENOENT:
            return ToolError("not_found", f"there is no {path}", help="look which files there are")
        case errno.ELOOP:
            return Workspace._link(path, path)
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return ToolError("no_access", f"{path} is not accessible: {reason_of(error)}")
        case _:
            return ToolError("failed", f"{path}: {reason_of(error)}")


def _kind(mode: int) -> str:
    return _KINDS.get(stat.S_IFMT(mode), "a plain file" if stat.S_ISREG(mode) else "something else")

