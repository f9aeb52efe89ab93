"""A claim on a session: while a run goes on in it, no other one may begin.

Without it the second run would take the first one's open turn for one that a crash had left, and commit it.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import StoreError

#: What file systems without locks say; there the sequence numbers of the events are all that keeps two writers apart.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL)


@contextmanager
def claimed(file: Path, session: str) -> Iterator[None]:
    """Claim a session of a file of sessions, while this is entered; the system ends the claim of a process that dies.

    Raises StoreError: ``session_in_use`` at once when another one has it, ``store_failed`` where no file can be made.
    """
    real = Path(os.path.realpath(file))
    lock = real.with_name(f"{real.name}.{hashlib.sha256(session.encode()).hexdigest()[:16]}.lock")
    descriptor = _locked(lock, session)
    try:
        yield
    finally:
        # Removed while it is held: who opens it from now on makes one of their own.
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(lock: Path, session: str) -> int:
    """A descriptor that holds the lock of this name, and says whose it is."""
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise StoreError(
                "store_failed", f"{lock} cannot be made: {(error.strerror or 'it failed').lower()}",
                help="name a file of sessions in a folder that may be written to: --store FILE",
            ) from None  # fmt: skip
        try:
            _lock(descriptor, session)
            if _is_at(lock, descriptor):
                os.truncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int, session: str) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(descriptor, 20, 0).decode("ascii", "replace")
        by = f" (process {owner})" if owner.isdigit() else ""
        raise StoreError(
            "session_in_use", f"a run is going on in session {session}{by}",
            help="wait until it has ended, or name another session: --session ID",
        ) from None  # fmt: skip
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


def _is_at(lock: Path, descriptor: int) -> bool:
    """Whether the name still stands for this file: who held it may just have removed it."""
    try:
        return os.path.samestat(os.stat(lock), os.fstat(descriptor))
    except FileNotFoundError:
        return False
