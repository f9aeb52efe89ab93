"""Values of front matter: written so that both the original and a YAML reader get the same text back."""

from __future__ import annotations

import json
import re

from .lengths import WHITE

#: Characters for which the original quotes a value (specification of canon, section 2).
_SPECIAL = set(":#[]{}\"',&*!|>%@`\\")

#: Plain values that YAML does not read as the text they are: words, numbers, dates, and what begins a structure.
_NOT_TEXT = re.compile(
    r"[-?](?:\s.*)?|[~=].*|<<|(?i:null|true|false|yes|no|on|off|y|n)|\.(?i:inf|nan)"
    r"|[-+.]?[0-9][0-9a-zA-Z_.+-]*|-{3}.*|\.{3}.*",
    re.ASCII | re.DOTALL,
)

#: What JSON leaves as it is and YAML takes for the end of a line.
_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}

_DATED = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\s+#.*", re.DOTALL)
_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*"|' r"'(?:[^']|'')*')\s*(?:\s#.*)?", re.DOTALL)


def quote_value(value: str) -> str:
    """A value as a front matter line holds it: plain, or as a JSON string where plain would be misread.

    The original quotes less (`~`, `true` and `- x` stay plain there); it reads what is quoted here.
    """
    plain = not _SPECIAL.intersection(value) and value == value.strip(WHITE) and value.isprintable()
    if plain and value and not _NOT_TEXT.fullmatch(value):
        return value
    text = json.dumps(value, ensure_ascii=False)
    for char, escape in _LINE_ENDS.items():
        text = text.replace(char, escape)
    return text


def read_value(written: str) -> str:
    """The text of a written value. In double quotes it is JSON (as it stands when it is not), in single quotes YAML.

    Anything else is itself: `~` and `true` are texts here, as for the original.
    """
    match = _QUOTED.fullmatch(written)
    if match is None:
        dated = _DATED.fullmatch(written)
        return dated[1] if dated else written
    quoted = match[1]
    if quoted[0] == "'":
        return quoted[1:-1].replace("''", "'")
    try:
        value = json.loads(quoted)
    except ValueError:
        return written
    return str(value)


def comment_after(written: str) -> str:
    """The comment, with the blanks before it, that follows a quoted value or a date on its line.

    What looks like one behind another plain value is a part of that, as for the original.
    """
    match = _QUOTED.fullmatch(written) or _DATED.fullmatch(written)
    return written[match.end(1) :].rstrip() if match else ""


def read_list(written: str) -> tuple[str, ...] | None:
    """The texts of a list such as `[a, "b,c", 'd']`; None when it is not one.

    Elements may be quoted wherever they stand (the original misreads those after the first).
    """
    if not (written.startswith("[") and written.endswith("]")):
        return None
    found: list[str] = []
    at, end = 1, len(written) - 1
    while at < end:
        item = _ITEM.match(written, at, end)
        if item is None:
            return None
        text = item["quoted"] or item["plain"].strip(WHITE)
        if text:
            found.append(read_value(text))
        at = item.end()
    return tuple(found)


_ITEM = re.compile(r"""\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*|(?P<plain>[^,]*))(?:,|$)""")
