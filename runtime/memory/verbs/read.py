"""``read``: the article that governs a path, with what the journal and the schema have to say of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ....compiler.canon.advice import orphan_advice
from ....compiler.canon.enforcing import violations
from ....grammar.canon.lengths import WHITE
from ..desk import Desk
from ..reply import Reply
from ..store.articles import ABSENT, Stored
from ..store.mounts import Place
from .arguments import Arguments
from .journal import unknown_mount

#: Journal entries that a read names; the newest.
NAMED: Final = 3


def read(desk: Desk, arguments: Arguments) -> Reply:
    """Read the nearest article at or above a path."""
    place = desk.mounts.place(arguments.get("path"))
    if not place.address:
        return Reply("no_path", "read needs a path.")
    articles = place.mount.store.articles
    found = articles.resolve(place.address)
    stored = articles.read(found) if found is not None else None
    if stored is None or stored.address != place.address:
        desk.seen[place.shown] = ABSENT
    if stored is None:
        articles.refuse_closed(place.address)
        text = f"No article governs {place.shown}. When the work on it is done, create one with write."
        return Reply("no_article", text + unknown_mount(desk, place), place.shown, {"requested": place.shown})
    governing = Place(place.mount, stored.address)
    desk.seen[governing.shown] = stored.base
    names = desk.mounts.project.store.journal.mentions(governing.shown)
    newest, earlier = names[::-1][:NAMED], max(0, len(names) - NAMED)
    problems = list(_problems(desk, governing, stored))
    article = stored.article
    data: dict[str, Any] = {
        "requested": place.shown,
        "exact": stored.address == place.address,
        "capsule": article.capsule,
        "updated": article.updated,
        "scope": article.scope,
        "body": article.body,
        "base": stored.base,
        "journal": list(newest),
        "earlier": earlier,
        "problems": [{"name": name, "message": message} for name, message in problems],
    }
    blocks = [article_text(governing.shown, place.shown, stored)]
    if newest:
        blocks.append(f"journal: {', '.join(newest)}{f' and {earlier} earlier' if earlier else ''}")
    blocks += [message for _, message in problems]
    code = "article" if stored.address == place.address else "governed"
    return Reply(code, "\n\n".join(blocks), governing.shown, data, entered_by(stored))


def article_text(shown: str, requested: str, stored: Stored) -> str:
    """An article as replies print it: a title line, its front matter, a blank line, its body."""
    article = stored.article
    head = [shown if shown == requested else f"{shown} governs {requested}"]
    head += [f"{key}: {value}" for key, value in (("capsule", article.capsule), ("updated", article.updated)) if value]
    return "\n".join([*head, "", article.body.strip(WHITE)])


def entered_by(stored: Stored) -> str:
    """What of an article enters a conversation that reads it."""
    return f"{stored.article.capsule}\n{stored.article.body}"


def _problems(desk: Desk, place: Place, stored: Stored) -> Iterator[tuple[str, str]]:
    """What is wrong with the article as it stands: name and message; reading it is never refused."""
    schema = place.mount.store.schema()
    broken = [*violations(schema, stored.article)]
    broken += desk.relations(place.mount).broken(schema, place.address, stored.article)
    said = [violation.text for violation in broken] + [problem.text for problem in schema.problems]
    if said:
        mended = " A write can mend this article." if broken else ""
        yield "schema", f"schema (schema.json): {' '.join(said)}{mended}"
    for advice in orphan_advice(stored.article, desk.facts(place, schema)):
        yield advice.name, advice.text
