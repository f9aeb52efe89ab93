"""What the verbs of one session share: the mounts, the options, and which text of each article was last seen."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache

from ...compiler.canon.advice import Facts
from ...compiler.canon.schema import Schema
from ...grammar.canon.addresses import parent_of
from ..kernel.clock import Clock, SystemClock
from .options import Options
from .search.indexes import Indexes
from .store.layout import STORE
from .store.linking import linked
from .store.mounts import Mount, Mounts, Place, named_apart
from .store.relations import Relations
from .store.store import Store


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who writes journal entries; empty texts are not written."""

    harness: str = ""
    session: str = ""


@dataclass(slots=True)
class Desk:
    """``seen`` holds, by address with mount, the fingerprint of the text that the session last saw of an article.

    ``call`` is the call that is going on, for a session that knows of calls: within one of them files are looked at
    once. None: every call of the tool stands alone.
    """

    mounts: Mounts
    options: Options
    read_only: bool = False
    provenance: Provenance = Provenance()
    seen: dict[str, str] = field(default_factory=dict)
    indexes: Indexes = field(default_factory=Indexes)
    call: object = None
    _relations: dict[str, Relations] = field(default_factory=dict)

    def relations(self, mount: Mount) -> Relations:
        """The links between the articles of a mount's store."""
        if mount.name not in self._relations:
            self._relations[mount.name] = Relations(self.mounts, mount)
        return self._relations[mount.name]

    def facts(self, place: Place, schema: Schema) -> Facts:
        """What advice must know of an address."""
        assets, articles = place.mount.assets(), place.mount.store.articles
        parent = parent_of(place.address)
        return Facts(
            address=place.address,
            shown=place.shown,
            governs=assets.governed_by(place.address),
            has_folder=assets.has_folder(place.address),
            has_parent=bool(parent) and articles.path_of(parent) is not None,
            is_live=cache(lambda target: linked(self.mounts, place.mount, target) is not None),
            schema=schema,
        )


def desk_for(
    cwd: str,
    options: Options,
    *,
    clock: Clock | None = None,
    read_only: bool = False,
    provenance: Provenance = Provenance(),
) -> Desk:
    """The desk of a session that works in the folder ``cwd``. Nothing is made on disk."""
    clock = clock or SystemClock()
    here = os.path.abspath(cwd)

    def store(root: str) -> Store:
        return Store(_slashed(root), clock=clock, read_only=read_only)

    folders = [_mounted(os.path.normpath(os.path.join(here, folder))) for folder in options.mounts]
    mounts = [Mount("", _slashed(here), store(os.path.join(here, options.root)))]
    for name, folder in zip(named_apart(folders), folders, strict=True):
        mounts.append(Mount(name, _slashed(folder), store(os.path.join(folder, STORE))))
    return Desk(Mounts(mounts), options, read_only, provenance)


def _mounted(folder: str) -> str:
    """The folder that a mount names: that of a store too, whose own folder is meant then."""
    above, name = os.path.split(folder)
    return above if name == STORE else folder


def _slashed(path: str) -> str:
    return path.replace("\\", "/") if os.sep == "\\" else path
