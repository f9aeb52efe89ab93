"""YAML nodes -> plain values, with none of the surprises of YAML 1.1.

Only ``true`` and ``false`` are booleans, whole numbers are decimal, keys are text and stand once, and an
alias is never expanded: its value is shared. Sizes are measured on the node tree, before anything is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import yaml

from ..grammar.spans import Span
from .compose import too_deep
from .mending import plain_mends, quote_mend, repeated_entry_mend, untag_mend
from .problem import Mend, Problem, quote
from .source import SourceMap

#: Deepest nesting of a ruleset, aliases followed.
MAX_DEPTH = 64
#: Most values of a ruleset, aliases counted as often as they are used.
MAX_VALUES = 500_000
#: Longest single value, in characters.
MAX_SCALAR = 1_000_000
#: Most digits of a number: what a signed 64-bit integer holds for certain.
MAX_DIGITS = 18

_TAG = "tag:yaml.org,2002:"
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_BOOL = {"true": True, "false": False}
_AS_TEXT = {"str", "timestamp", "value", "merge"}


def construct(source: SourceMap) -> tuple[Any, list[Problem]]:
    """The plain value of a source's node tree, and what is wrong with it. No tree: None."""
    if source.root is None:
        return None, []
    reader = _Reader(source)
    try:
        values = reader.measure(source.root, 0)[0]
    except _TooLarge as error:
        return None, [error.problem]
    if values > MAX_VALUES:
        what, help = f"aliases expand this ruleset to {values:,} values", "write the values out, or use fewer aliases"
        if reader.first_alias is None:
            what, help = f"this file has {values:,} values", "split it"
        where = reader.first_alias or Span(0, 0)
        return None, [Problem("too-large", f"{what}, the limit is {MAX_VALUES:,}", where, help=help)]
    return reader.value(source.root), reader.problems


