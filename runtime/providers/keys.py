"""Keys: from the environment, or from a file that nobody else can read. A key is never shown."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...compiler.reason import reason_of
from .errors import ProviderError

#: Longest key file that is read, in bytes.
LONGEST = 16_384


@dataclass(frozen=True, slots=True)
class Key:
    """A secret. Its value is not in its ``repr``, so no message, log or traceback can show it by accident."""

    value: str = field(repr=False)

    def scrub(self, text: str) -> str:
        """``text`` with the key taken out: some servers repeat it in their errors."""
        return text.replace(self.value, "[key]")


def key_from_environment(name: str, environ: Mapping[str, str]) -> Key:
    """The key in an environment variable. Raises ProviderError (``auth``) when there is none."""
    value = environ.get(name, "").strip()
    if not value:
        raise ProviderError(
            "auth", f"there is no key: the environment variable {name} is not set",
            help=f"set {name}, or name a file of mode 0600 in provider.key_file",
        )  # fmt: skip
    return _key(value, f"the environment variable {name}")


def key_from_file(path: str) -> Key:
    """The key in a file of mode 0600 or narrower. Raises ProviderError (``auth``)."""
    file = Path(os.path.expanduser(path))  # A home that is not there stays as it is written, and is no file.
    try:
        # O_NONBLOCK: opening a pipe by that name must not wait for a writer.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise ProviderError(
            "auth", f"the key file {file} cannot be read: {reason_of(error)}",
            help="write the key into it, or set provider.key_env instead",
        ) from None  # fmt: skip
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise ProviderError("auth", f"the key file {file} is not a plain file", help="name a file")
        mode = stat.S_IMODE(state.st_mode)
        # Elsewhere the mode bits say nothing about who can read a file.
        if os.name == "posix" and mode & 0o077:
            raise ProviderError(
                "auth", f"the key file {file} has mode {mode:04o}, so others can get at the key",
                help=f"run: chmod 600 {file}",
            )  # fmt: skip
        value = os.read(descriptor, LONGEST).decode("utf-8", "replace").strip()
    finally:
        os.close(descriptor)
    if not value:
        raise ProviderError("auth", f"the key file {file} is empty", help="write the key into it, on one line")
    return _key(value, f"the key file {file}")


def _key(value: str, where: str) -> Key:
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise ProviderError(
            "auth", f"what {where} holds is no key: it has blanks, line ends or letters that no header can carry",
            help="keep the key alone there, on one line",
        )  # fmt: skip
    return Key(value)
