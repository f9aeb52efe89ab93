"""News: what the volatile tail has to tell that the model does not know yet."""

from __future__ import annotations

from dataclasses import dataclass

from ..recorder import Recorder
from .catalog import Catalog
from .gauge import Gauge

#: Tokens from which on a new slot is worth a full manifest (the least that a critical pass looks at, spec section 7).
WORTH = 300

#: Causes of transactions, and codes of notices, that the model is told of in the one call after them.
_TOLD = frozenset({"critical_pass", "compaction", "pruning", "compacted", "budget_infeasible"})


@dataclass(frozen=True, slots=True)
class Told:
    """What the last completed call's tail told: up to which event, and how many transactions there were."""

    seq: int
    transactions: int
    births: int


class News:
    """What has happened since the model last replied. Asked again before its reply, it says the same."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._told: Told | None = None

    def replied(self) -> None:
        """The model has seen the tail."""
        ledger = self._recorder.ledger
        self._told = Told(ledger.seq, len(ledger.history) + len(ledger.undone), ledger.births)

    def is_worth_telling(self, catalog: Catalog, gauge: Gauge) -> bool:
        """Whether the tail says more than how full the context is."""
        told, ledger = self._told, self._recorder.ledger
        if told is None or gauge.band(gauge.used) != "ok":
            return True
        if len(ledger.history) + len(ledger.undone) != told.transactions:
            return True
        return any(slot.number > told.births and slot.tokens >= WORTH for slot in catalog.largest(8))

    def notices(self) -> list[str]:
        """What dcc itself did since then, in words."""
        told = self._told
        if told is None:
            return []
        news = (event for event in self._recorder.events(told.seq) if event.kind == "notice")
        told_of = (event for event in news if event.cause in _TOLD or event.data["code"] in _TOLD)
        return [self._recorder.message_of(event) for event in told_of]
