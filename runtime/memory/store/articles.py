"""The articles of a store: found by address, nearest first upwards; listed; read (specification, sections 1 and 2)."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ....grammar.canon.addresses import LONGEST_SEGMENT, flaw_of, upwards
from ....grammar.canon.articles import Article
from ....grammar.canon.lengths import unit_order
from ..errors import CanonError
from .files import as_text, flaw_of_file, read_file, reason_of, refuse_link
from .layout import SUFFIX, Layout

#: The base of an address that has no article.
ABSENT: Final = "none"

#: An address of fewer characters is short enough, whatever they are: one has four bytes at most.
_SHORT: Final = LONGEST_SEGMENT // 4

#: The name of the folder of articles.
_FOLDER: Final = "articles"

#: Characters of a base: 64 bits of a SHA-256 tell the versions of one article apart.
_BASE_LENGTH: Final = 16


@dataclass(frozen=True, slots=True)
class Stored:
    """An article of a store. ``base`` is the fingerprint of its file: another one means another content."""

    address: str
    path: str
    article: Article
    base: str


def base_of(data: bytes | None) -> str:
    """The fingerprint of a file's bytes; ``ABSENT`` of none."""
    return ABSENT if data is None else hashlib.sha256(data).hexdigest()[:_BASE_LENGTH]


