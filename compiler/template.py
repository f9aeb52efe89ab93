"""Ending templates: ``{element}`` and ``{content}``, or a small, safe part of Jinja2. Content is data."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ..grammar.errors import GrammarError
from ..grammar.spans import Span
from .program import Template

if TYPE_CHECKING:
    import jinja2

#: The names that a template may use (language.md section 5).
NAMES = ("element", "content")

#: Jinja2 syntax that a template may use. Loops, calls, arithmetic and assignments are out: no template may
#: run for long or grow without bound, whatever the content is.
_ALLOWED = {
    "Template", "Output", "TemplateData", "Name", "Const", "If", "CondExpr", "Compare", "Operand",
    "And", "Or", "Not", "Concat", "Filter",
}  # fmt: skip
#: Filters that give no more text than they take (``replace`` and ``default`` take literals of the template).
_FILTERS = {
    "upper", "lower", "title", "capitalize", "trim", "truncate", "default", "d", "length", "count", "first",
    "last", "string", "wordcount", "striptags", "escape", "e",
}  # fmt: skip

_HOLE = re.compile(r"\{([^{}]*)\}")
_JINJA = re.compile(r"\{\{|\{%|\{#")


class TemplateError(GrammarError):
    """A template that cannot be filled: code ``bad_template``, with the place inside the template."""


def check_template(source: str) -> Template:
    """A template, checked once. White space around it does not count.

    Raises ``TemplateError`` for a blank template, unknown or positional holes, and Jinja2 syntax beyond
    conditions and a few filters.
    """
    text = source.strip()
    if not text:
        raise _error("the template is blank", Span(0, len(source)), "write what an ending says")
    try:
        if _JINJA.search(text):
            _compiled(text)
            return Template("jinja", text)
        for hole in _HOLE.finditer(text):
            if hole[1] not in NAMES:
                raise _error(f"unknown hole `{hole[0]}` in the template", Span(*hole.span()), _HOLE_HELP)
        return Template("plain", text)
    except TemplateError as error:
        error.span = error.span.shift(source.index(text))
        raise


def render_template(template: Template, element: str, content: str) -> str:
    """The template filled in, in a single pass: braces in ``content`` are data."""
    if template.style == "jinja":
        return _compiled(template.source).render(element=element, content=content)
    values = {"element": element, "content": content}
    return _HOLE.sub(lambda hole: values[hole[1]], template.source)


_HOLE_HELP = "a template knows {element} and {content}"


def _error(message: str, span: Span, help: str) -> TemplateError:
    return TemplateError("bad_template", message, span=span, expected=NAMES, help=help)


@lru_cache(maxsize=64)
def _compiled(source: str) -> jinja2.Template:
    """The compiled Jinja2 template, checked node by node against what is allowed."""
    import jinja2
    from jinja2 import nodes
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    try:
        tree = environment.parse(source)
        for node in tree.find_all(nodes.Node):
            kind = type(node).__name__
            if isinstance(node, nodes.Name) and node.name not in NAMES:
                raise _error(f"unknown name `{node.name}` in the template", _line(source, node.lineno), _HELP)
            if isinstance(node, nodes.Filter) and node.name not in _FILTERS:
                raise _error(f"filter `{node.name}` is not allowed", _line(source, node.lineno), _HELP)
            if kind not in _ALLOWED:
                raise _error(f"{kind} is not allowed in a template", _line(source, node.lineno), _HELP)
        return environment.from_string(source)
    except jinja2.TemplateSyntaxError as error:
        raise _error(f"bad template: {error.message}", _line(source, error.lineno), _HELP) from error
    except RecursionError as error:
        raise _error("the template is nested too deeply", Span(0, len(source)), _HELP) from error


_HELP = "use {{ element }}, {{ content }}, {% if … %} and the filters " + ", ".join(sorted(_FILTERS))


def _line(source: str, number: int) -> Span:
    """The span of a line, from 1: Jinja2 tells no column."""
    lines = source.splitlines(keepends=True)
    start = sum(map(len, lines[: number - 1]))
    return Span(start, start + len(lines[number - 1].rstrip()) if number <= len(lines) else start)
