"""Whether the model still sees an article: one question, two sources of the answer (specification, 7.3).

A session knows by its ledger: an article is present while a slot that carries this version of it is on stage in full
form, whatever its element. A host without a ledger reports the conversation, and its text is searched for marks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from ...kernel.knowledge import Carrier
from .marks import Mark, conversation_text, mark_of, occurs


class Presence(Protocol):
    """What the model sees of articles."""

    def has(self, address: str, base: str) -> bool:
        """Whether this version of the article is present."""

    def costs(self) -> Mapping[str, int]:
        """The present articles, with the characters that each costs."""


class LedgerPresence:
    """``carried``: what the session knows of carriers; ``is_full``: whether a slot is on stage and full.

    ``departs`` false: what was carried once stays present.
    """

    def __init__(
        self,
        carried: Callable[[], Mapping[str, tuple[Carrier, ...]]],
        is_full: Callable[[str], bool],
        departs: Callable[[], bool],
    ) -> None:
        self._carried = carried
        self._is_full = is_full
        self._departs = departs

    def has(self, address: str, base: str) -> bool:
        """See ``Presence.has``."""
        carriers = self._carried().get(address, ())
        if not self._departs():
            return bool(carriers)
        return any(carrier.base == base and self._is_full(carrier.by) for carrier in carriers)

    def costs(self) -> dict[str, int]:
        """See ``Presence.costs``; of several carriers the newest counts, whichever version it has."""
        found: dict[str, int] = {}
        for address, carriers in self._carried().items():
            there = [one.chars for one in carriers if not self._departs() or self._is_full(one.by)]
            if there:
                found[address] = there[-1]
        return found


class TextPresence:
    """What was delivered, until a conversation is reported that does not hold it. Versions are not told apart."""

    def __init__(self, departs: Callable[[], bool]) -> None:
        self._departs = departs
        self._marks: dict[str, Mark | None] = {}
        self._chars: dict[str, int] = {}

    def has(self, address: str, base: str = "") -> bool:
        """See ``Presence.has``."""
        return address in self._marks

    def costs(self) -> dict[str, int]:
        """See ``Presence.costs``."""
        return {address: self._chars.get(address, 0) for address in self._marks}

    def enter(self, address: str, parts: Sequence[str], chars: int) -> None:
        """An article entered the conversation in these parts, at this cost. The last that can be found again counts.

        (For the original the parts are one text, which it does not find where anything stands between them.) When
        none can be found, the article never departs.
        """
        marks = (mark_of(address, part) for part in reversed(parts))
        self._marks[address] = next((mark for mark in marks if mark is not None), None)
        self._chars[address] = chars

    def forget(self, addresses: Iterable[str]) -> None:
        """The lines of these did not arrive after all."""
        for address in addresses:
            self._marks.pop(address, None)
            self._chars.pop(address, None)

    def observe(self, messages: object) -> tuple[str, ...]:
        """A conversation is reported; the articles that have departed. What is no list of messages says nothing."""
        if not isinstance(messages, list | tuple) or not self._departs():
            return ()
        text = conversation_text(messages)
        gone = tuple(a for a, mark in self._marks.items() if mark is not None and not occurs(mark, text))
        self.forget(gone)
        return gone