class Articles:
    """Reads the articles of a store. Nothing is cached: other programs write there too."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._prefix = f"{layout.articles}/"

    def path_of(self, address: str) -> str | None:
        """The file of exactly this address; None when there is none.

        Names on disk are compared in NFC: some systems keep them decomposed.
        """
        path = f"{self._prefix}{address}{SUFFIX}"
        try:
            if os.access(path, os.F_OK):
                # Asked so, a file costs half of what it costs to look at what it is.
                return None if os.access(f"{path}/.", os.F_OK) else path
        except ValueError:
            return None  # A NUL, or what is no character: no file has such a name.
        return None if address.isascii() else self._spelt(address)

    def _spelt(self, address: str) -> str | None:
        """The file of an address whose names on disk are spelt in another form of Unicode."""
        return next((path for path in self._walked(f"{address}{SUFFIX}") if os.path.isfile(path)), None)

    def _walked(self, path: str) -> list[str]:
        """What a path below the articles may be, name by name as it is spelt on disk."""
        found = [self._layout.articles]
        for name in path.split("/"):
            found = [f"{folder}/{spelt}" for folder in found for spelt in _spelt(folder, name)]
        return found

    def same_but_case(self, address: str) -> str | None:
        """The address of another article that differs in the case of its letters alone; None: there is none."""
        found = [""]
        for name in f"{address}{SUFFIX}".split("/"):
            folded = name.casefold()
            found = [
                f"{above}/{_nfc(other)}" if above else _nfc(other)
                for above in found
                for other in _listed(self._prefix + above)
                if _nfc(other).casefold() == folded
            ]
        others = (path.removesuffix(SUFFIX) for path in sorted(found))
        return next((other for other in others if other != address and self.path_of(other) is not None), None)

    def resolve(self, address: str) -> str | None:
        """The address of the article that governs an address: its own, else the nearest above; None: none does."""
        for above in upwards(address):
            if self.path_of(above) is not None:
                return above
        return None

    def refuse_closed(self, address: str = "") -> None:
        """Raises OSError when it cannot be known what lies at an address, or in the store.

        A folder on the way is closed to this user, or the store's own are none. Asked where nothing was found, which
        is no answer then.
        """
        folder = self._layout.root
        for name in ("", _FOLDER, *address.split("/")[:-1]):
            folder = os.path.join(folder, name) if name else folder
            try:
                is_folder = stat.S_ISDIR(os.stat(folder).st_mode)
            except PermissionError:
                raise
            except (OSError, ValueError):
                return
            if not is_folder and folder in (self._layout.root, self._layout.articles):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder)
            if is_folder and not os.access(folder, os.R_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)

    def read(self, address: str) -> Stored | None:
        """The article of exactly this address; None when there is none.

        Raises CanonError (``outside_store``) when its file is a link out of the store.
        """
        path = self.path_of(address)
        if path is None:
            return None
        data = read_file(self.inside(path))
        return None if data is None else Stored(address, path, Article(as_text(data)), base_of(data))

    def inside(self, path: str) -> str:
        """A path with its links followed. Raises CanonError (``outside_store``) when that is outside the articles."""
        # The articles themselves may be no link: they would be somebody else's files.
        root, real = os.path.join(os.path.realpath(self._layout.root), _FOLDER), os.path.realpath(path)
        if not real.startswith(root + os.sep):
            help = "take the link away: an article lies in its store"
            raise CanonError("outside_store", f"{path} leads out of the store", help=help)
        return real

    def paths(self, closed: list[tuple[str, str]] | None = None) -> dict[str, str]:
        """The file of every address, in the order of the addresses. Linked folders are not entered.

        ``closed`` gets the folders that cannot be looked into, with why.
        """
        found = {address: entry.path for address, entry in self.entries(closed)}
        order = None if all(map(str.isascii, found)) else unit_order
        return {address: found[address] for address in sorted(found, key=order)}

    def entries(self, closed: list[tuple[str, str]] | None = None) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Every address with its file as the folder lists it, in no order. Linked folders are not entered.

        Of two files of one address it is the one that is spelt as the address is, as for ``path_of``.
        """
        listed = self._listed([] if closed is None else closed)
        return (found for found in listed if self._flaw(*found) is None and self._counts(*found))

    def _counts(self, address: str, entry: os.DirEntry[str]) -> bool:
        """Whether a file is that of its address, and no other is spelt as the address is."""
        if address.isascii():
            return True
        exact = f"{self._prefix}{address}{SUFFIX}"
        return entry.path == exact or not os.path.lexists(exact)

    def strays(self) -> Iterator[tuple[str, str]]:
        """Every file that is named as an article and cannot be one, and every folder that cannot be looked into.

        With why; in no order.
        """
        closed: list[tuple[str, str]] = []
        for address, entry in self._listed(closed):
            flaw = self._flaw(address, entry)
            if flaw is not None:
                yield entry.path, flaw
        yield from closed

    def _flaw(self, address: str, entry: os.DirEntry[str]) -> str | None:
        if not (len(address) < _SHORT and address.isprintable()):
            flaw = flaw_of(address)
            if flaw is not None:
                return flaw
        return flaw_of_file(entry, self._layout.articles)

    def _listed(self, closed: list[tuple[str, str]]) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Every file that is named as an article; ``closed`` gets the folders that cannot be looked into, with why."""
        waiting = [(self._layout.articles, "")]
        while waiting:
            folder, above = waiting.pop()
            try:
                if not above:
                    refuse_link(folder)
                listed = os.scandir(folder)
            except FileNotFoundError:
                continue
            except (CanonError, OSError) as error:
                closed.append((folder, reason_of(error)))
                continue
            with listed:
                for entry in listed:
                    name = entry.name
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, f"{above}{_nfc(name)}/"))
                    elif name.endswith(SUFFIX) and len(name) > len(SUFFIX):
                        yield above + _nfc(name[: -len(SUFFIX)]), entry

    def children(self, address: str) -> list[str]:
        """The addresses of the articles directly below an address, in their order."""
        folders = [f"{self._prefix}{address}"] if address.isascii() else self._walked(address)
        names = {_nfc(name) for folder in folders for name in _listed(folder) if name.endswith(SUFFIX)}
        return sorted((f"{address}/{name[: -len(SUFFIX)]}" for name in names), key=unit_order)


def _nfc(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _spelt(folder: str, name: str) -> list[str]:
    """The names in a folder that are the same in NFC; the one that is spelt so comes first, the others in order."""
    return sorted((other for other in _listed(folder) if _nfc(other) == name), key=lambda other: (other != name, other))


def _listed(folder: str) -> list[str]:
    """The names in a folder; none where it cannot be looked into."""
    try:
        return os.listdir(folder)
    except OSError:
        return []
