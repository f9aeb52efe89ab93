"""Text of a ruleset -> YAML nodes: one pass of the C parser, with every failure as a problem."""

from __future__ import annotations

import re

import yaml

from ..grammar.spans import Span
from .problem import Mend, Problem
from .source import BOM

#: Longest ruleset, in characters. Twelve thousand rules take about 1.2 million.
MAX_TEXT = 4_000_000

#: A text of that length has at most so many bytes: four a character, and three of a byte order mark.
MAX_BYTES = 4 * MAX_TEXT + 3

#: The pure Python parser words errors better, but is slow: it re-reads texts up to this length only.
MAX_REREAD = 100_000

UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")

_HELP = (
    ("tab", "indent with spaces"),
    ("'\\t'", "indent with spaces"),
    ("mapping values are not allowed", "quote a value that holds `: `, or check the indentation"),
    ("expected ',' or ']'", "close the list with `]`, and put `,` between its items"),
    ("expected ',' or '}'", "close the mapping with `}`, and put `,` between its entries"),
    ("could not find expected ':'", "write `key: value`"),
    ("undefined alias", "define the anchor with `&name` above its first use"),
    ("single document", "keep one ruleset in a file: remove the `---` line and what follows it"),
    ("unexpected end of stream", "close the quote"),
    ("expected <block end>", "check the indentation: entries of one mapping start in one column"),
    ("<stream end>", "close the bracket that is still open"),
    ("duplicate anchor", "give each anchor a name of its own"),
)


def decode(data: bytes) -> tuple[str, list[Problem]]:
    """The text of a file: UTF-8, with or without a byte order mark."""
    if len(data) > MAX_BYTES:
        return "", [_too_long(f"more than {MAX_BYTES:,} bytes")]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "", [_not_utf8("the file is UTF-16, expected UTF-8")]
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        if b"\x00" in data[:4096]:
            return "", [_not_utf8("the file is binary, expected text in UTF-8")]
        text = data[: error.start].decode("utf-8")
        message = f"byte {data[error.start]:#04x} is not UTF-8"
        where = Span(len(text), len(text))
        return text, [Problem("not-utf8", message, where, help="save the file as UTF-8")]


def _not_utf8(message: str) -> Problem:
    return Problem("not-utf8", message, Span(0, 0), help="save it as a UTF-8 text file")


def _too_long(has: str) -> Problem:
    message = f"the file has {has}, the limit is {MAX_TEXT:,} characters"
    return Problem("too-large", message, Span(0, 0), help="split it and join the parts by `extends`")


def compose(text: str) -> tuple[yaml.Node | None, list[Problem]]:
    """The node tree of a text; None with a problem when there is none, None alone when it is empty."""
    shift = 1 if text.startswith(BOM) else 0
    if len(text) > MAX_TEXT:
        return None, [_too_long(f"{len(text):,} characters")]
    if bad := UNREADABLE.search(text):
        message = f"control character U+{ord(bad[0]):04X} is not allowed in YAML"
        where = Span(bad.start(), bad.end())
        mend = Mend("remove it", False, ((where, ""),))
        help = "remove it, or write it as an escape"
        return None, [Problem("control-character", message, where, help=help, mends=(mend,))]
    body = text[shift:]
    try:
        return yaml.compose(body, Loader=yaml.CSafeLoader), []
    except yaml.YAMLError as error:
        return None, [_syntax_problem(body, error, shift)]


def _syntax_problem(body: str, error: yaml.YAMLError, shift: int) -> Problem:
    """The problem of a text that does not parse, in the words of the parser that words it best."""
    if "maximum nesting depth" in str(error):
        return too_deep(_mark(error, body, shift))
    if len(body) <= MAX_REREAD:
        try:
            yaml.compose(body, Loader=yaml.SafeLoader)
        except RecursionError:
            return too_deep(_mark(error, body, shift))
        except yaml.YAMLError as better:
            error = better
        except (ValueError, OverflowError):
            # `"\U00110000"`, an escape for no character: the first parser's words stand.
            pass
    reason = getattr(error, "problem", None) or str(error).splitlines()[0]
    context = getattr(error, "context", None)
    message = f"this is not valid YAML: {context + ', ' if context else ''}{reason}"
    help = next((help for words, help in _HELP if words in message), "check the text just before this place")
    return Problem("yaml-syntax", message, _mark(error, body, shift), help=help)


def too_deep(where: Span) -> Problem:
    """The problem of a value that lies too deep."""
    message = "values are nested too deeply, no ruleset needs more than a few levels"
    return Problem("too-large", message, where, help="flatten the structure, or close a bracket left open")


def _mark(error: yaml.YAMLError, body: str, shift: int) -> Span:
    mark = getattr(error, "problem_mark", None)
    if mark is None or "end of stream" in str(error) or "<stream end>" in str(error):
        # What is left open began at the context mark; the end of the file tells nobody where.
        mark = getattr(error, "context_mark", None) or mark
    start = min(mark.index if mark is not None else 0, len(body))
    return Span(start + shift, min(start + 1, len(body)) + shift)
