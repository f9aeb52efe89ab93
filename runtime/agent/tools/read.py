"""``read``: a text file of the workspace, or a part of it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from io import FileIO
from typing import Any, Final, NamedTuple

from ....compiler.reason import reason_of
from .arguments import ToolError, read_arguments
from .tool import AgentTool, ToolContext, ToolOutput, failed

#: Most lines and most bytes of one answer: what a model can take in, and a share of a small window.
MOST_LINES: Final = 2000
MOST_BYTES: Final = 50_000

_BLOCK: Final = 1 << 16

#: A file is taken for text when its first bytes hold no NUL.
_LOOKED_AT: Final = 8192

BOM: Final = b"\xef\xbb\xbf"

PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "The file, relative to the workspace."},
        "offset": {"type": "integer", "minimum": 1, "description": "The first line to read, from 1."},
        "limit": {"type": "integer", "minimum": 1, "description": f"How many lines, at most {MOST_LINES}."},
    },
    "required": ["path"],
    "additionalProperties": False,
}

DESCRIPTION: Final = (
    f"Read a text file of the workspace. At most {MOST_LINES} lines or {MOST_BYTES} bytes come at a time; a last line "
    "in brackets says what is left and with which offset to go on."
)


class _Part(NamedTuple):
    """What was read: its bytes, its lines, where it ends in the file, whether a line was cut."""

    data: bytes
    lines: int
    end: int
    is_cut: bool


def _run(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    try:
        given = read_arguments(PARAMETERS, arguments)
        path, offset = given["path"], given.get("offset", 1)
        limit = min(given.get("limit", MOST_LINES), MOST_LINES)
        with context.workspace.reading(path) as file:
            return _read(file, path, offset, limit, context)
    except ToolError as error:
        return failed(error.message, error.help)
    except OSError as error:
        return failed(f"{arguments.get('path')} cannot be read: {reason_of(error)}")


def _read(file: FileIO, path: str, offset: int, limit: int, context: ToolContext) -> ToolOutput:
    size = os.fstat(file.fileno()).st_size
    start = file.read(_LOOKED_AT)
    if b"\0" in start:
        raise ToolError("binary", f"{path} is binary ({size} bytes): it cannot be read as text")
    file.seek(len(BOM) if start.startswith(BOM) else 0)
    if not _skip(file, offset - 1, path, context):
        return ToolOutput(f"[{path} has fewer than {offset} lines]" if size else f"[{path} is empty]")
    part = _take(file, limit)
    if not part.data:
        return ToolOutput(f"[{path} is empty]" if offset == 1 else f"[{path} has {offset - 1} lines]")
    if b"\0" in part.data:
        raise ToolError("binary", f"{path} is binary ({size} bytes): it cannot be read as text")
    text = part.data.decode("utf-8", "replace")
    return ToolOutput("\n".join([text.removesuffix("\n"), *_notes(part, text, offset, size)]))


def _notes(part: _Part, text: str, offset: int, size: int) -> list[str]:
    """The lines in brackets: what is left out, what is not as it is in the file."""
    notes = []
    if part.is_cut:
        notes.append(f"[line {offset} is longer than {MOST_BYTES} bytes: the rest of it is left out]")
    left = size - part.end
    if left > 0 and not part.is_cut:
        notes.append(f"[{left} of {size} bytes are left: go on with offset={offset + part.lines}]")
    elif left > 0:
        notes.append(f"[the next line is offset={offset + 1}, if there is one; {left} of {size} bytes are left]")
    if "\ufffd" in text and b"\xef\xbf\xbd" not in part.data:
        notes.append("[some bytes are not UTF-8; \ufffd stands for them]")
    return notes


def _skip(file: FileIO, lines: int, path: str, context: ToolContext) -> bool:
    """Go to behind so many lines; False when there are not so many."""
    until = time.monotonic() + context.deadline_s
    while lines:
        at = file.tell()
        block = file.read(_BLOCK)
        if not block:
            return False
        found = block.count(b"\n")
        if found >= lines:
            end = -1
            for _ in range(lines):
                end = block.index(b"\n", end + 1)
            file.seek(at + end + 1)
            return True
        lines -= found
        if context.abort.is_set or time.monotonic() > until:
            raise ToolError("stopped", f"reading {path} was stopped on the way to that line")
    return True


def _take(file: FileIO, limit: int) -> _Part:
    """Up to ``limit`` whole lines and ``MOST_BYTES`` bytes from here on."""
    begun = file.tell()
    data = b""
    while len(data) <= MOST_BYTES and data.count(b"\n") < limit and (block := file.read(_BLOCK)):
        data += block
    lines = _lines(data)
    taken: list[bytes] = []
    room = MOST_BYTES
    for line in lines[:limit]:
        if len(line) > room:
            break
        taken.append(line)
        room -= len(line)
    if lines and not taken:
        cut = _whole_characters(lines[0][:MOST_BYTES])
        return _Part(cut, 1, begun + len(cut), is_cut=True)
    kept = b"".join(taken)
    return _Part(kept, len(taken), begun + len(kept), is_cut=False)


def _lines(data: bytes) -> list[bytes]:
    """The lines of ``data``, ended by ``\\n`` alone, as offsets count them."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _whole_characters(data: bytes) -> bytes:
    """``data`` without a character that its end cuts in two (UTF-8: at most 3 bytes)."""
    for end in range(len(data), max(len(data) - 4, 0), -1):
        try:
            data[:end].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return data[:end]
    return data


READ: Final = AgentTool("read", DESCRIPTION, PARAMETERS, _run)
