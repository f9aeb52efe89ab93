"""The source map of a ruleset: key path -> span -> line and column, resolved late.

Checks speak key paths. Only when a diagnostic is made is a path looked up in the node tree that the
YAML text was composed to.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

import yaml

from ..grammar.spans import Span
from .diagnostics import Position
from .problem import KeyPath

_LINE_END = re.compile(r"\r\n|\n|\r")
_PAIR = {"start": 0, "end": 1}
_MERGE = "tag:yaml.org,2002:merge"
BOM = "\ufeff"

Found = tuple[yaml.Node | None, yaml.Node]


class SourceMap:
    """Finds the text of a key path. ``root`` is None for an empty or unreadable text, and for one that is no YAML.

    ``literals`` are the quoted texts of what is no YAML: nothing in them is a comment.
    """

    def __init__(self, path: str, text: str, root: yaml.Node | None, *, literals: tuple[Span, ...] = ()) -> None:
        self.path = path
        self.text = text
        self.root = root
        self.literals = literals
        #: The YAML reader does not count a byte order mark; offsets in the file do.
        self._shift = 1 if text.startswith(BOM) else 0
        self._known: dict[int, dict[str | int, Found]] = {}

    @cached_property
    def _line_starts(self) -> list[int]:
        return [self._shift, *(m.end() for m in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> Position:
        """The line and column of a character offset."""
        offset = min(max(offset, self._shift), len(self.text))
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1, offset)

    def line(self, number: int) -> str:
        """The text of a line (from 1), without its line end."""
        start = self._line_starts[number - 1]
        end = _LINE_END.search(self.text, start)
        return self.text[start : end.start() if end else len(self.text)]

    @property
    def lines(self) -> int:
        """The number of lines; an empty one after a final line end counts."""
        return len(self._line_starts)

    def comment_span(self, span: Span) -> Span:
        """What to cut to take a comment out: the blanks before it, or its whole line when it stands alone."""
        at = self.position(span.start)
        line_start = at.offset - at.column + 1
        before = self.text[line_start : span.start]
        if before.strip():
            return Span(line_start + len(before.rstrip()), span.end)
        return self.line_span(span)

    def line_span(self, span: Span) -> Span:
        """The whole lines that a span stands on, with the end of the last; ``span`` reaches to that end."""
        at = self.position(span.start)
        line_end = _LINE_END.match(self.text, span.end)
        return Span(at.offset - at.column + 1, line_end.end() if line_end else span.end)

    def has(self, path: KeyPath) -> bool:
        """Whether the text itself holds a value at this path."""
        return self._find(path) is not None

    def under(self, path: KeyPath) -> SourceMap | None:
        """The map of the value at a path: the same text and places, key paths from there on."""
        found = self._find(path)
        return None if found is None else SourceMap(self.path, self.text, found[1])

    def span(self, path: KeyPath, on: str = "value", within: Span | None = None) -> Span:
        """The span of a path's value or key; of its nearest written ancestor when it is not written.

        ``within`` picks a part of a text value, where the file holds the value as it is. A block that goes
        over several lines is shown by its key: a caret under a page of text helps nobody.
        """
        found = self._find(path)
        while found is None and path:
            path = path[:-1]
            found = self._find(path)
        if found is None:
            return Span(self._shift, self._shift)
        key, node = found
        if key is not None and (on == "key" or self._is_block(node)):
            return self.node_span(key)
        if key is None and self._is_block(node):
            node = _first_leaf(node)
        return self._part(node, within)

    def _part(self, node: yaml.Node, within: Span | None) -> Span:
        span = self.node_span(node)
        if within is None or within.start == within.end or not isinstance(node, yaml.ScalarNode):
            return span
        at = self.text.find(node.value, span.start, span.end)
        return within.shift(at) if at >= 0 else span

    def node_span(self, node: yaml.Node) -> Span:
        """The characters of a node, without the blanks that follow it."""
        start = node.start_mark.index + self._shift
        end = node.end_mark.index + self._shift
        return Span(start, start + len(self.text[start:end].rstrip()))

    def scalar_span(self, path: KeyPath, on: str = "value") -> Span | None:
        """The characters of the key or the value at ``path``: its quotes with it, no anchor, no tag.

        None when the text does not hold it, and for what is no scalar of one line.
        """
        found = self._find(path)
        node = None if found is None else found[0] if on == "key" else found[1]
        return None if node is None else self.bare_span(node)

    def bare_span(self, node: yaml.Node) -> Span | None:
        """The characters of a scalar node of one line, as ``scalar_span``; None for another node."""
        if not isinstance(node, yaml.ScalarNode) or node.style in ("|", ">"):
            return None
        span = self.node_span(node)
        written = self.text[span.start : span.end]
        if node.style and written.endswith(node.style) and "\n" not in written:
            return Span(span.start + written.index(node.style), span.end)
        if not node.style and node.value and written.endswith(node.value):
            return Span(span.end - len(node.value), span.end)
        return None

    def _is_block(self, node: yaml.Node) -> bool:
        span = self.node_span(node)
        if isinstance(node, yaml.CollectionNode) and node.flow_style is False:
            return True
        return span.start == span.end or self.position(span.start).line != self.position(span.end).line

    def _find(self, path: KeyPath) -> Found | None:
        if self.root is None:
            return None
        found: Found | None = (None, self.root)
        for part in path:
            if found is None:
                return None
            found = self._child(found[1], part)
        return found

    def _child(self, node: yaml.Node, part: str | int) -> Found | None:
        """The key and value nodes under ``part``; a pair ``[a, b]`` has the parts start and end."""
        if isinstance(node, yaml.SequenceNode):
            index = _PAIR.get(part) if isinstance(part, str) else part
            if index is not None and index < len(node.value):
                return None, node.value[index]
            return None
        return self._entries(node).get(part) if isinstance(node, yaml.MappingNode) else None

    def _entries(self, node: yaml.MappingNode) -> dict[str | int, Found]:
        """The entries of a mapping by key, those that a merge key brings included."""
        if id(node) not in self._known:
            entries: dict[str | int, Found] = {}
            for key, value in node.value:
                if key.tag != _MERGE and isinstance(key, yaml.ScalarNode):
                    entries.setdefault(key.value, (key, value))
            for key, value in node.value:
                if key.tag == _MERGE:
                    sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
                    for source in sources:
                        if isinstance(source, yaml.MappingNode):
                            entries = {**self._entries(source), **entries}
            self._known[id(node)] = entries
        return self._known[id(node)]


def _first_leaf(node: yaml.Node) -> yaml.Node:
    """The first thing written in a block: its first key, or its first item."""
    while isinstance(node, yaml.SequenceNode | yaml.MappingNode) and node.value:
        first = node.value[0]
        node = first[0] if isinstance(first, tuple) else first
    return node
