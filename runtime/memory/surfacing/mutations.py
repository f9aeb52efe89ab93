"""Which tool calls may change assets, so that the articles that govern them may have to be updated (7.5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from .paths import strings_in
from .shell import shell_changes

#: What the names of tools that change files end with, as whole words written together.
CHANGERS: Final = frozenset(
    {
        "applypatch", "write", "writefile", "overwrite", "edit", "editfile", "multiedit", "notebookedit",
        "createfile", "deletefile", "movefile", "renamefile", "replaceinfile", "strreplaceeditor",
        "strreplacebasededittool",
    }
)  # fmt: skip

#: Words at the end of a name that are looked at; the longest of these names have five.
_LAST_WORDS: Final = 8

#: The same of tools that run commands.
SHELLS: Final = frozenset(
    {
        "bash", "shell", "exec", "execcommand", "executecommand", "runcommand", "shellcommand", "terminal",
        "terminalcmd",
    }
)  # fmt: skip

#: Fields that hold what is run; without any of them all texts are looked at.
_RUN: Final = ("command", "cmd", "commands", "script", "code", "input", "args")

#: Commands of editors that only look.
_LOOKS: Final = frozenset({"view"})

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

#: How a script that calls tools changes files.
_BY_SCRIPT: Final = "tools.apply_patch("


def mutates(tool: str, arguments: Mapping[str, object]) -> bool:
    """Whether a call may change files: it writes or edits, or runs a command that does. Other tools never do.

    The end of a name counts as whole words: `credit` does not end in `edit`, as it does for the original.
    """
    words = [word.lower() for word in _WORDS.findall(tool)][-_LAST_WORDS:]
    ends = {"".join(words[start:]) for start in range(len(words))}
    if ends & CHANGERS:
        command = arguments.get("command")
        return not (isinstance(command, str) and command in _LOOKS)
    if not ends & SHELLS:
        return False
    run = [text for key in _RUN if key in arguments for text in strings_in(arguments[key])]
    texts = run or list(strings_in(arguments))
    return any(_BY_SCRIPT in text for text in texts) or shell_changes("\n".join(texts))
