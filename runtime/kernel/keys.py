"""Keys: what makes two slots speak of the same thing (language.md section 2, key and touch). Pure."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from typing import Any

from .refine import argument


def key_value(field: str | None, args: Mapping[str, Any], folder: str) -> str | None:
    """The value of a slot's key, normalised; None when it has none and stands alone.

    ``field`` is ``args.<path>``. Path-like values are compared without ``./``, ``..`` and doubled slashes, and
    relative to the session's ``folder``.
    """
    if field is None or not field.startswith("args."):
        return None
    value = argument(args, field)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        return findable(json.dumps(value, sort_keys=True, ensure_ascii=False))
    return normal_path(findable(value), folder)


def findable(text: str) -> str:
    """The text as a store can find it again: a lone surrogate (a torn emoji) is no Unicode, and becomes ``\\udc80``."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def normal_path(value: str, folder: str) -> str:
    """A path in the one form that all its spellings share; any other text is hardly changed by it."""
    path = posixpath.normpath(value)
    root = posixpath.normpath(folder) if folder else ""
    if root and path == root:
        return "."
    if root and path.startswith(root.rstrip("/") + "/"):
        return path[len(root.rstrip("/")) + 1 :]
    return path
