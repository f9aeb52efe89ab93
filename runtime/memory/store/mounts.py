"""Mounts: the folders whose knowledge a session sees, each with a store of its own (specification, section 1)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....grammar.canon.addresses import contained, leads_out, slashed, upwards, without_extension
from .assets import Assets
from .store import Store


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder with a store. ``name`` is empty for the project, which is the first mount."""

    name: str
    folder: str
    store: Store

    def shown(self, address: str) -> str:
        """An address as replies write it: with the name of its mount."""
        return f"{self.name}:{address}" if self.name else address

    def assets(self) -> Assets:
        """What lies in the folder, as it is now."""
        return Assets(self.folder)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads: an address in a mount. ``unknown``: what looks like the name of a mount and is none.

    ``outside``: the path leads out of the mount's folder; the address is of what is left of it.
    """

    mount: Mount
    address: str
    unknown: str | None = None
    outside: bool = False

    @property
    def shown(self) -> str:
        """The address with the name of its mount."""
        return self.mount.shown(self.address)


class Mounts:
    """The project's mount and those beside it, in their order."""

    def __init__(self, mounts: Sequence[Mount]) -> None:
        self.all = tuple(mounts)
        self.project = self.all[0]
        self._named = {mount.name: mount for mount in self.all if mount.name}

    def __iter__(self) -> Iterator[Mount]:
        return iter(self.all)

    def named(self, name: str) -> Mount | None:
        """The mount of a name; None: there is none."""
        return self._named.get(name)

    def place(self, path: object) -> Place:
        """Where a path of a tool call leads; what is no text leads to the empty address of the project.

        `name:rest` is in the mount of that name, a path in a mount's folder is in that mount, all else is in the
        project. An address that is an article's and no asset's is taken as it is: `src/a.test`, as `map` prints it,
        is not `src/a`.
        """
        mount, path, unknown = self._route(path)
        return Place(mount, _settled(mount, path), unknown, leads_out(path, mount.folder))

    def places(self, path: object) -> tuple[Place, ...]:
        """Where the path of a listing may lead, the likeliest first: as it is written, then as ``place`` has it."""
        mount, text, unknown = self._route(path)
        exact, settled = contained(text, mount.folder), _settled(mount, text)
        outside = leads_out(text, mount.folder)
        return tuple(Place(mount, address, unknown, outside) for address in dict.fromkeys((exact, settled)))

    def of_asset(self, path: str) -> Place:
        """Where the path of an asset leads that a tool call touched; a relative path is below the project's folder."""
        path = slashed(path)
        if not path.startswith("/") and self._named and not leads_out(path):
            path = f"{self.project.folder}/{contained(path)}" if ":" not in path else path
        return self.place(path)

    def within(self, path: str) -> str | None:
        """An absolute path as one below the folder of a mount, also when a link leads there; None: it is in no mount.

        Of a path with `..` that is what it leads to.
        """
        path = os.path.normpath(path).replace(os.sep, "/")
        for mount in (*self.all[1:], self.project):
            if path == mount.folder or path.startswith(mount.folder.rstrip("/") + "/"):
                return path
        folders = {_identity(mount.folder): mount.folder for mount in reversed(self.all)}
        for above in upwards(path):
            identity = _identity(above)
            if identity is not None and identity in folders:
                return folders[identity].rstrip("/") + path[len(above) :]
        return None

    def _route(self, path: object) -> tuple[Mount, str, str | None]:
        text = slashed(path) if isinstance(path, str) else ""
        name, colon, rest = text.partition(":")
        if colon and name in self._named:
            return self._named[name], rest, None
        if os.path.isabs(text) or leads_out(text):
            text = self.within(f"{self.project.folder}/{text}" if not os.path.isabs(text) else text) or text
        for mount in self.all[1:]:
            if text == mount.folder or text.startswith(mount.folder + "/"):
                return mount, text, None
        is_name = bool(colon) and len(name) > 1 and "/" not in name
        unknown = is_name and not self.project.assets().has(contained(text, self.project.folder))
        return self.project, text, name if unknown else None


def _settled(mount: Mount, path: str) -> str:
    exact = contained(path, mount.folder)
    if exact and mount.store.articles.path_of(exact) is not None and not mount.assets().has(exact):
        return exact
    return without_extension(exact)


def _identity(path: str) -> tuple[int, int] | None:
    """What tells a folder from all others, however its path is written; None: there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def named_apart(folders: Sequence[str]) -> list[str]:
    """A name for each folder: its last component, with a number where an earlier folder has it too.

    (In the original the second of two folders of one name cannot be reached.)
    """
    names: list[str] = []
    for folder in folders:
        name, number = os.path.basename(folder) or "root", 1
        wanted = name
        while wanted in names:
            number += 1
            wanted = f"{name}-{number}"
        names.append(wanted)
    return names
