"""``journal``: an entry about what happened, and whether its values are in the articles that it is about."""

from __future__ import annotations

from itertools import islice
from typing import Final

from ....grammar.canon.entries import Entry
from ....grammar.canon.lengths import WHITE
from ....grammar.canon.values import MOST, missing_values
from ..desk import Desk
from ..errors import CanonError
from ..reply import Reply
from ..store.articles import Stored
from ..store.mounts import Place
from .arguments import Arguments, text_of, texts_of

#: Subjects of an entry, at most: each is looked for on disk, and stands in the index.
MOST_SUBJECTS: Final = 100


def journal(desk: Desk, arguments: Arguments) -> Reply:
    """Append an entry to the project's journal."""
    if desk.read_only:
        return refused("journal")
    body = text_of(arguments, "body")
    if body is None:
        return Reply("no_body", "journal needs a body: what happened, with its names and numbers.")
    given = dict.fromkeys(texts_of(arguments, "subject"))
    places = [desk.mounts.place(subject) for subject in islice(given, MOST_SUBJECTS)]
    places = [place for place in places if place.address]
    subjects = tuple(dict.fromkeys(place.shown for place in places))
    by = desk.provenance
    entry = Entry(body.strip(WHITE), subjects, harness=by.harness, session=by.session)
    name = desk.mounts.project.store.log(entry, text_of(arguments, "slug") or "")
    lines = [f"Logged {name}."]
    if len(given) > MOST_SUBJECTS:
        lines.append(f"subject: only the first {MOST_SUBJECTS} of {len(given)} are kept.")
    # A text instead of a list is no subject, as in the original; the reply says so, as of all that is ignored.
    ignored = isinstance(arguments.get("subject"), str)
    missing = _missing(places, body)
    if missing:
        named = "; ".join(f"{shown} does not have {', '.join(values)}" for shown, values in missing.items())
        lines.append(
            f"The entry records values that its articles lack: {named}. An article surfaces on a touch and the journal "
            "does not: put those that matter beyond this event into the article, as they are."
        )
    data = {"name": name, "subjects": list(subjects), "missing": missing, "subject_ignored": ignored}
    return Reply("logged", "\n".join(lines), subjects[0] if subjects else "", data)


def _missing(places: list[Place], body: str) -> dict[str, list[str]]:
    """By address the values that the entry has and the article of exactly that address lacks; a few of all."""
    found: dict[str, list[str]] = {}
    left = MOST
    for place in dict.fromkeys(places):
        stored = _stored(place)
        if stored is None or not left:
            continue
        values = missing_values(body, f"{stored.article.capsule} {stored.article.body}")[:left]
        left -= len(values)
        if values:
            found[place.shown] = list(values)
    return found


def _stored(place: Place) -> Stored | None:
    """The article of exactly this address; one that cannot be read is none: the entry is logged already."""
    try:
        return place.mount.store.articles.read(place.address)
    except (CanonError, OSError):
        return None


def refused(verb: str) -> Reply:
    """The reply to a write of a session that only reads."""
    text = f"This session is read-only, so {verb} is refused. read, map and search work."
    return Reply("read_only", text, data={"action": verb})


def unknown_mount(desk: Desk, place: Place) -> str:
    """What is said when a path begins like the name of a mount and none is called so; else nothing."""
    if place.unknown is None:
        return ""
    names = [mount.name for mount in desk.mounts if mount.name]
    known = f"the mounts are {', '.join(names)}" if names else "there are no mounts"
    return f" (No mount is called {place.unknown}: {known}, so this is an address of the project.)"
