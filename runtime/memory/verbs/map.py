"""``map``: the addresses of a store, or of a part of it, with their capsules."""

from __future__ import annotations

from ....grammar.canon.articles import Article
from ..desk import Desk
from ..errors import CanonError
from ..reply import Reply
from ..store.files import as_text, read_file, reason_of
from ..store.mounts import Place
from .arguments import Arguments
from .journal import unknown_mount


def map_(desk: Desk, arguments: Arguments) -> Reply:
    """List the articles at and below a path, all of the project without one; `lake:` lists a mount."""
    places = desk.mounts.places(arguments.get("path"))
    place = places[0]
    found: list[dict[str, str]] = []
    closed: list[tuple[str, str]] = []
    for place in places:
        found = _listed(place, closed)
        if found:
            break
    if not found:
        place.mount.store.articles.refuse_closed(place.address)
        where = f" under {place.shown}" if place.address or place.mount.name else " yet"
        return Reply("no_articles", f"No articles{where}.{unknown_mount(desk, place)}", place.shown, {"articles": []})
    lines = [*map(_line, found), *(f"(not looked into: {path}: {reason})" for path, reason in dict.fromkeys(closed))]
    return Reply("articles", "\n".join(lines), place.shown if place.address else "", {"articles": found})


def _listed(place: Place, closed: list[tuple[str, str]]) -> list[dict[str, str]]:
    """Address (with its mount) and capsule of the articles at and below a place; a ``flaw`` where one is not read.

    ``closed`` gets the folders of the store that cannot be looked into, with why.
    """
    paths = place.mount.store.articles.paths(closed)
    below = f"{place.address}/"
    return [
        {"address": place.mount.shown(address), **_said(path)}
        for address, path in paths.items()
        if not place.address or address == place.address or address.startswith(below)
    ]


def _said(path: str) -> dict[str, str]:
    try:
        return {"capsule": Article(as_text(read_file(path) or b"")).capsule}
    except (CanonError, OSError) as error:
        return {"capsule": "", "flaw": reason_of(error)}


def _line(one: dict[str, str]) -> str:
    said = f"(not read: {one['flaw']})" if "flaw" in one else one["capsule"]
    return f"{one['address']}: {said}" if said else one["address"]
