"""A graph: articles, journal entries and assets as nodes, and what points to what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["article", "entry", "asset"]


@dataclass(frozen=True, slots=True)
class Node:
    """An article, a journal entry or an asset.

    ``path`` is the address of an article in its ``mount``, the file name of an entry, the path of an asset. ``text``
    is the capsule of an article, the beginning of an entry; ``date`` when it was written. ``lost`` are the links or
    subjects that lead to nothing that is there.
    """

    kind: Kind
    mount: str
    path: str
    title: str = ""
    text: str = ""
    date: str = ""
    scope: str = ""
    lost: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The path with the name of its mount."""
        return f"{self.mount}:{self.path}" if self.mount else self.path


@dataclass(frozen=True, slots=True)
class Graph:
    """``edges`` are pairs of positions in ``nodes``, from and to, each once.

    An article points to the articles that its body links to and to the assets that it governs, an entry to what it
    is about.
    """

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]

    def count(self, kind: Kind) -> int:
        """How many nodes are of a kind."""
        return sum(node.kind == kind for node in self.nodes)
