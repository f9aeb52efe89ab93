"""Recall in a session: by trigger at the opening of a turn, by hand, and as a tool."""

from __future__ import annotations

from collections.abc import Iterator

from ...compiler.program import Program
from ..errors import StoreError
from ..kernel.content import Content, Text, decode, text_of
from ..kernel.projection import shows
from ..kernel.slots import Slot
from ..recorder import Recorder
from .filing import file_births
from .index import DamagedIndex, Found
from .lines import Hit, Recalled, unlabelled
from .settings import recall_settings
from .tokens import query_tokens
from .triggers import fires


class Recall:
    """Finds slots of earlier turns, by the index that the store keeps of them."""

    def __init__(self, recorder: Recorder, program: Program) -> None:
        self.settings = recall_settings(program)
        self._recorder = recorder

    def surface(self, message: Content) -> str | None:
        """The lines that a message recalls by itself; None when it does not, or nothing is found."""
        settings, query = self.settings, _typed(message)
        if not settings.on or not settings.fields or not fires(settings, query):
            return None
        return "\n".join(self.search(query).lines) or None

    def search(self, query: str) -> Recalled:
        """The best hits for a query, whatever the trigger; without ``search_fields`` all elements are searched."""
        try:
            return self._search(query)
        except DamagedIndex:
            self._recorder.store.recall().clear()
            return self._search(query)

    def _search(self, query: str) -> Recalled:
        index = file_births(self._recorder.store)
        found = index.search(query_tokens(query), self.settings.fields or None)
        return Recalled(query, tuple(self._hits(found)))

    def _hits(self, found: Iterator[Found]) -> Iterator[Hit]:
        """Those that count, at most ``top_k``: slots of earlier turns that no undo took back."""
        ledger, left = self._recorder.ledger, self.settings.top_k
        current = ledger.turn if ledger.is_open else ledger.turn + 1
        for document, score in found if left else ():
            if score < self.settings.min_score:
                return
            slot = ledger.slots[document.slot]
            if document.turn >= current or slot.is_undone:
                continue
            try:
                hit = self._hit(slot, score, current)
            except StoreError as error:
                if error.code != "purged":
                    raise
                continue
            yield hit
            left -= 1
            if not left:
                return

    def _hit(self, slot: Slot, score: int, current: int) -> Hit:
        """Raises StoreError (``purged``): another session of the file took the content away."""
        recorder = self._recorder
        text = unlabelled(slot.element, text_of(decode(recorder.content(slot.digest))))
        retired = not shows(recorder.ledger, slot, current, recorder.last_request + 1)
        return Hit(slot.id, slot.element, slot.turn, text, score, retired)


def _typed(message: Content) -> str:
    """What a person wrote in a message: its text, without images and the provider's own parts."""
    if isinstance(message, str):
        return message
    return "\n".join(part.text for part in message if isinstance(part, Text))
