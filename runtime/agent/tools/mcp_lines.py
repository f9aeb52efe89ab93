"""The text of an MCP server, in whole lines.

The SDK puts what has come of a line together anew with each piece, which takes time by the square of the line: 30 MB
took half a minute. It may be told an encoding, and this one is UTF-8 that gives nothing before a line is whole. In
the place of a line that is too long it gives a message of its own, and nothing after it: the SDK would wait out what
the server writes before it heard of an error.
"""

from __future__ import annotations

import codecs
from typing import Final

#: The name of the encoding, for Python's registry of codecs.
ENCODING: Final = "dcc_whole_lines"

#: The longest line that is waited for, in bytes; the base64 of the largest image that is kept is a tenth of it.
LONGEST_LINE: Final = 64 * 1024 * 1024

#: The method of the message that stands in the place of a longer one.
TOO_LONG: Final = "dcc/line_too_long"


class _Decoder(codecs.IncrementalDecoder):
    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._pieces: list[bytes] = []
        self._size = 0

    def decode(self, data: bytes, final: bool = False) -> str:  # type: ignore[override]  # typeshed: any buffer
        end = len(data) if final else data.rfind(b"\n") + 1
        if self._size > LONGEST_LINE:
            return ""
        if not end and not final:
            self._size += len(data)
            self._pieces.append(data)
            if self._size <= LONGEST_LINE:
                return ""
            self._pieces.clear()
            return f'{{"jsonrpc": "2.0", "method": "{TOO_LONG}"}}\n'
        whole = b"".join((*self._pieces, data[:end]))
        self._pieces, self._size = [data[end:]], len(data) - end
        return whole.decode("utf-8", self.errors)


def _find(name: str) -> codecs.CodecInfo | None:
    if name != ENCODING:
        return None
    utf_8 = codecs.lookup("utf-8")
    return codecs.CodecInfo(utf_8.encode, utf_8.decode, incrementaldecoder=_Decoder, name=ENCODING)


codecs.register(_find)
