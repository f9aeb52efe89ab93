"""The file in which the health of profiles is shared between processes: mode 0600, changed under a lock.

It holds times and counts, never a key. A file that cannot be read is begun anew: the worst that comes of it is a
request to a profile that still cools.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from itertools import chain
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

from ....compiler.reading import refuse_pipe
from .profile import Health, Rest

VERSION: Final = 1

#: Longest time that a change waits for another one, in seconds.
PATIENCE_S: Final = 2.0
_PAUSE_S: Final = 0.01

#: Bytes that are read: far more than all profiles that anybody has, and little enough to be read at every call.
_LONGEST: Final = 1 << 20

_FIELDS: Final = frozenset(field.name for field in fields(Health))


class ProfileState:
    """The health of all profiles, in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, Health]:
        """The health of each profile that anything is known of."""
        try:
            refuse_pipe(self._path)
            with self._path.open("rb") as stream:
                data = stream.read(_LONGEST + 1)
            document = json.loads(data) if len(data) <= _LONGEST else {}
            found = document["profiles"] if document["version"] == VERSION else {}
            return {name: _health(data) for name, data in found.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def change(self, name: str, step: Callable[[Health], Health]) -> Health:
        """Put ``step`` of a profile's health in its place, whole, whoever else changes the file meanwhile.

        Raises OSError when the file cannot be written, or another process holds its lock for ``PATIENCE_S``.
        """
        with self._locked():
            health = self.read()
            health[name] = step(health.get(name) or Health())
            self._write(health)
            return health[name]

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
            yield
        finally:
            os.close(descriptor)

    def _write(self, health: Mapping[str, Health]) -> None:
        document = {"version": VERSION, "profiles": {name: _plain(one) for name, one in sorted(health.items())}}
        # mkstemp makes the file with mode 0600.
        descriptor, fresh = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                json.dump(document, stream, ensure_ascii=False, indent=1, sort_keys=True)
            os.replace(fresh, self._path)
        except BaseException:
            os.unlink(fresh)
            raise


def _lock(descriptor: int) -> None:
    """Wait for the lock, not for ever: a change takes some milliseconds, who holds it longer has stopped in it."""
    until = monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= until:
                raise
            sleep(_PAUSE_S)
        else:
            return


def _plain(health: Health) -> dict[str, Any]:
    return {name: value for name, value in asdict(health).items() if value}


def _health(data: Mapping[str, Any]) -> Health:
    known = {name: value for name, value in data.items() if name in _FIELDS}
    models = {model: Rest(*rest) for model, rest in known.pop("models", {}).items()}
    if not all(isinstance(value, int | float) for value in (*known.values(), *chain.from_iterable(models.values()))):
        raise ValueError("a time is no number")
    return Health(**known, models=models)
