"""Advice on articles, said on every write and by lint; it refuses nothing (specification of canon, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, Literal

from ...grammar.canon.addresses import parent_of
from ...grammar.canon.articles import Article
from ...grammar.canon.conflicts import conflict_in
from ...grammar.canon.lengths import units
from ...grammar.canon.links import links_in
from ...grammar.canon.words import (
    dropped_constraints,
    is_constraint,
    reads_like_a_change_log,
    reads_like_a_log,
)
from ...grammar.spans import Span
from ..counted import counted
from .limits import BODY_LARGE, BODY_LONG, BODY_TINY, CAPSULE_LONG, DROPPED, QUOTED
from .schema import NO_SCHEMA, Schema

#: The name of what is said of a link that leads nowhere.
DEAD_LINK: Final = "dead-link"

#: The scope of an article that is declared to be found by relevance.
RULE = "rule"


@dataclass(frozen=True, slots=True)
class Advice:
    """One piece of advice. ``name`` is stable, and the name of the lint check that says the same of a store.

    ``part`` is what it is about, ``span`` where in that part (of the file: in its text); ``data`` holds what the
    message names.
    """

    name: str
    message: str
    help: str
    part: Literal["file", "capsule", "body"] = "file"
    span: Span | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The advice as a reply tells it."""
        return f"{self.message[:1].upper()}{self.message[1:]}: {self.help}."


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an article besides its text.

    ``governs``: an asset on disk has its address; ``has_folder``: the folder is there in which one would lie.
    ``has_parent``: an article stands at the address one segment up. ``is_live``: whether a link leads somewhere.
    ``shown`` is the address as replies write it, with the name of its mount.
    """

    address: str
    shown: str
    governs: bool
    has_folder: bool
    has_parent: bool
    is_live: Callable[[str], bool]
    schema: Schema = NO_SCHEMA


def standing_advice(article: Article, facts: Facts) -> Iterator[Advice]:
    """What is to be said of an article as it stands; of its dead links last."""
    conflict = conflict_in(article.text)
    if conflict is not None:
        help = "keep what is true, and take the markers out"
        yield Advice("merge-conflict", "the article holds both sides of a merge", help, span=conflict)
    yield from _size(article, facts)
    yield from _capsule(article, facts)
    if reads_like_a_log(facts.address):
        message = f"the address {facts.shown} is one of events"
        yield Advice("log-address", message, "an article holds what is true now; what happened belongs in the journal")
    for link in links_in(article.body):
        if not facts.is_live(link.target):
            message = f"the link [[{link.target}]] leads to no article"
            help = "link an address that `map` lists, or take the link out"
            yield Advice(DEAD_LINK, message, help, "body", link.span, {"link": link.target})


def orphan_advice(article: Article, facts: Facts) -> Iterator[Advice]:
    """Whether the asset of an article is gone. An address that never was one of an asset is none of that."""
    if article.scope == RULE or not parent_of(facts.address) or not facts.has_folder or facts.governs:
        return
    message = f"nothing on disk has the address {facts.shown}, though its folder is there"
    help = (
        "if the asset moved, move the article; if it is gone, fold what still holds into the article above and "
        "journal that; if it never was an asset's, write it with scope rule"
    )
    yield Advice("orphan-article", message, help)


def same_but_case_advice(other: str) -> Advice:
    """What is to be said of an article whose address is another one's but for the case of its letters."""
    message = f"the address is {other} but for the case of its letters"
    help = "keep one of the two: some systems do not tell them apart"
    return Advice("same-but-case", message, help, data={"other": other})


def write_advice(
    prior: Article | None, article: Article, facts: Facts, *, body_given: bool, by_relevance: bool
) -> Iterator[Advice]:
    """What is to be said of a write: what it dropped, and where a rule that it brings should stand.

    ``by_relevance``: a retriever is configured, so an article can be found that governs no asset.
    """
    if prior is not None and prior.body and body_given and prior.body != article.body:
        for line in islice(dropped_constraints(prior.body, article.body), DROPPED):
            message = f'this write dropped a constraint: "{line[:QUOTED]}"'
            help = "keep it if it still holds; if it changed, journal what changed it"
            yield Advice("dropped-constraint", message, help, "body", data={"line": line[:QUOTED]})
    if not by_relevance or not is_constraint(article.body) or (prior is not None and is_constraint(prior.body)):
        return
    if facts.governs:
        message = f"this article now carries a rule, and it lives at {facts.shown}, which governs an asset"
        help = (
            "work on another asset does not see it there; if the rule holds beyond that asset, give it an address "
            "of its own that names the rule, where relevance finds it"
        )
        yield Advice("scope-question", message, help, "body")
    elif article.scope != RULE:
        message = f"{facts.shown} governs no asset on disk, so only relevance finds it"
        help = "if it is meant to name a rule, write it again with scope rule: as it is, it looks like a lost asset's"
        yield Advice("declaration-question", message, help, "body")


def growth_advice(prior: Article | None, article: Article) -> Iterator[Advice]:
    """Whether a body grew, in UTF-8 bytes; a new article did not."""
    if prior is None:
        return
    before, after = (len(one.body.encode("utf-8", "surrogatepass")) for one in (prior, article))
    if after > before:
        message = f"the body grew from {before} to {after} bytes"
        help = "an article says what is true now; old values and what led to the new ones belong in the journal"
        yield Advice("growth", message, help, "body", data={"before": before, "after": after})


def _size(article: Article, facts: Facts) -> Iterator[Advice]:
    size, rule = units(article.body), facts.schema.rule("body")
    if size > BODY_LARGE:
        if rule.maximum is None:
            help = f"keep a summary that leads on, and move detail into articles below {facts.shown}/"
            yield _about("body-large", "body", f"the body has {size} characters, over {BODY_LARGE}", help, size)
    elif size > BODY_LONG:
        help = "make it denser before it must be split"
        yield _about("body-long", "body", f"the body has {size} characters, over {BODY_LONG}", help, size)
    elif 0 < size < BODY_TINY and facts.has_parent and rule.minimum is None:
        help = f"think of folding it into {parent_of(facts.shown)}"
        yield _about("fold-up", "body", f"the body has only {counted(size, 'character')}", help, size)


def _capsule(article: Article, facts: Facts) -> Iterator[Advice]:
    size, rule = units(article.capsule), facts.schema.rule("capsule")
    if not size:
        if not rule.asked:
            help = "write one dense line of what is true now; without it nothing surfaces but the address"
            yield Advice("no-capsule", "the article has no capsule", help)
    elif size > CAPSULE_LONG:
        if rule.maximum is None:
            message = f"the capsule has {size} characters, over {CAPSULE_LONG}"
            yield _about("capsule-long", "capsule", message, "keep one dense line; the rest is body", size)
    elif reads_like_a_change_log(article.capsule):
        help = "say what is true now; what happened belongs in the journal"
        yield Advice("capsule-change-log", "the capsule reads like a change log", help, "capsule")


def _about(name: str, part: Literal["capsule", "body"], message: str, help: str, size: int) -> Advice:
    return Advice(name, message, help, part, data={"characters": size})
