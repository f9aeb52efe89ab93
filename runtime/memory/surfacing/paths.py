"""Which paths a tool call names: found in its arguments alone, never in results or prose (specification, 7.1)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ....grammar.canon.lengths import WHITE

#: A text that is a path as a whole is shorter than this, in characters.
LONGEST: Final = 512

#: Characters of a text in which paths are looked for.
LONGEST_TEXT: Final = 1 << 20

#: Different candidates that are looked for on disk for one call: the text of a large file may hold thousands.
MOST: Final = 500

# Words joined by slashes, at the start or behind what may stand before a path in a command or in JSON.
_TOKEN = re.compile(r"(?:^|(?<=[\s\"'\\`=:,(\[{<>|;&]))/?[\w.@-]+(?:/[\w.@-]+)+")

# How a patch names the files that it changes: in a line of their own, whatever they are called.
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)

#: Arguments by which a tool is told where to work.
_WHERE: Final = ("workdir", "cwd")


def strings_in(value: object) -> Iterator[str]:
    """All texts in arguments, in their order; names of fields are none."""
    held, seen = [iter((value,))], set[int]()
    while held:
        for one in held[-1]:
            if isinstance(one, str):
                yield one
            elif isinstance(one, Mapping | list | tuple) and id(one) not in seen:
                seen.add(id(one))
                held.append(iter(one.values() if isinstance(one, Mapping) else one))
                break
        else:
            held.pop()


def paths_in(arguments: object, *folders: str) -> tuple[str, ...]:
    """The paths that arguments name and that exist, or could be made: absolute, each once, in order of discovery.

    A relative path is below the first of the ``folders`` below which it counts. One counts if it exists, or if it has
    a slash and its parent folder exists: a file about to be made.
    """
    found: dict[str, None] = {}
    tried: set[str] = set()
    for candidate in _candidates(strings_in(arguments)):
        if candidate in tried:
            continue
        if len(tried) == MOST:
            break
        tried.add(candidate)
        paths = (os.path.normpath(os.path.join(folder, candidate)) for folder in folders)
        path = next((path for path in paths if _counts(path, "/" in candidate)), None)
        if path is not None:
            found[path] = None
    return tuple(found)


def folders_in(arguments: Mapping[str, object], folder: str) -> tuple[str, ...]:
    """The folders in which arguments tell a tool to work; a relative one is below ``folder``."""
    named = (arguments.get(name) for name in _WHERE)
    return tuple(os.path.join(folder, one) for one in named if isinstance(one, str) and one)


def _candidates(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        whole = text.strip(WHITE)
        if whole and len(whole) < LONGEST and "\n" not in whole:
            yield whole.replace("\\", "/")
        for match in _PATCHED.finditer(text, 0, LONGEST_TEXT):
            yield match[1].strip(WHITE)
        for match in _TOKEN.finditer(text, 0, LONGEST_TEXT):
            token = match.group()
            yield token
            # Behind a line break that was written as an escape, its letter stands before the path.
            if match.start() and text[match.start() - 1] == "\\" and token[0] in "nrt":
                yield token[1:]


def _counts(path: str, has_slash: bool) -> bool:
    try:
        return os.path.lexists(path) or (has_slash and os.path.isdir(os.path.dirname(path)))
    except (OSError, ValueError):
        return False
