"""The findings in the files of a store, as diagnostics (``dcc canon lint``)."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib import import_module
from typing import Protocol, cast

from ...grammar.canon.articles import Article
from ...grammar.canon.conflicts import conflict_in
from ...grammar.canon.entries import read_entry
from ...grammar.canon.front_matter import OWNED
from ...grammar.spans import Span
from ..check import Check, CheckModule, all_checks
from ..diagnostics import Diagnostic
from ..source import SourceMap
from . import checks
from .advice import Facts, orphan_advice, standing_advice
from .enforcing import Violation, violations


class StoreCheck(Protocol):
    """A module of ``compiler/canon/checks``: the identity and the page of a finding."""

    CHECK: Check
    __doc__: str | None


@cache
def store_checks() -> tuple[StoreCheck, ...]:
    """What can be found in a store, by code."""
    modules = [
        cast(StoreCheck, import_module(f"{checks.__name__}.{module.name}"))
        for module in pkgutil.iter_modules(checks.__path__)
    ]
    return tuple(sorted(modules, key=lambda module: module.CHECK.code))


def every_check() -> tuple[CheckModule | StoreCheck, ...]:
    """Everything that has a code and a page: the checks of files, and those of stores."""
    return (*all_checks(), *store_checks())


@cache
def _check(name: str) -> Check:
    return next(module.CHECK for module in store_checks() if module.CHECK.name == name)


#: The check that owns what breaks a rule of the schema.
_BROKEN = {
    "required": "schema-required",
    "min": "schema-bounds",
    "max": "schema-bounds",
    "warn": "unreferenced-article",
    "listed": "unlisted-child",
}


@lru_cache(maxsize=1)
def _source(path: str, text: str) -> SourceMap:
    """The places of a text, counted once: a file may have thousands of findings."""
    return SourceMap(path, text, None)


def finding(name: str, path: str, text: str, span: Span, message: str, help: str) -> Diagnostic:
    """A finding at a place in the text of a file; ``path`` names the file."""
    check, source = _check(name), _source(path, text)
    start, end = source.position(span.start), source.position(span.end)
    return Diagnostic(check.code, check.name, check.severity, message, path, start, end, help=help)


def lint_article(path: str, article: Article, facts: Facts, broken: Iterable[Violation] = ()) -> Iterator[Diagnostic]:
    """The findings in an article: advice, what it lacks of the schema, and the rules of the graph that it breaks."""
    text = article.text
    for advice in (*standing_advice(article, facts), *orphan_advice(article, facts)):
        span = _place(article, advice.part, advice.span)
        yield finding(advice.name, path, text, span, advice.message, advice.help)
    for violation in (*violations(facts.schema, article), *broken):
        span = _place(article, "capsule" if violation.carrier == "capsule" else "body", None)
        message = f"schema.json, {violation.carrier}: {violation.message}"
        yield finding(_BROKEN[violation.rule], path, text, span, message, violation.hint or "mend it, or the rule")
    for key in OWNED:
        if article.front.times(key) > 1:
            message = f"{key} stands {article.front.times(key)} times, the last one counts"
            yield finding("key-twice", path, text, _key_place(article, key), message, "keep one of them")


def lint_entry(path: str, text: str) -> Iterator[Diagnostic]:
    """The findings in a journal entry."""
    conflict = conflict_in(text)
    if conflict is not None:
        help = "make an entry of each side: both happened"
        yield finding("merge-conflict", path, text, conflict, "the entry holds both sides of a merge", help)
    if not read_entry(text).logged:
        help = "add front matter with `logged:` and an ISO 8601 instant"
        yield finding("unreadable-entry", path, text, Span(0, 0), "the entry does not say when it was logged", help)


def _place(article: Article, part: str, span: Span | None) -> Span:
    """The place in the file of a part of an article, or of a piece of its body or of the whole."""
    if part == "file" and span is not None:
        return span
    if part == "capsule" and article.front.times("capsule"):
        return _key_place(article, "capsule")
    start = len(article.text) - len(article.front.body)
    if span is not None:
        return span.shift(start)
    first = article.front.body.partition("\n")[0].rstrip()
    return Span(start, start + len(first)) if part == "body" else Span(0, 0)


def _key_place(article: Article, key: str) -> Span:
    """The line of the last value of a key."""
    front, at, found = article.front, 0, Span(0, 0)
    at = len(front.bom) + (len(front.fences[0]) if front.fences else 0)
    for entry in front.entries:
        if entry.key == key and entry.value:
            found = Span(at, at + len(entry.lines[0].rstrip()))
        at += sum(map(len, entry.lines))
    return found
