"""Articles that come by their relevance to the work: who scores them, and which of them ride along."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, Final, Protocol

from ..desk import Desk
from .find import Hit, in_order
from .residue import Candidate, Residue
from .standout import Ranked, rank

#: What is told of every step, for those who look how retrieval does: a kind and its fields (section 9).
Trace = Callable[[str, Mapping[str, Any]], None]

LEXICAL: Final = "lexical"


class Retriever(Protocol):
    """An object that scores articles in place of the words that they share with the query (option ``retrieval``).

    It may also have ``index(candidates)``, which is called when the candidates have changed.
    """

    name: str

    def score(self, query: str, candidates: Sequence[Candidate]) -> Mapping[str, float]:
        """Scores by address; those above 0 count."""


def untraced(kind: str, fields: Mapping[str, Any]) -> None:
    """Tell nobody."""


class Retrieval:
    """Ranks the residue of a session's project, call by call. ``trace`` is told of every step."""

    def __init__(self, desk: Desk, trace: Trace = untraced) -> None:
        self._desk = desk
        self._trace = trace
        self._residue = Residue(desk.mounts.project)
        self._candidates: list[Candidate] | None = None
        self._last = ""

    @property
    def name(self) -> str:
        """What scores: ``none``, ``lexical``, or the name of an object."""
        chosen = self._desk.options.retrieval
        return chosen if isinstance(chosen, str) else str(chosen.name)

    def prepare(self) -> None:
        """Make the index now, so that the first ranking does not have to. Without retrieval there is nothing to do."""
        if self._desk.options.by_relevance:
            self._desk.indexes.articles(self._desk.mounts.project)

    def rank(self, query: str, taken: Container[str] = (), staged: int = 0) -> Ranked | None:
        """Rank for a query; None when there is nothing to rank or nobody who ranks.

        The query of the call before is not ranked again. ``taken`` and ``staged``: see ``standout.rank``.
        A retriever that raises is traced and ranks nothing: the call goes on without it.
        """
        if not self._desk.options.by_relevance or not query.strip() or query == self._last:
            return None
        self._desk.indexes.begin(self._desk.call)
        index = self._desk.indexes.articles(self._desk.mounts.project)
        if self._residue.refresh(index):
            self._candidates = None
            self._trace("residue-rebuilt", {"candidates": len(self._residue)})
        if not len(self._residue):
            return None
        self._last = query
        scored = self._residue.scored(query, index) if self.name == LEXICAL else self._scored_by_object(query)
        ranked = rank(scored, taken, self._desk.options.standout, staged) if scored else None
        if ranked is not None:
            self._tell(ranked)
        return ranked

    def _scored_by_object(self, query: str) -> tuple[Hit, ...]:
        retriever = self._desk.options.retrieval
        try:
            if self._candidates is None:
                candidates = self._residue.candidates()
                if callable(make := getattr(retriever, "index", None)):
                    make(candidates)
                self._candidates = candidates
            given = dict(retriever.score(query, self._candidates))
            known = [(one.path, given[one.path]) for one in self._candidates if one.path in given]
            scored = [Hit(path, float(score)) for path, score in known if math.isfinite(score) and score > 0]
        except Exception as error:
            # Somebody else's code: whatever it raises must not take the call along.
            self._trace("retrieval-failed", {"retriever": self.name, "error": f"{type(error).__name__}: {error}"})
            return ()
        return tuple(in_order(scored))

    def _tell(self, ranked: Ranked) -> None:
        reached = None if math.isinf(ranked.reached) else ranked.reached
        self._trace(
            "ranked",
            {
                "standout": ranked.standout,
                "reached": reached,
                "responders": ranked.responders,
                "eligible": ranked.eligible,
                "passed": ranked.passed,
            },
        )
        for hit in ranked.riders:
            declared = self._residue.is_declared(hit.key)
            fields = {"path": hit.key, "retriever": self.name, "score": hit.score, "declared": declared}
            self._trace("retrieved", fields)
        if ranked.held and ranked.riders:
            fields = {"count": len(ranked.held), "bestHeld": ranked.held[0].score, "worstSent": ranked.riders[-1].score}
            self._trace("retrieval-held", fields)
