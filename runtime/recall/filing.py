"""Filing: the index of recall follows the births that are written, so a turn that is taken back leaves no trace."""

from __future__ import annotations

from ..errors import StoreError
from ..kernel.content import decode, text_of
from ..kernel.events import Event
from ..store.interface import Store
from . import tool
from .index import DamagedIndex, Document, Index
from .lines import unlabelled
from .tokens import text_tokens

#: The element of recalled lines; what recall says is never recalled.
RECALL = "recall"

#: What a store says of a content that is nowhere any more.
_GONE = frozenset({"missing_content", "purged"})


def file_births(store: Store) -> Index:
    """The index of a store, with all that was born since the last event that it knew of. Raises StoreError.

    One that cannot be used is made anew.
    """
    index = store.recall()
    try:
        follow(store, index)
    except DamagedIndex:
        index.clear()
        follow(store, index)
    return index


def save_index(store: Store) -> None:
    """Keep the index of a store in its place there. Raises StoreError.

    One that is found to be damaged is made anew: the words of the newest births are put among those that are stored.
    """
    index = store.recall()
    try:
        index.save()
    except DamagedIndex:
        index.clear()
        follow(store, index)
        index.save()


def follow(store: Store, index: Index) -> None:
    """File in an index what was born in a store since the event that it knew of. Raises DamagedIndex, StoreError."""
    index.refresh()
    for event in Event.from_rows(store.rows(index.seq)):
        if event.kind == "slot_born" and not _is_own(event):
            _file(store, index, event)
        elif event.kind == "purged":
            for slot in event.data["slots"]:
                index.purge(slot)
        index.seq = event.seq


def _file(store: Store, index: Index, event: Event) -> None:
    data = event.data
    digest = bytes.fromhex(data["digest"])
    try:
        text = text_of(decode(store.content(digest)))
    except StoreError as error:
        if error.code not in _GONE:
            raise
        return
    document = Document(data["slot"], data["element"], data["at"][0])
    index.add(document, text_tokens(unlabelled(document.element, text)), digest)


def _is_own(event: Event) -> bool:
    """Whether recall itself said it: a recall slot, or a call of its tool with the answer."""
    link = event.data.get("link")
    return event.data["element"] == RECALL or (link is not None and link[1] == tool.NAME)
