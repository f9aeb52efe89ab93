"""One piece of a text replaced by another, byte by byte: what is not replaced keeps its bytes and its line ends."""

from __future__ import annotations

import difflib
import re

from .arguments import ToolError

#: How many places are named when a piece stands in several.
_NAMED = 5
#: Longest line shown in a message, and most lines looked at for one that is like the piece.
_SHOWN = 120
_LOOKED_AT = 20_000

_END = re.compile(rb"\r?\n")


def replace_once(data: bytes, old: bytes, new: bytes, path: str) -> tuple[bytes, int]:
    """``data`` with ``new`` in the place of ``old``, and the line (from 1) where it begins.

    A line end of ``old`` stands for ``\\n`` and ``\\r\\n`` alike; those of ``new`` become like those of the piece, or
    of the file where the piece has none. Raises ToolError: ``no_old_text``, ``no_change``, ``not_found_text``,
    ``not_unique``.
    """
    if not old:
        raise ToolError("no_old_text", "oldText is empty", help="to write a whole file, use write")
    if _END.sub(b"\n", old) == _END.sub(b"\n", new):
        raise ToolError("no_change", "oldText and newText are the same: nothing was changed")
    pattern = re.compile(rb"\r?\n".join(re.escape(line) for line in _END.split(old)))
    first = pattern.search(data)
    if first is None:
        raise _not_found(data, old, path)
    if _next(pattern, data, first) is not None:
        raise _not_unique(data, pattern, path)
    return data[: first.start()] + _ended_as(new, first.group(), data) + data[first.end() :], _line(data, first.start())


def _next(pattern: re.Pattern[bytes], data: bytes, found: re.Match[bytes]) -> re.Match[bytes] | None:
    """The next place, which may overlap the one found; the ``\\n`` of its ``\\r\\n`` is no place of its own."""
    return pattern.search(data, found.start() + (2 if found.group().startswith(b"\r\n") else 1))


def _ended_as(new: bytes, piece: bytes, data: bytes) -> bytes:
    """``new`` with the line ends of the piece that it replaces, or of the file."""
    sample = piece if b"\n" in piece else data
    if b"\n" not in sample:
        return new
    windows = sample.count(b"\r\n")
    return _END.sub(b"\r\n" if windows * 2 > sample.count(b"\n") else b"\n", new)


def _not_unique(data: bytes, pattern: re.Pattern[bytes], path: str) -> ToolError:
    lines: list[int] = []
    found = pattern.search(data)
    while found is not None and len(lines) <= _NAMED:
        lines.append(_line(data, found.start()))
        found = _next(pattern, data, found)
    more = " and further ones" if len(lines) > _NAMED else ""
    where = ", ".join(map(str, dict.fromkeys(lines[:_NAMED])))
    return ToolError(
        "not_unique", f"oldText stands more than once in {path}: at line {where}{more}",
        help="give more of the lines around it, so that it is the only one",
    )  # fmt: skip


def _not_found(data: bytes, old: bytes, path: str) -> ToolError:
    """What is nearest to the piece: the same but for blanks, or a line like its first."""
    wanted = [line.split() for line in _END.split(old.strip())]
    lines = _END.split(data)[:_LOOKED_AT]
    have = [line.split() for line in lines]
    for at in range(len(have) - len(wanted) + 1):
        if have[at : at + len(wanted)] == wanted:
            return ToolError(
                "not_found_text", f"oldText is not in {path}; line {at + 1} is like it but for its blanks",
                help=f"the line is {_shown(lines[at])}",
            )  # fmt: skip
    texts = [line.decode("utf-8", "replace").strip()[:_SHOWN] for line in lines]
    first = next(line for line in (*_END.split(old), b"") if line.strip() or not line)
    near = difflib.get_close_matches(first.decode("utf-8", "replace").strip()[:_SHOWN], set(texts) - {""}, 1, 0.6)
    if near:
        at = texts.index(near[0])
        return ToolError(
            "not_found_text", f"oldText is not in {path}; line {at + 1} is the nearest to it",
            help=f"the line is {_shown(lines[at])}",
        )  # fmt: skip
    return ToolError("not_found_text", f"oldText is not in {path}", help="read the file, and copy the text from it")


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
