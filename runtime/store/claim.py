"""A claim on a session: while a chat or a run goes on in it, nobody else may write in it.

Without it a second run would take the first one's open turn for one that a crash had left, and commit it, and a chat
would find at its next message that somebody else had gone on with its session.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from ...compiler.reason import reason_of
from ..errors import StoreError

#: What claims a session: a conversation, one prompt, or a verb that makes or deletes the whole of it.
Claimant = Literal["chat", "run", "fork", "import", "deletion"]

#: How a person gets on beside each claimant, and what who is refused may do instead.
_OVER: Final[Mapping[str, str]] = {"chat": "leave it first"}
_INSTEAD: Final[Mapping[Claimant, str]] = {
    "chat": ", or name another session: --session ID", "run": ", or name another session: --session ID",
    "fork": ", or give another id: --id ID", "import": ", or give another id: --id ID", "deletion": "",
}  # fmt: skip

#: What file systems without locks say; there the sequence numbers of the events are all that keeps two writers apart.
_NO_LOCKS: Final = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL)

#: What the name of a claim has behind that of its file of sessions.
_SUFFIX: Final = re.compile(r"\.[0-9a-f]{16}\.lock")


@contextmanager
def claimed(file: Path | str, session: str, by: Claimant) -> Iterator[None]:
    """Claim a session of a file of sessions, while this is entered; the system ends the claim of a process that dies.

    The session need not be there yet. Raises StoreError: ``session_in_use`` at once when another one has it,
    ``store_failed`` where no file can be made.
    """
    real = Path(os.path.realpath(file))
    lock = real.with_name(f"{real.name}.{hashlib.sha256(session.encode()).hexdigest()[:16]}.lock")
    descriptor = _locked(lock, session, by)
    try:
        yield
    finally:
        # Removed while it is held: who opens it from now on makes one of their own.
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def is_claim(name: str, file: str) -> bool:
    """Whether a file is a claim on a session of the file of sessions ``file`` beside it, by their names."""
    return name.startswith(file) and _SUFFIX.fullmatch(name, len(file)) is not None


def _locked(lock: Path, session: str, by: Claimant) -> int:
    """A descriptor that holds the lock of this name, and says whose it is."""
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise StoreError(
                "store_failed", f"{lock} cannot be made: {reason_of(error)}",
                help="name a file of sessions in a folder that may be written to: --store FILE",
            ) from None  # fmt: skip
        try:
            _lock(descriptor, session, by)
            if _is_at(lock, descriptor):
                os.truncate(descriptor, 0)
                os.write(descriptor, f"{by} {os.getpid()}".encode())
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int, session: str, by: Claimant) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _in_use(session, os.pread(descriptor, 40, 0).decode("ascii", "replace"), by) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


def _in_use(session: str, owner: str, by: Claimant) -> StoreError:
    """The refusal, in one line; ``owner``: what the one who has it wrote, nothing where it has only just got it."""
    who, _, process = owner.partition(" ")
    named = f"{'an' if who[:1] in 'aeiou' else 'a'} {who}" if process.isdigit() else "another process"
    where = f"session {session}" + (f" (process {process})" if process.isdigit() else "")
    over = _OVER.get(who, "wait until it has ended")
    return StoreError("session_in_use", f"{named} is going on in {where}: {over}{_INSTEAD[by]}")


def _is_at(lock: Path, descriptor: int) -> bool:
    """Whether the name still stands for this file: who held it may just have removed it."""
    try:
        return os.path.samestat(os.stat(lock), os.fstat(descriptor))
    except FileNotFoundError:
        return False
