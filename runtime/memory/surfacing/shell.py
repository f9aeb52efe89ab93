"""Whether a shell command may change files (specification, 7.5).

The original looks for a few words at the start of a command. Here the command is read as a shell reads it, so that
redirection, ``tee``, ``xargs``, absolute paths, prefixes of the environment, subshells and ``git -C`` are seen too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import dropwhile
from typing import Final

from .words import Command, commands_in

#: Programs that change files whatever their arguments.
CHANGERS: Final = frozenset(
    {
        "apply_patch", "cp", "mv", "rm", "mkdir", "rmdir", "touch", "chmod", "chown", "ln", "install",
        "truncate", "dd", "patch", "unlink", "shred",
    }
)  # fmt: skip

#: Subcommands of git that change files of the working tree.
OF_GIT: Final = frozenset(
    {
        "apply", "checkout", "restore", "reset", "clean", "mv", "rm",
    }
)  # fmt: skip

#: Where output goes that is not kept.
_NOWHERE: Final = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-"})

#: Programs that run the command behind them; how many words of their own they take beside options.
_WRAPPERS: Final = {
    "sudo": 0, "doas": 0, "env": 0, "nohup": 0, "time": 0, "command": 0, "builtin": 0, "exec": 0, "nice": 0,
    "ionice": 0, "stdbuf": 0, "setsid": 0, "timeout": 1, "xargs": 0, "!": 0, "then": 0, "do": 0, "else": 0, "if": 0,
    "elif": 0, "while": 0, "until": 0,
}  # fmt: skip

#: Their options that take the word behind them.
_WITH_VALUE: Final = {
    "sudo": "ugpCDhrtT", "doas": "uC", "env": "uCS", "nice": "n", "ionice": "cnp", "stdbuf": "ioe", "timeout": "ks",
    "xargs": "IEdLnPsa",
}  # fmt: skip

_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
_ACTIONS_OF_FIND: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_OPTIONS_OF_GIT: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})

#: Commands in commands in commands: nobody writes more.
_DEEPEST: Final = 8


def shell_changes(text: str, depth: int = 0) -> bool:
    """Whether a text of shell commands may change files."""
    return any(_changes(command, depth) for command in commands_in(text))


def _changes(command: Command, depth: int) -> bool:
    if any(target not in _NOWHERE for target in command.outputs):
        return True
    words = _unwrapped(command.words)
    if not words or depth > _DEEPEST:
        return False
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name in CHANGERS:
        return True
    match name:
        case "tee":
            return any(not word.startswith("-") and word not in _NOWHERE for word in rest)
        case "sed":
            return any(word.startswith("--in-place") or _has_flag(word, "i", "efl") for word in rest)
        case "perl" | "ruby":
            return any(_has_flag(word, "i", "eEIMm") for word in rest)
        case "git":
            return _subcommand(rest) in OF_GIT
        case "find":
            return "-delete" in rest or any(_changes(Command(words), depth + 1) for words in _executed(rest))
        case "eval":
            return shell_changes(" ".join(dropwhile("eval".__eq__, rest)), depth + 1)
    if name in _SHELLS:
        return any(shell_changes(text, depth + 1) for text in _scripts(rest))
    return False


def _unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without what only prepares it: assignments, and programs that run it."""
    at = 0
    while at < len(words):
        name = words[at].rpartition("/")[2]
        if _ASSIGNED.match(words[at]):
            at += 1
        elif name in _WRAPPERS:
            at = _behind_options(words, at + 1, _WITH_VALUE.get(name, "")) + _WRAPPERS[name]
        else:
            break
    return words[at:]


def _behind_options(words: tuple[str, ...], at: int, with_value: str) -> int:
    """Where the options that begin at a place end; ``with_value``: the letters of those that take the next word."""
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        option = words[at]
        at += 1
        if option == "--":
            break
        if len(option) == 2 and option[1] in with_value:
            at += 1
    return at


def _has_flag(word: str, flag: str, ending: str) -> bool:
    """Whether a cluster of short options has a flag, before one of those whose value is the rest of the word."""
    if not word.startswith("-") or word.startswith("--"):
        return False
    for char in word[1:]:
        if char == flag:
            return True
        if char in ending or not char.isalnum():
            return False
    return False


def _subcommand(words: tuple[str, ...]) -> str:
    position = 0
    while position < len(words) and words[position].startswith("-"):
        position += 2 if words[position] in _OPTIONS_OF_GIT else 1
    return words[position] if position < len(words) else ""


def _executed(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The commands that ``find`` runs: what stands between an action and the `;` or `+` that closes it."""
    at = 0
    while at < len(words):
        at += 1
        if words[at - 1] in _ACTIONS_OF_FIND:
            start = at
            while at < len(words) and words[at] not in (";", "+"):
                at += 1
            yield words[start:at]


def _scripts(words: tuple[str, ...]) -> Iterator[str]:
    """The texts that a shell is given to run: ``bash -lc '…'``."""
    for position, word in enumerate(words[:-1]):
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            yield words[position + 1]
            return
