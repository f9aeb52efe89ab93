"""Paths as a model writes them, read as components below the workspace. Nothing is looked up here."""

from __future__ import annotations

from pathlib import PurePosixPath

from .arguments import ToolError

#: Longest path and longest component, in UTF-8 bytes (Linux: PATH_MAX, NAME_MAX).
_LONGEST_PATH = 4096
_LONGEST_NAME = 255


def components(path: str, roots: tuple[str, ...]) -> tuple[str, ...]:
    """The components of ``path`` below the workspace; none: the workspace itself.

    ``roots`` are the absolute names of the workspace. ``.`` and ``..`` are carried out on the text: below the
    workspace no link is followed, so text and folders agree. Raises ToolError (``bad_path``, ``outside``).
    """
    if not path.strip():
        raise ToolError("bad_path", "the path is empty", help="name a file, relative to the workspace")
    try:
        size = len(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        size = 0
    if not size or "\0" in path:
        raise ToolError("bad_path", f"{path!r} is no path: it holds a character that no file name can have")
    if size > _LONGEST_PATH:
        raise ToolError("bad_path", f"the path is longer than {_LONGEST_PATH} bytes")
    if path == "~" or path.startswith("~/"):
        raise _outside(path)
    found: list[str] = []
    for name in _below(path, roots).split("/"):
        if name in ("", "."):
            continue
        if name == "..":
            if not found:
                raise _outside(path)
            found.pop()
            continue
        if len(name.encode("utf-8", "surrogateescape")) > _LONGEST_NAME:
            raise ToolError("bad_path", f"a name in the path is longer than {_LONGEST_NAME} bytes: {name[:40]}…")
        found.append(name)
    return tuple(found)


def _below(path: str, roots: tuple[str, ...]) -> str:
    """``path`` relative to the workspace. ``..`` before the name of the workspace is not guessed at."""
    if not path.startswith("/"):
        return path
    written = PurePosixPath(path)
    for root in roots:
        if written.is_relative_to(root):
            return "/".join(written.relative_to(root).parts)
    raise _outside(path)


def _outside(path: str) -> ToolError:
    return ToolError(
        "outside", f"{path} is outside the workspace", help="give a path inside it, relative to its top folder"
    )
