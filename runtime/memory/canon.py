"""Canon: the project's memory, as a session, a server or a command uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...compiler.counted import counted
from ..kernel.clock import Clock
from . import tool
from .desk import Desk, Provenance, desk_for
from .options import Options
from .outside import with_outside
from .reply import Reply
from .store.files import reason_of
from .store.mounts import Mount, Mounts, Place


class Canon:
    """The stores of the folder ``cwd`` and of its mounts.

    It touches no disk before it is first used, and makes nothing there before something is kept. ``read_only``:
    writes are refused. ``provenance`` is put into the journal entries that are written.
    """

    def __init__(
        self,
        cwd: str,
        options: Options | None = None,
        *,
        clock: Clock | None = None,
        read_only: bool = False,
        provenance: Provenance | None = None,
    ) -> None:
        self.cwd = cwd
        self.options = options or Options()
        self.read_only = read_only
        self._clock = clock
        self._provenance = provenance or Provenance()
        self._opened: Desk | None = None

    @property
    def desk(self) -> Desk:
        """What the verbs work on; opened when it is first asked for."""
        if self._opened is None:
            self._opened = desk_for(
                self.cwd, self.options, clock=self._clock, read_only=self.read_only, provenance=self._provenance
            )
        return self._opened

    def use(self, options: Options) -> None:
        """Go on with other options; where stores lie stays as it was when they were opened."""
        self.options = options
        if self._opened is not None:
            self._opened.options = options

    @property
    def mounts(self) -> Mounts:
        """The project and its mounts."""
        return self.desk.mounts

    def call(self, arguments: Mapping[str, object]) -> Reply:
        """Answer a call of the tool ``canon``. Nothing raises for bad arguments."""
        return tool.call(self.desk, arguments)

    def governing(self, path: str) -> Place | None:
        """The article that governs an asset path as a tool call names it; None: none does."""
        place = self.mounts.of_asset(path)
        found = place.mount.store.articles.resolve(place.address)
        return None if found is None else Place(place.mount, found)

    def restore(self, path: str, version: str | None = None) -> Reply:
        """Bring back the text that the last write of an article replaced, or the ``version`` of that name or base."""
        return with_outside(self._restored(path, version), self.mounts, (path,))

    def _restored(self, path: str, version: str | None) -> Reply:
        place = self.mounts.place(path)
        if not place.address:
            return Reply("no_path", "restore needs a path.")
        if self.read_only:
            return Reply("read_only", "This session is read-only, so restore is refused.")
        written = place.mount.store.restore(place.address, version)
        if written is None or written.stored is None:
            which = f"version {version}" if version else "replaced text"
            return Reply("nothing_to_restore", f"No {which} of {place.shown} is kept.", place.shown)
        self.desk.seen[place.shown] = written.stored.base
        self.desk.indexes.forget()
        data = {"base": written.stored.base, "updated": written.wanted.updated}
        if written.verdict == "current":
            return Reply("current", f"{place.shown} is that text already.", place.shown, data)
        return Reply("restored", f"Restored {place.shown}; what was there is kept in turn.", place.shown, data)

    def versions(self, path: str) -> Reply:
        """The texts of an article that were replaced and are kept, newest first."""
        return with_outside(self._versions(path), self.mounts, (path,))

    def _versions(self, path: str) -> Reply:
        place = self.mounts.place(path)
        found = place.mount.store.versions.of(place.address)[::-1] if place.address else []
        if not found:
            return Reply("nothing_to_restore", f"No replaced text of {place.shown} is kept.", place.shown)
        data = {"versions": [{"name": one.name, "base": one.base} for one in found]}
        return Reply("versions", "\n".join(one.name for one in found), place.shown, data)

    def init(self) -> Reply:
        """Make an empty store in the project."""
        if self.read_only:
            return Reply("read_only", "This session is read-only, so init is refused.")
        root = self.mounts.project.store.layout.root
        if self.mounts.project.store.begin():
            return Reply("initialised", f"Made an empty store in {root}.", data={"root": root})
        return Reply("exists", f"There is a store in {root}.", data={"root": root})

    def status(self, more: str = "") -> Reply:
        """How much is kept where; ``more`` goes on behind it. Counts are those of the project's store.

        A schema that cannot be used is told of in a line of its own, for every store.
        """
        project = self.mounts.project.store
        articles, entries = len(project.articles.paths()), len(project.journal.names())
        others = [mount for mount in self.mounts if mount.name]
        mounted = f", {len(others)} mounted" if others else ""
        kept = f"{counted(articles, 'article')}, {counted(entries, 'journal entry', 'journal entries')}"
        problems = [
            f"{mount.name}: {problem.text}" if mount.name else problem.text
            for mount in self.mounts
            for problem in mount.store.schema().problems
            if problem.fatal
        ]
        try:
            project.articles.refuse_closed()
        except OSError as error:
            problems.append(f"{error.filename} cannot be looked into: {reason_of(error)}.")
        text = "\n".join([f"canon at {project.layout.root}{mounted}: {kept}{more}", *problems])
        data: dict[str, Any] = {
            "root": project.layout.root,
            "mounts": [_mounted(mount) for mount in others],
            "articles": articles,
            "entries": entries,
            "problems": problems,
        }
        return Reply("status", text, data=data)


def _mounted(mount: Mount) -> dict[str, str]:
    return {"name": mount.name, "folder": mount.folder}
