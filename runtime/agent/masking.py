"""Masking: secrets that dcc holds are taken out of whatever would enter a slot, a report or a log.

A tool may print the environment, a server may repeat a key in its error, a model may spell one out over many pieces of
a stream: none of it is born, shown or logged with the secret in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Final
from urllib.parse import quote

#: What stands in a secret's place.
MASK: Final = "[secret]"

#: Shorter values are no secrets: masking them would mask ordinary words.
SHORTEST: Final = 8


class Secrets:
    """The secrets of a session; ``repr`` shows how many there are, never which."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values if len(value) >= SHORTEST for form in _forms(value)}
        self._longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(re.escape, self._longest_first))) if forms else None
        self._beginnings = frozenset(form[:n] for form in forms for n in range(1, len(form)))
        self._longest = max(map(len, forms), default=0)

    def __repr__(self) -> str:
        return f"Secrets({len(self._longest_first)} forms)"

    def mask(self, text: str) -> str:
        """The text with every secret masked; of two that overlap the first, of two that begin together the longer."""
        return text if self._pattern is None else self._pattern.sub(MASK, text)

    def stream(self, sink: Callable[[str], None]) -> MaskedStream:
        """A stream that masks what goes through it to ``sink``."""
        return MaskedStream(self, sink)

    def settled(self, text: str) -> tuple[str, str]:
        """What of a text can be said already, masked, and what must wait: it may be the beginning of a secret."""
        if self._pattern is None:
            return text, ""
        said: list[str] = []
        at = 0
        while True:
            held = self._held(text, at)
            match = self._pattern.search(text, at)
            if match is None or match.start() >= held:
                said.append(text[at:held])
                return "".join(said), text[held:]
            said += text[at : match.start()], MASK
            at = match.end()

    def _held(self, text: str, at: int) -> int:
        """The first place from ``at`` on whose rest is a proper beginning of a secret; the end when there is none."""
        for start in range(max(at, len(text) - self._longest + 1), len(text)):
            if text[start:] in self._beginnings:
                return start
        return len(text)


class MaskedStream:
    """Pieces of a text go in, and come out without secrets, however they were cut."""

    def __init__(self, secrets: Secrets, sink: Callable[[str], None]) -> None:
        self._secrets = secrets
        self._sink = sink
        self._waiting = ""

    def __call__(self, piece: str) -> None:
        """Take the next piece."""
        said, self._waiting = self._secrets.settled(self._waiting + piece)
        if said:
            self._sink(said)

    def close(self) -> None:
        """The text is over: what waited is said."""
        rest, self._waiting = self._waiting, ""
        if rest:
            self._sink(self._secrets.mask(rest))


def _forms(value: str) -> set[str]:
    """A secret as it is, in JSON and in an address."""
    return {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], quote(value, safe="")}
