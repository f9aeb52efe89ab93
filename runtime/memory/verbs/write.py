"""``write``: an article is made or changed; advice comes with it, and only a required rule refuses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from ....compiler.canon.advice import (
    DEAD_LINK,
    Advice,
    growth_advice,
    orphan_advice,
    same_but_case_advice,
    standing_advice,
    write_advice,
)
from ....compiler.canon.enforcing import Violation, touched_by, violations
from ....compiler.canon.schema import Schema
from ....grammar.canon.articles import Article, Change, without_pasted_front_matter
from ..desk import Desk
from ..reply import Reply
from ..store.files import as_bytes, as_text
from ..store.mounts import Place
from ..store.store import Written
from .arguments import Arguments, text_of
from .journal import refused, unknown_mount
from .read import article_text, entered_by

#: Dead links that a reply names.
NAMED_LINKS: Final = 20

#: The scope that takes a declaration back.
ASSET = "asset"


def write(desk: Desk, arguments: Arguments) -> Reply:
    """Write the article of a path. What is not given stays as it is."""
    if desk.read_only:
        return refused("write")
    place = desk.mounts.place(arguments.get("path"))
    if not place.address:
        return Reply("no_path", "write needs a path.")
    change = _change(arguments)
    store = place.mount.store
    schema = store.schema()
    if schema.unreadable is not None:
        return Reply("schema_unreadable", f"Nothing was written: {schema.unreadable.text}", place.shown)
    found: list[Violation] = []

    def judge(prior: Article | None, wanted: Article) -> bool:
        touched = touched_by(prior, wanted, capsule=change.capsule is not None, body=change.body is not None)
        found[:] = violations(schema, wanted, touched)
        return not any(violation.refused for violation in found)

    base = text_of(arguments, "base") or desk.seen.get(place.shown)
    written = store.write(place.address, change, base=base, judge=judge)
    match written.verdict:
        case "stale":
            return _stale(desk, place, written)
        case "refused":
            return _rejected(place, [violation for violation in found if violation.refused])
        case "current":
            found[:] = violations(schema, written.wanted)
    assert written.stored is not None
    desk.seen[place.shown] = written.stored.base
    found += desk.relations(place.mount).broken(schema, place.address, written.wanted)
    if written.verdict == "current":
        return _with_pasted(_current(place, written, schema, found, change), change)
    return _with_pasted(_wrote(desk, place, written, schema, found, change), change)


def _with_pasted(reply: Reply, change: Change) -> Reply:
    """The reply with a line when the body was a whole article, whose front matter says nothing here."""
    if change.body is None or without_pasted_front_matter(change.body) == change.body:
        return reply
    text = f"{reply.text}\nThe front matter in the body is left out: give capsule and scope beside the body."
    return replace(reply, text=text, data={**reply.data, "front_matter_ignored": True})


def _change(arguments: Arguments) -> Change:
    capsule, body, scope = (_storable(text_of(arguments, name)) for name in ("capsule", "body", "scope"))
    return Change(capsule, body, "" if scope and scope.strip() == ASSET else scope)


def _storable(text: str | None) -> str | None:
    """A text as a file gives it back: half of a character, which JSON may hold, becomes U+FFFD."""
    return text if text is None or text.isascii() else as_text(as_bytes(text))


def _wrote(
    desk: Desk, place: Place, written: Written, schema: Schema, broken: list[Violation], change: Change
) -> Reply:
    prior = written.prior.article if written.prior else None
    growth = list(growth_advice(prior, written.wanted)) if change.body is not None else []
    advice = list(_advice(desk, place, prior, written.wanted, schema, change))
    lines = [f"Wrote {place.shown}.{unknown_mount(desk, place)}"]
    lines += [one.text for one in growth]
    lines += [f"schema: {violation.text}" for violation in broken]
    lines += [problem.text for problem in schema.problems]
    lines += [one.text for one in advice]
    data = _data(written, schema, broken) | {
        "created": prior is None,
        "advice": [_told(one) for one in (*growth, *advice)],
        "unknown_mount": place.unknown,
    }
    return Reply("wrote", "\n".join(lines), place.shown, data, _entered(change))


def _entered(change: Change) -> str:
    """What of the article is in the conversation by the write: what the call itself carried."""
    return "\n".join(part for part in (change.capsule, change.body) if part is not None)


def _advice(
    desk: Desk, place: Place, prior: Article | None, article: Article, schema: Schema, change: Change
) -> Iterator[Advice]:
    facts = desk.facts(place, schema)
    given = change.body is not None
    other = place.mount.store.articles.same_but_case(place.address) if prior is None else None
    if other is not None:
        yield same_but_case_advice(place.mount.shown(other))
    yield from write_advice(prior, article, facts, body_given=given, by_relevance=desk.options.by_relevance)
    links = 0
    for advice in standing_advice(article, facts):
        links += advice.name == DEAD_LINK
        if links > NAMED_LINKS:
            # Dead links come last: the others are not looked for.
            yield Advice(DEAD_LINK, "more links lead to no article", "`dcc canon lint` names them all", "body")
            break
        yield advice
    yield from orphan_advice(article, facts)


def _current(
    place: Place, written: Written, schema: Schema, broken: list[Violation], change: Change
) -> Reply:
    since = f" and updated stays {written.wanted.updated}" if written.wanted.updated else ""
    text = f"{place.shown} is already current: the stored article is the same, so nothing was written{since}."
    lines = [text, *(f"schema: {violation.text}" for violation in broken), *(p.text for p in schema.problems)]
    data = _data(written, schema, broken) | {"created": False, "advice": []}
    return Reply("current", "\n".join(lines), place.shown, data, _entered(change))


def _rejected(place: Place, broken: list[Violation]) -> Reply:
    lines = ["This store's schema.json refuses the write:", *(f"- {violation.text}" for violation in broken)]
    lines.append("Nothing was written. Mend what is listed and write again.")
    return Reply("rejected", "\n".join(lines), place.shown, {"violations": [_broken(one) for one in broken]})


def _stale(desk: Desk, place: Place, written: Written) -> Reply:
    """Somebody else wrote in between: the reply holds what is there now, so the next write knows it."""
    there = written.prior
    desk.seen[place.shown] = there.base if there else "none"
    head = f"Nothing was written: {place.shown} is not as you last saw it. "
    if there is None:
        text = head + "It is gone; write again to make it anew."
        return Reply("stale", text, place.shown, {"base": "none"})
    article = there.article
    data = {"base": there.base, "capsule": article.capsule, "updated": article.updated, "scope": article.scope}
    text = f"{head}This is there now; bring your change into it and write again.\n\n"
    text += article_text(place.shown, place.shown, there)
    return Reply("stale", text, place.shown, data | {"body": article.body}, entered_by(there))


def _data(written: Written, schema: Schema, broken: list[Violation]) -> dict[str, Any]:
    assert written.stored is not None
    return {
        "base": written.stored.base,
        "updated": written.wanted.updated,
        "violations": [_broken(violation) for violation in broken],
        "schema_problems": [{"name": p.name, "message": p.message} for p in schema.problems],
    }


def _broken(violation: Violation) -> dict[str, Any]:
    return {"carrier": violation.carrier, "rule": violation.rule, "message": violation.text}


def _told(advice: Advice) -> dict[str, Any]:
    return {"name": advice.name, "message": advice.text, **advice.data}
