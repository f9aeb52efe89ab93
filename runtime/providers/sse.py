"""Server-sent events: bytes in pieces of any size to events (WHATWG HTML, section 9.2). Linear in the stream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """One event: its type (``message`` when it names none) and its data, lines joined."""

    type: str
    data: str


def events(chunks: Iterable[bytes]) -> Iterator[Event]:
    """The events of a stream. One that is cut off before its blank line is none, as the standard says."""
    type, data = "", list[str]()
    for line in _lines(chunks):
        if not line:
            if data:
                yield Event(type or "message", "\n".join(data))
            type, data = "", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            type = value
        elif field == "data":
            data.append(value)


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The finished lines. A line in many pieces is joined once; its characters are decoded when it is whole."""
    pending: list[bytes] = []
    after_cr = False
    first = True
    for chunk in chunks:
        if not chunk:
            continue
        piece = chunk[1:] if after_cr and chunk.startswith(b"\n") else chunk
        after_cr = chunk.endswith(b"\r")
        *finished, rest = _LINE_END.split(piece)
        for line in finished:
            whole = b"".join((*pending, line))
            pending.clear()
            yield (whole.removeprefix(_BOM) if first else whole).decode("utf-8", "replace")
            first = False
        pending.append(rest)
