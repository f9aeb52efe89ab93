"""The texts that writes replaced: kept for a while, so that a write over somebody else's can be taken back."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from ....grammar.canon.articles import Article
from .articles import Stored
from .files import as_bytes, as_text, read_file
from .layout import SUFFIX, Layout

#: Versions of an article that are kept; older ones go.
KEPT: Final = 20


@dataclass(frozen=True, slots=True)
class Version:
    """A text that was replaced: its name (an instant, with ``base`` behind it), oldest first in order of names."""

    name: str
    path: str

    @property
    def base(self) -> str:
        """The fingerprint of the text."""
        return self.name.rpartition("-")[2]


class Versions:
    """The replaced texts of a store's articles, a folder an address."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def keep(self, stored: Stored, instant: str) -> None:
        """Keep the text that is about to be replaced. The caller holds the lock of the store."""
        folder = self._folder(stored.address)
        os.makedirs(folder, exist_ok=True)
        number = f"{instant.replace(':', '').replace('-', '')}-{stored.base}"
        path = f"{folder}/{number}"
        if not os.path.exists(path):
            try:
                # The old file itself, under a second name: nothing is copied.
                os.link(os.path.realpath(stored.path), path)
            except OSError:
                with open(path, "wb") as copy:
                    copy.write(as_bytes(stored.article.text))
        for old in self.of(stored.address)[:-KEPT]:
            os.unlink(old.path)

    def of(self, address: str) -> list[Version]:
        """The versions of an address, oldest first."""
        folder = self._folder(address)
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return [Version(name, f"{folder}/{name}") for name in sorted(names) if not name.endswith(SUFFIX)]

    def read(self, version: Version) -> Article | None:
        """The text of a version; None when it is gone."""
        data = read_file(version.path)
        return None if data is None else Article(as_text(data))

    def _folder(self, address: str) -> str:
        return f"{self._layout.replaced}/{address}{SUFFIX}"
