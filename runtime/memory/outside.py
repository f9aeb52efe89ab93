"""What is said of a path whose address is hardly the one that was meant.

It leads out of the project, or of the mount that it names; or it is the file of an article.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from .reply import Reply
from .store.mounts import Mounts, Place
from .verbs.search import excerpt_of

#: Paths that a reply names.
NAMED: Final = 5


def with_outside(reply: Reply, mounts: Mounts, paths: Iterable[str]) -> Reply:
    """The reply with a line for every such path: which address was taken for it, and which article its file is of.

    The data holds addresses by path, as ``outside`` and as ``file_of``.
    """
    places = {path: mounts.place(path) for path in dict.fromkeys(paths)}
    outside = {path: place for path, place in places.items() if place.outside}
    files = {path: of for path, place in places.items() if (of := _file_of(place)) is not None}
    lines = [_outside(path, place) for path, place in outside.items()]
    lines += [f"{excerpt_of(path)} is the file of the article {of}: name that." for path, of in files.items()]
    if not lines:
        return reply
    if len(lines) > NAMED:
        lines[NAMED:] = [f"{len(lines) - NAMED} more paths are of that kind."]
    data = dict(reply.data)
    if outside:
        data["outside"] = {path: place.shown for path, place in outside.items()}
    if files:
        data["file_of"] = files
    return replace(reply, text="\n".join((reply.text, *lines)), data=data)


def _outside(path: str, place: Place) -> str:
    where = f"{excerpt_of(path)} lies outside of {place.mount.folder}"
    return f"{where}: as an address it is {place.shown}." if place.address else f"{where}, where it is no address."


def _file_of(place: Place) -> str | None:
    """The address of the article whose file a place is, in the store of its mount; None: it is no such file."""
    articles = place.mount.store.layout.articles + "/"
    path = f"{place.mount.folder}/{place.address}"
    if not path.startswith(articles):
        return None
    address = path.removeprefix(articles)
    return None if place.mount.store.articles.path_of(address) is None else place.mount.shown(address)
