"""What a schema finds in an article, and which of it refuses a write (specification of canon, section 6).

Only ``required`` refuses, and only a write that made the article or touched what carries the rule: nobody is held up
by what another left behind. Everything else warns.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Final

from ...grammar.canon.articles import Article
from ...grammar.canon.lengths import units
from ...grammar.canon.links import references
from ..counted import counted
from .schema import FIELDS, Rule, Schema

#: What a write that makes an article has touched: all of it.
EVERYTHING: Final = frozenset({*FIELDS, "refs"})

_EMPTY: Final = {
    "capsule": "it is empty",
    "title": "the body has no # heading at its start",
    "body": "it is empty",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that an article breaks. ``rule``: ``required``, ``min`` or ``max``; ``refused``: the write is."""

    carrier: str
    rule: str
    message: str
    hint: str
    refused: bool = False

    @property
    def text(self) -> str:
        """The violation as a reply tells it."""
        return f"{self.carrier}: {self.message}.{f' {self.hint}' if self.hint else ''}"


def violations(schema: Schema, article: Article, touched: Set[str] = frozenset()) -> tuple[Violation, ...]:
    """The rules that an article breaks. ``touched``: what the write changed, ``EVERYTHING`` for a new article;
    nothing for a reading, which is never refused."""
    if not schema.rules:
        return ()
    return tuple(_violations(schema, article, touched))


def _violations(schema: Schema, article: Article, touched: Set[str]) -> Iterator[Violation]:
    values = {"capsule": article.capsule, "title": article.title, "body": article.body}
    for name, value in values.items():
        rule = schema.rule(name)
        if not value:
            if rule.asked:
                message = f"it is required, and {_EMPTY[name]}"
                yield Violation(name, "required", message, rule.hint, name in touched)
            continue
        yield from _bounds(name, rule, units(value), "character")
    rule = schema.rule("refs")
    if rule.asked or rule.minimum is not None:
        refs = references(article.body)
        if rule.asked and not refs:
            message = "a reference is required, and the body links to nothing"
            yield Violation("refs", "required", message, rule.hint, "refs" in touched)
        else:
            yield from _bounds("refs", rule, len(refs), "reference")


def _bounds(name: str, rule: Rule, size: int, what: str) -> Iterator[Violation]:
    if rule.minimum is not None and size < rule.minimum:
        yield Violation(name, "min", f"{counted(size, what)}, at least {rule.minimum} expected", rule.hint)
    if rule.maximum is not None and size > rule.maximum:
        yield Violation(name, "max", f"{counted(size, what)}, at most {rule.maximum} expected", rule.hint)


def touched_by(prior: Article | None, written: Article, *, capsule: bool, body: bool) -> frozenset[str]:
    """What a write touched: the parts that it was given, and the references when their set is another."""
    if prior is None:
        return EVERYTHING
    found = {"capsule"} if capsule else set[str]()
    if body:
        found |= {"title", "body"}
        if set(references(prior.body)) != set(references(written.body)):
            found.add("refs")
    return frozenset(found)
