"""Recall in a session: by trigger at the opening of a turn, by hand, and as a tool."""

from __future__ import annotations

from collections.abc import Iterator

from ...compiler.program import Program
from ..errors import StoreError
from ..kernel.content import Content, Text, decode, text_of
from ..kernel.events import Event
from ..kernel.projection import shows
from ..kernel.slots import Slot
from ..recorder import Recorder
from . import tool
from .index import Document, Found, Index, MemoryIndex
from .lines import Hit, Recalled, unlabelled
from .settings import recall_settings
from .tokens import query_tokens, text_tokens
from .triggers import fires

#: The element of recalled lines; what recall says is never recalled.
RECALL = "recall"


class Recall:
    """Finds slots of earlier turns.

    The index follows the births that are written, so a turn that is taken back leaves no trace in it. It is made
    when it is first asked: a session that never recalls pays nothing.
    """

    def __init__(self, recorder: Recorder, program: Program, index: Index | None = None) -> None:
        self.settings = recall_settings(program)
        self._recorder = recorder
        self._index: Index = index if index is not None else MemoryIndex()
        self._seen = 0

    def surface(self, message: Content) -> str | None:
        """The lines that a message recalls by itself; None when it does not, or nothing is found."""
        settings, query = self.settings, _typed(message)
        if not settings.on or not settings.fields or not fires(settings, query):
            return None
        return "\n".join(self.search(query).lines) or None

    def search(self, query: str) -> Recalled:
        """The best hits for a query, whatever the trigger; without ``search_fields`` all elements are searched."""
        self._follow()
        found = self._index.search(query_tokens(query), self.settings.fields or None)
        return Recalled(query, tuple(self._hits(found)))

    def _follow(self) -> None:
        """File what was born since the last search."""
        store = self._recorder.store
        for event in Event.from_rows(store.rows(self._seen)):
            self._seen = event.seq
            if event.kind != "slot_born" or _is_own(event):
                continue
            data = event.data
            try:
                text = text_of(decode(store.content(bytes.fromhex(data["digest"]))))
            except StoreError as error:
                if error.code != "missing_content":
                    raise
                continue  # Purged: what it said is nowhere any more.
            document = Document(data["slot"], data["element"], data["at"][0])
            self._index.add(document, text_tokens(unlabelled(document.element, text)))

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
            yield self._hit(slot, score, current)
            left -= 1
            if not left:
                return

    def _hit(self, slot: Slot, score: int, current: int) -> Hit:
        recorder = self._recorder
        text = unlabelled(slot.element, text_of(decode(recorder.content(slot.digest))))
        retired = not shows(recorder.ledger, slot, current, recorder.last_request + 1)
        return Hit(slot.id, slot.element, slot.turn, text, score, retired)


def _is_own(event: Event) -> bool:
    """Whether recall itself said it: a recall slot, or a call of its tool with the answer."""
    link = event.data.get("link")
    return event.data["element"] == RECALL or (link is not None and link[1] == tool.NAME)


def _typed(message: Content) -> str:
    """What a person wrote in a message: its text, without images and the provider's own parts."""
    if isinstance(message, str):
        return message
    return "\n".join(part.text for part in message if isinstance(part, Text))
