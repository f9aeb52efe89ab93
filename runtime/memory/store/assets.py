"""Assets: what lies on disk beside a store, and whether an address is that of one (specification, section 5)."""

from __future__ import annotations

import os
import unicodedata

from ....grammar.canon.addresses import parent_of


class Assets:
    """Looks at the folder that a store belongs to. A folder is listed once in the life of one of these."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._named: dict[str, dict[str, list[str]] | None] = {}

    def has(self, path: str) -> bool:
        """Whether a file or folder is spelt exactly so."""
        return os.path.lexists(f"{self._folder}/{path}")

    def has_folder(self, address: str) -> bool:
        """Whether the folder is there in which the asset of an address would lie."""
        return self._in(parent_of(address)) is not None

    def governed_by(self, address: str) -> bool:
        """Whether an asset has this address: a file or folder of that name, or with one extension more."""
        names = self._in(parent_of(address))
        return names is not None and address.rpartition("/")[2] in names

    def at(self, address: str) -> list[str]:
        """The assets that have this address, as paths in the order of their names; a folder ends in a slash."""
        folder, slash, last = address.rpartition("/")
        paths = [f"{folder}{slash}{name}" for name in sorted((self._in(folder) or {}).get(last, ()))]
        return [f"{path}/" if os.path.isdir(f"{self._folder}/{path}") else path for path in paths]

    def _in(self, folder: str) -> dict[str, list[str]] | None:
        """The names in a folder by what they are called, with and without their extension; None: it cannot be read."""
        if folder not in self._named:
            try:
                listed = os.listdir(f"{self._folder}/{folder}")
            except (OSError, ValueError):
                self._named[folder] = None
            else:
                named: dict[str, list[str]] = {}
                for name in listed:
                    name = name if name.isascii() else unicodedata.normalize("NFC", name)
                    named.setdefault(name, []).append(name)
                    if "." in name:
                        named.setdefault(name.rpartition(".")[0], []).append(name)
                self._named[folder] = named
        return self._named[folder]
