"""Where derived indexes lie: in the user's cache folder, never in a store, so that any of them may be deleted."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping

#: The environment variable that names another folder.
VARIABLE = "DCC_CACHE"


def cache_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str:
    """The folder of indexes: below ``DCC_CACHE``, else below that of the platform.

    Linux and others: ``$XDG_CACHE_HOME`` (XDG Base Directory specification: absolute, else ``~/.cache``);
    macOS: ``~/Library/Caches``; Windows: ``%LOCALAPPDATA%``.
    """
    if environ.get(VARIABLE):
        return os.path.join(environ[VARIABLE], "canon")
    home = environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")
    if platform == "win32":
        folder = os.path.join(environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local"), "dcc", "cache")
    elif platform == "darwin":
        folder = os.path.join(home, "Library", "Caches", "dcc")
    else:
        named = environ.get("XDG_CACHE_HOME", "")
        folder = os.path.join(named if named.startswith("/") else os.path.join(home, ".cache"), "dcc")
    return os.path.join(folder, "canon")


def index_file(cache: str, folder: str) -> str:
    """The file of the index of a folder of documents: the same by whatever way the folder is reached."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:32]
    return os.path.join(cache, f"{name}.index")
