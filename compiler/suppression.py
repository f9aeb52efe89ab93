"""Comments that silence a finding where it stands: ``# dcc: ignore[code, name] reason``.

Such a comment is for the line that it ends; alone on a line it is for the next line that holds more than a
comment. ``# dcc: ignore-file[…]`` is for the whole file. What looks like one inside a value (a quoted text, a
block scalar) is text. A silenced error still stops a ruleset from being compiled.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import yaml

from ..grammar.spans import Span
from .check import Subject, all_checks, check_codes
from .diagnostics import Diagnostic, has_errors, sort_diagnostics
from .documents import Chain
from .problem import Mend, Problem, nearest, quote
from .source import SourceMap

#: The names of the checks that this pass finds for.
UNUSED, UNKNOWN = "unused-ignore", "unknown-ignore"

_COMMENT = re.compile(
    r"(?:^|(?<=[ \t]))#[ \t]*dcc:[ \t]*ignore(?P<file>-file)?(?![\w-])"
    r"[ \t]*(?:\[(?P<codes>[^\]\r\n]*)\])?[^\r\n]*",
    re.MULTILINE,
)
_WORD = re.compile(r"[^\s,]+")
_BLANK_OR_COMMENT = re.compile(r"[ \t]*(?:#.*)?")


@dataclass(frozen=True, slots=True)
class Ignore:
    """One comment. ``lines`` are those it is for (from 1); None: all. ``words`` are its codes and names."""

    span: Span
    lines: frozenset[int] | None
    words: tuple[tuple[str, Span], ...]

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether the finding stands on a line that this comment is for."""
        first, last = diagnostic.start.line, diagnostic.end.line
        return self.lines is None or any(first <= line <= last for line in self.lines)


def suppress(
    chain: Chain, diagnostics: Iterable[Diagnostic]
) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Part findings in those that are told, what is wrong with the comments among them, and the silenced.

    Only the comments of the main text are judged: what it extends is checked by itself.
    """
    main = chain.main
    ignores = {d.source.path: tuple(find_ignores(d.source)) for d in chain.documents}
    if not any(ignores.values()):
        # Most texts have none: the names of checks that they do not need are not looked up.
        return sort_diagnostics(diagnostics), ()
    known = check_codes()
    kept: list[Diagnostic] = []
    silenced: list[Diagnostic] = []
    used: set[Span] = set()
    for diagnostic in diagnostics:
        spans = [
            span
            for ignore in ignores.get(diagnostic.path, ())
            if ignore.covers(diagnostic)
            for word, span in ignore.words
            if known.get(word.lower()) == diagnostic.code
        ]
        (silenced if spans else kept).append(diagnostic)
        if diagnostic.path == main.source.path:
            used.update(spans)
    # A text that does not parse was not looked at by the checks that its comments are for.
    if main.source.root is not None or not main.problems:
        safe = not has_errors(kept)
        problems = [p for i in ignores[main.source.path] for p in _problems(main.source, i, used, known, safe)]
        subject = Subject(chain, [(main, problem) for problem in problems])
        kept += [d for check in all_checks() for d in subject.found(check.CHECK)] if problems else []
    return sort_diagnostics(kept), tuple(silenced)


def find_ignores(source: SourceMap) -> Iterator[Ignore]:
    """The comments of a text that silence findings, in their order."""
    if "ignore" not in source.text or "dcc:" not in source.text:
        return
    inside = _Inside(source)
    for match in _COMMENT.finditer(source.text):
        if match.start() in inside:
            continue
        words: tuple[tuple[str, Span], ...] = ()
        if match["codes"] is not None:
            start = match.start("codes")
            words = tuple((m[0], Span(m.start(), m.end()).shift(start)) for m in _WORD.finditer(match["codes"]))
        span = Span(match.start(), match.start() + len(match[0].rstrip()))
        yield Ignore(span, None if match["file"] else _lines(source, span), words)


def _lines(source: SourceMap, span: Span) -> frozenset[int]:
    """The lines that a comment is for: its own, or when nothing else stands there the next with content."""
    here = source.position(span.start)
    if source.line(here.line)[: here.column - 1].strip():
        return frozenset({here.line})
    number = here.line + 1
    while number < source.lines and _BLANK_OR_COMMENT.fullmatch(source.line(number)):
        number += 1
    return frozenset({number})


class _Inside:
    """Whether a character lies inside a value of the text: what stands there is no comment."""

    def __init__(self, source: SourceMap) -> None:
        spans = sorted((*_scalar_spans(source), *source.literals), key=lambda span: span.start)
        self._starts = [span.start for span in spans]
        self._ends = [span.end for span in spans]

    def __contains__(self, offset: int) -> bool:
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and offset < self._ends[index]


def _scalar_spans(source: SourceMap) -> Iterator[Span]:
    open_nodes, seen = [source.root] if source.root is not None else [], set[int]()
    while open_nodes:
        node = open_nodes.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            yield source.node_span(node)
        elif isinstance(node, yaml.MappingNode):
            open_nodes += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            open_nodes += node.value


def _problems(
    source: SourceMap, ignore: Ignore, used: set[Span], known: Mapping[str, str], safe: bool
) -> Iterator[Problem]:
    """What is wrong with one comment."""
    if not ignore.words:
        help = "write the code in brackets, such as `# dcc: ignore[DCC205] reason`"
        yield Problem(UNKNOWN, "this comment names no finding to ignore", ignore.span, help=help)
        return
    unused = [(word, span) for word, span in ignore.words if word.lower() in known and span not in used]
    left = [word for word, span in ignore.words if word.lower() not in known or span in used]
    mend = _without(source, ignore, left, safe)
    for word, span in unused:
        message = f"nothing here is silenced by {quote(word)}"
        yield Problem(UNUSED, message, span, help="remove it", mends=(mend,))
    for word, span in ignore.words:
        if word.lower() not in known:
            near = nearest(word, (name for name in known if not name[-1].isdigit()))
            help = f"did you mean {quote(near)}?" if near else "`dcc explain` lists the checks"
            yield Problem(UNKNOWN, f"{quote(word)} is no code and no name of a check", span, help=help)


def _without(source: SourceMap, ignore: Ignore, left: list[str], safe: bool) -> Mend:
    """The mend that leaves only the words ``left`` in a comment, and nothing of it when there are none."""
    if left:
        codes = Span(ignore.words[0][1].start, ignore.words[-1][1].end)
        return Mend("remove what silences nothing", safe, ((codes, ", ".join(left)),))
    return Mend("remove the comment", safe, ((source.comment_span(ignore.span), ""),))
