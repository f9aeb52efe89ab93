"""Where things lie in a store (specification of canon, section 0), and in the folder that dcc adds to it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

#: The folder of a store in the folder that it belongs to.
STORE: Final = ".canon"

#: What dcc keeps in a store for itself. The original never looks there; it holds nothing that cannot be lost.
OWN: Final = ".dcc"

#: The end of the name of every article and entry.
SUFFIX: Final = ".md"


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of a store in the folder ``root``."""

    root: str

    @property
    def articles(self) -> str:
        """The folder of articles, a file an address."""
        return f"{self.root}/articles"

    @property
    def journal(self) -> str:
        """The folder of journal entries."""
        return f"{self.root}/journal"

    @property
    def schema(self) -> str:
        """The file of what the store asks of articles."""
        return f"{self.root}/schema.json"

    @property
    def index(self) -> str:
        """The derived index of the journal, shared with the original."""
        return f"{self.root}/.journal-index.jsonl"

    @property
    def own(self) -> str:
        """The folder of dcc."""
        return f"{self.root}/{OWN}"

    @property
    def lock(self) -> str:
        """The file that writers lock."""
        return f"{self.root}/{OWN}/lock"

    @property
    def temporary(self) -> str:
        """Where files are made before they get their names."""
        return f"{self.root}/{OWN}/tmp"

    @property
    def replaced(self) -> str:
        """The texts that writes replaced, by address."""
        return f"{self.root}/{OWN}/replaced"

    def article(self, address: str) -> str:
        """The file of an address, as dcc writes it."""
        return f"{self.root}/articles/{address}{SUFFIX}"

    @property
    def is_begun(self) -> bool:
        """Whether anything was ever kept in the store."""
        return os.path.isdir(self.articles) or os.path.isdir(self.journal)
