"""Where sessions live when nobody says otherwise: one file in the user's data folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

#: The environment variable that names another file.
VARIABLE = "DCC_STORE"

_OWN = Path(".dcc", "sessions.db")


def store_file(
    named: Path | None = None, environ: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> Path:
    """The file of sessions: the one that is ``named``, else ``DCC_STORE``, else that of the platform.

    Linux and others: ``$XDG_DATA_HOME`` (XDG Base Directory specification: absolute, else ``~/.local/share``);
    macOS: ``~/Library/Application Support``; Windows: ``%LOCALAPPDATA%``.
    """
    if named is not None:
        return named
    if environ.get(VARIABLE):
        return Path(environ[VARIABLE])
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    if platform == "win32":
        folder = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif platform == "darwin":
        folder = home / "Library" / "Application Support"
    else:
        data = environ.get("XDG_DATA_HOME", "")
        folder = Path(data) if data.startswith("/") else home / ".local" / "share"
    return folder / _OWN


def make_folder(file: Path) -> None:
    """Make the folder of a file of sessions: for its owner alone, since sessions hold what people typed."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
