"""Mends that are made from the text and its nodes: quoting a value, taking out an entry that stands twice."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from ..grammar.spans import Span
from .problem import Mend
from .source import SourceMap

#: As many digits as a number in a ruleset may come to.
_HEX = re.compile(r"0x[0-9a-fA-F]{1,14}")
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?")
_OCTAL = re.compile(r"0[0-7]+")
#: The words that YAML 1.1 reads as booleans, and what they mean there.
BOOLEANS = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_COMMA = re.compile(r"\s*,\s*")

Entry = tuple[yaml.Node, yaml.Node]


def quote_mend(source: SourceMap, node: yaml.ScalarNode) -> Iterator[Mend]:
    """The mend that puts a plain scalar in quotes, so that every reader takes it for text."""
    span = source.bare_span(node)
    if span is not None and not node.style:
        yield Mend("put it in quotes", True, ((span, f'"{node.value}"'),))


def plain_mends(source: SourceMap, node: yaml.ScalarNode) -> Iterator[Mend]:
    """The ways to write what YAML 1.1 reads in its own way so that every reader takes it alike.

    Quotes come first: text is what YAML 1.2 reads. Where that is refused, the value that YAML 1.1 reads is left.
    """
    yield from quote_mend(source, node)
    span = source.bare_span(node)
    if span is None or node.style:
        return
    text = node.value
    digits = text.replace("_", "")
    if text.lower() in BOOLEANS:
        new, safe = BOOLEANS[text.lower()], True
    elif _HEX.fullmatch(digits):
        new, safe = str(int(digits, 16)), True
    elif _DECIMAL.fullmatch(digits):
        new, safe = digits, True
    elif _OCTAL.fullmatch(digits):
        # 8 in YAML 1.1 and 10 in YAML 1.2: nobody but the writer knows which was meant.
        new, safe = digits.lstrip("0") or "0", False
    else:
        return
    yield Mend(f"write {new}", safe, ((span, new),))


def untag_mend(source: SourceMap, node: yaml.Node) -> Iterator[Mend]:
    """The mend that takes a tag off a value."""
    span = source.node_span(node)
    if match := re.match(r"![^\s,\[\]{}]*[ \t]+(?=\S)", source.text[span.start : span.end]):
        yield Mend("remove the tag", False, ((Span(span.start, span.start + match.end()), ""),))


def repeated_entry_mend(source: SourceMap, first: Entry, before: Entry, again: Entry, flow: bool) -> Iterator[Mend]:
    """The mend that takes out an entry of a mapping which repeats an earlier one word for word.

    ``before`` is the entry just before it. Nothing when the two differ, or when more would go than the entry:
    a comment, an anchor that others may name.
    """
    span = _entry_span(source, again)
    written = source.text[span.start : span.end]
    one = _entry_span(source, first)
    if written != source.text[one.start : one.end] or "&" in written:
        return
    cut = _flow_cut(source, before, span) if flow else _block_cut(source, span)
    if cut is not None:
        yield Mend("remove the second one", True, ((cut, ""),))


def _entry_span(source: SourceMap, entry: Entry) -> Span:
    key, value = (source.node_span(node) for node in entry)
    return Span(key.start, max(key.end, value.end))


def _flow_cut(source: SourceMap, before: Entry, span: Span) -> Span | None:
    start = _entry_span(source, before).end
    return Span(start, span.end) if _COMMA.fullmatch(source.text[start : span.start]) else None


def _block_cut(source: SourceMap, span: Span) -> Span | None:
    """The lines of an entry; what is left of its last line is a comment at most, and stays."""
    written = source.text[span.start : span.end]
    if "\n" in written and ("#" in written or "|" in written or ">" in written):
        return None
    last = source.position(span.end)
    rest = source.line(last.line)[last.column - 1 :]
    first = source.position(span.start)
    if source.line(first.line)[: first.column - 1].strip():
        return None
    if rest.strip():
        return Span(span.start, span.end + rest.index("#")) if rest.lstrip().startswith("#") else None
    return source.line_span(Span(span.start, span.end + len(rest)))
