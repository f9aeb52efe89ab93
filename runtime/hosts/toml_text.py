"""TOML as text: a block of our own at the end, and marked lines in tables of others; every other byte stays."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

from ...grammar.errors import DccError

BEGIN: Final = "# dcc canon: begin"
END: Final = "# dcc canon: end"

#: Behind ``BEGIN``: the line before had no end when the block came.
_JOINED: Final = " (its line end, too)"

MARK: Final = "  # dcc canon"

_BLOCK = re.compile(
    rf"(?:\r?\n\r?\n{BEGIN}{re.escape(_JOINED)}|(?:(?<=\n)\r?\n|\A)?^{BEGIN})\r?\n.*?^{END}\r?(?:\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_MARKED = re.compile(rf"^[^\n]*{MARK}\r?\n", re.MULTILINE)


def parse(text: str) -> dict[str, Any]:
    """The values of a text. Raises DccError (``bad_toml``)."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise DccError("bad_toml", f"this is not valid TOML: {error}", help="mend it by hand first") from None


def without_ours(text: str) -> str:
    """The text without our block and our lines."""
    return _MARKED.sub("", _BLOCK.sub("", text))


def with_block(text: str, lines: str) -> str:
    """The text with a block of our own at its end."""
    line = "\r\n" if "\r\n" in text else "\n"
    joined = bool(text) and not text.endswith("\n")
    before = line * (joined + bool(text))
    block = "\n".join((BEGIN + _JOINED * joined, lines, END, "")).replace("\n", line)
    return text + before + block


def with_line(text: str, table: str, assignment: str) -> str:
    """The text with a line right behind the header of a table, which must be there."""
    line = "\r\n" if "\r\n" in text else "\n"
    header = re.compile(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\][^\n]*(\n|\Z)", re.MULTILINE)
    match = header.search(text)
    if match is None:
        raise DccError("bad_toml", f"[{table}] has no line of its own", help=f"add {assignment} by hand")
    before = "" if match.group(1) else line
    return f"{text[: match.end()]}{before}{assignment}{MARK}{line}{text[match.end() :]}"
