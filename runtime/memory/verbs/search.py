"""``search``: articles, and journal entries when they are asked for, by words."""

from __future__ import annotations

from typing import Any, Final

from ....grammar.canon.articles import Article, one_line
from ....grammar.canon.words import folded
from ..desk import Desk
from ..reply import Reply
from ..search.find import Hit, find
from ..store.mounts import Mount
from ..store.rows import row_of
from .arguments import Arguments, text_of
from .journal import unknown_mount

#: Characters of a text that a line shows; section 4.5.
EXCERPT: Final = 160

_CUT: Final = "..."


def search(desk: Desk, arguments: Arguments) -> Reply:
    """Search the articles of the project, or of the mount that ``path`` names, and with ``journal`` the journal."""
    query = text_of(arguments, "query")
    if query is None:
        return Reply("no_query", "search needs a query.")
    desk.indexes.begin(desk.call)
    place, project = desk.mounts.place(arguments.get("path")), desk.mounts.project
    articles = desk.indexes.articles(place.mount)
    entries = desk.indexes.entries(project) if arguments.get("journal") is True else None
    found = find(query, articles, entries)
    listed = [_article(place.mount, hit) for hit in found.articles]
    logged = [_entry(project, hit) for hit in found.entries]
    unsearched = entries is None and next(project.store.journal.entries(), None) is not None
    data: dict[str, Any] = {
        "query": query,
        "by": found.by,
        "articles": listed,
        "journal": logged,
        "more": found.more,
        "journal_searched": entries is not None,
        "journal_unsearched": unsearched,
    }
    lines = [_article_line(one) for one in listed] + [_entry_line(one) for one in logged]
    code = "found"
    if not articles.known and not (entries and entries.known):
        place.mount.store.articles.refuse_closed()
        is_there = next(place.mount.store.articles.entries(), None) is not None
        told = "No article can be read: `dcc canon lint` says why." if is_there else "Nothing is in the canon yet."
        code, lines = "empty", [told]
    elif not lines:
        code, lines = "no_match", [f'Nothing matches "{excerpt_of(query)}".']
    if found.more:
        lines.append(f"... and {found.more} more matched; narrow the query to see them.")
    if unsearched:
        lines.append("The journal was not searched; pass journal true (--journal in a shell) to search it too.")
    text = "\n".join(lines) + unknown_mount(desk, place)
    return Reply(code, text, place.mount.shown(""), data)


def _article(mount: Mount, hit: Hit) -> dict[str, Any]:
    stored = mount.store.articles.read(hit.key)
    article = stored.article if stored else Article("")
    capsule, excerpt = article.capsule, excerpt_of(article.body)
    return {"address": mount.shown(hit.key), "capsule": capsule, "excerpt": excerpt, "score": hit.score}


def _entry(mount: Mount, hit: Hit) -> dict[str, Any]:
    entry = mount.store.journal.readable(hit.key)
    row = row_of(hit.key, entry) if entry else None
    return {
        "name": hit.key,
        "logged": row.logged if row else "",
        "subjects": list(row.subjects) if row else [],
        "excerpt": excerpt_of(entry.body) if entry else "",
        "score": hit.score,
    }


def _article_line(one: dict[str, Any]) -> str:
    told = one["capsule"] or one["excerpt"]
    return f"{one['address']}: {told}" if told else str(one["address"])


def _entry_line(one: dict[str, Any]) -> str:
    subjects = f" ({', '.join(one['subjects'])})" if one["subjects"] else ""
    return f"journal {one_line(one['logged'] + subjects)}: {one['excerpt']}"


def excerpt_of(text: str) -> str:
    """The beginning of a text on one line."""
    line = folded(text)
    return line if len(line) <= EXCERPT else line[: EXCERPT - len(_CUT)] + _CUT