class _TooLarge(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class _Reader:
    """One reading of one node tree; shared nodes are measured and built once."""

    def __init__(self, source: SourceMap) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.first_alias: Span | None = None
        self._sizes: dict[int, tuple[int, int]] = {}
        self._open: set[int] = set()
        self._built: dict[int, Any] = {}

    def measure(self, node: yaml.Node, depth: int) -> tuple[int, int]:
        """The number of values under a node and its height, aliases followed but never expanded."""
        key = id(node)
        known = self._sizes.get(key)
        if known is not None:
            if known[0] > 1:
                self.first_alias = self.first_alias or self._span(node)
            if depth + known[1] > MAX_DEPTH:
                raise _TooLarge(too_deep(self._span(node)))
            return known
        if key in self._open:
            help = "name another anchor: a value cannot hold itself"
            raise _TooLarge(Problem("too-large", "this value holds itself", self._span(node), help=help))
        if depth > MAX_DEPTH:
            raise _TooLarge(too_deep(self._span(node)))
        values, height = 1, 1
        if not isinstance(node, yaml.ScalarNode):
            self._open.add(key)
            for child in _children(node):
                below, child_height = self.measure(child, depth + 1)
                values += below
                height = max(height, child_height + 1)
            self._open.discard(key)
        self._sizes[key] = size = (values, height)
        return size

    def value(self, node: yaml.Node) -> Any:
        """The plain value of a node: dict, list, str, int, float, bool or None."""
        key = id(node)
        if key in self._built:
            return self._built[key]
        if isinstance(node, yaml.MappingNode):
            built: Any = self._mapping(node)
        elif isinstance(node, yaml.SequenceNode):
            self._expect_tag(node, "seq")
            built = [self.value(item) for item in node.value]
        else:
            assert isinstance(node, yaml.ScalarNode)
            built = self._scalar(node)
        self._built[key] = built
        return built

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        self._expect_tag(node, "map")
        written: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        first: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        for index, (key_node, value_node) in enumerate(node.value):
            if key_node.tag == _TAG + "merge":
                for source in self._merge_sources(value_node):
                    merged = {**source, **merged}
                continue
            key = self._key(key_node)
            if key is None:
                continue
            if key in first:
                self._say(
                    "duplicate-key",
                    f"key {quote(key)} stands twice in this mapping",
                    key_node,
                    help="keep one of the two",
                    related=(("the first one is here", self._span(first[key][0])),),
                    mends=repeated_entry_mend(
                        self.source,
                        first[key],
                        before=node.value[index - 1],
                        again=(key_node, value_node),
                        flow=node.flow_style is True,
                    ),
                )
                continue
            first[key] = (key_node, value_node)
            written[key] = self.value(value_node)
        return {**merged, **written}

    def _key(self, node: yaml.Node) -> str | None:
        if not isinstance(node, yaml.ScalarNode):
            self._say(
                "key-not-text", "a key must be text, not a list or a mapping", node, help="name the key"
            )
            return None
        self._limit(node)
        kind = node.tag.removeprefix(_TAG)
        if kind not in _AS_TEXT:
            message = f"key {quote(node.value)} is read as {_KINDS.get(kind, kind)} by YAML, expected text"
            mends = quote_mend(self.source, node)
            self._say("key-not-text", message, node, help="put it in quotes", mends=mends)
        return str(node.value)

    def _merge_sources(self, node: yaml.Node) -> list[dict[str, Any]]:
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        sources = []
        for source in nodes:
            if isinstance(source, yaml.MappingNode):
                sources.append(self.value(source))
            else:
                message = "`<<` takes a mapping, or a list of mappings"
                self._say("yaml-surprise", message, source, help="name an anchor that stands on a mapping")
        return sources

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        self._limit(node)
        text: str = node.value
        kind = node.tag.removeprefix(_TAG)
        if kind in _AS_TEXT:
            return text
        if kind == "null":
            return None
        if kind == "bool":
            if text.lower() in _BOOL:
                return _BOOL[text.lower()]
            self._surprise(
                node, "a boolean in YAML 1.1 and text in YAML 1.2", "write true or false, or quote it"
            )
        elif kind == "int":
            if _INT.fullmatch(text):
                return self._whole(node, text)
            self._surprise(
                node, "a number in another notation", "write a decimal number, or put it in quotes"
            )
        elif kind == "float":
            if _FLOAT.fullmatch(text):
                return float(text)
            self._surprise(node, "a special number", "write a decimal number, or put it in quotes")
        else:
            self._expect_tag(node, "str")
        return text

    def _whole(self, node: yaml.ScalarNode, text: str) -> int | str:
        if len(text) <= MAX_DIGITS:
            return int(text)
        help = f"write at most {MAX_DIGITS} digits, or put it in quotes"
        mends = quote_mend(self.source, node)
        self._say("yaml-surprise", f"the number {quote(text)} is too long", node, help=help, mends=mends)
        return text

    def _surprise(self, node: yaml.ScalarNode, what: str, help: str) -> None:
        message = f"{quote(node.value)} is {what}"
        self._say("yaml-surprise", message, node, help=help, mends=plain_mends(self.source, node))

    def _limit(self, node: yaml.Node) -> None:
        if len(node.value) > MAX_SCALAR:
            message = f"this value has {len(node.value):,} characters, the limit is {MAX_SCALAR:,}"
            self._say("too-large", message, node, help="shorten it")

    def _expect_tag(self, node: yaml.Node, kind: str) -> None:
        if node.tag != _TAG + kind:
            tag = node.tag.replace(_TAG, "!!")
            mends = untag_mend(self.source, node)
            self._say("yaml-surprise", f"tag {quote(tag)} is not supported", node, help="remove the tag", mends=mends)

    def _say(
        self,
        name: str,
        message: str,
        node: yaml.Node,
        *,
        help: str,
        related: tuple[tuple[str, Span], ...] = (),
        mends: Iterable[Mend] = (),
    ) -> None:
        problem = Problem(name, message, self._span(node), help=help, related=related, mends=tuple(mends))
        self.problems.append(problem)

    def _span(self, node: yaml.Node) -> Span:
        span = self.source.node_span(node)
        line = self.source.position(span.start)
        return Span(
            span.start, min(span.end, line.offset + len(self.source.line(line.line)) - line.column + 1)
        )


_KINDS = {
    "bool": "a boolean",
    "int": "a number",
    "float": "a number",
    "null": "null",
}


def _children(node: yaml.Node) -> list[yaml.Node]:
    """The nodes in a list or a mapping."""
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value)
