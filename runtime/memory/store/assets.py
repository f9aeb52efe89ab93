"""Assets: what lies on disk beside a store, and whether an address is that of one (specification, section 5)."""

from __future__ import annotations

import os
import unicodedata

from ....grammar.canon.addresses import parent_of


class Assets:
    """Looks at the folder that a store belongs to. A folder is listed once in the life of one of these."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._stems: dict[str, frozenset[str] | None] = {}

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

    def _in(self, folder: str) -> frozenset[str] | None:
        """The names in a folder, each also without its extension; None: no folder, or none that may be read."""
        if folder not in self._stems:
            try:
                listed = os.listdir(f"{self._folder}/{folder}")
            except (OSError, ValueError):
                self._stems[folder] = None
            else:
                names = [name if name.isascii() else unicodedata.normalize("NFC", name) for name in listed]
                stems = (name.rpartition(".")[0] for name in names if "." in name)
                self._stems[folder] = frozenset({*names, *stems})
        return self._stems[folder]
