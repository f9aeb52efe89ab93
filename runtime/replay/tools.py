"""What tools of coding agents do to files: which call reads a path, which one replaces a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..kernel.keys import normal_path

#: Edit tools and the argument that holds the text to replace (contracts.md, evidence).
OLD_TEXT: Final = {"edit": "oldText", "Edit": "old_string", "str_replace_editor": "old_str"}

#: Tools that read the file named by one of PATHS.
READERS: Final = frozenset({"read", "Read", "read_file", "ReadFile", "view", "View", "cat", "open_file"})
PATHS: Final = ("path", "file_path", "filePath", "filename", "file")


def old_text_of(tool: str, args: Mapping[str, Any]) -> str | None:
    """The text that a call wants to replace; None when the call is no edit, or says none."""
    text = args.get(OLD_TEXT[tool]) if tool in OLD_TEXT else None
    return text if isinstance(text, str) else None


def path_read(tool: str, args: Mapping[str, Any], folder: str) -> str | None:
    """The path that a call reads, in the form that all its spellings share; None when it reads none."""
    views = tool == "str_replace_editor" and args.get("command") == "view"
    if tool not in READERS and not views:
        return None
    path = next((args[name] for name in PATHS if isinstance(args.get(name), str)), "")
    return normal_path(path, folder) if path else None
