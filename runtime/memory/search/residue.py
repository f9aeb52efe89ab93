"""The articles that no touch of an asset leads to, which relevance alone finds (specification of canon, section 9)."""

from __future__ import annotations

from dataclasses import dataclass

from ....grammar.canon.lengths import unit_order
from ..store.mounts import Mount
from .bm25 import scores
from .find import Hit, ranked
from .index import Index, Within
from .tokens import terms_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """An article that may be shown for its relevance. ``declared``: it says itself that it is a rule."""

    path: str
    capsule: str
    body: str
    updated: str
    declared: bool


class Residue:
    """The residue of a mount: articles whose address governs no asset, and those that are declared to be rules.

    It is made anew when an article comes, goes or changes. (An asset that comes or goes is noticed then too, as in
    the original: to look for that at every call would cost more than it tells.)
    """

    def __init__(self, mount: Mount) -> None:
        self._mount = mount
        self._addresses: dict[str, bool] = {}
        self._generation = -1
        self._within: tuple[int, Within] | None = None

    def refresh(self, index: Index) -> bool:
        """Look whether an article has changed; whether the residue was made anew."""
        if index.generation == self._generation:
            return False
        self._generation = index.generation
        assets = self._mount.assets()
        declared = {address: index.is_declared(address) for address in index.known}
        self._addresses = {
            address: is_declared
            for address, is_declared in declared.items()
            if is_declared or not assets.governed_by(address)
        }
        return True

    def __len__(self) -> int:
        return len(self._addresses)

    def is_declared(self, address: str) -> bool:
        """Whether an article of the residue is declared to be a rule."""
        return self._addresses[address]

    def scored(self, query: str, index: Index) -> tuple[Hit, ...]:
        """The articles with a score above 0 for a query, best first, as if the residue were the whole store."""
        if self._within is None or self._within[0] != index.edition:
            self._within = (index.edition, index.within(self._addresses))
        return ranked(index, scores(terms_of(query), [self._within[1]])[0])

    def candidates(self) -> list[Candidate]:
        """The articles themselves, in order of their addresses; one that is gone meanwhile is left out."""
        found = []
        for address in sorted(self._addresses, key=unit_order):
            stored = self._mount.store.articles.read(address)
            if stored is not None:
                article, declared = stored.article, self._addresses[address]
                found.append(Candidate(address, article.capsule, article.body, article.updated, declared))
        return found
