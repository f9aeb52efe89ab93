"""Where a piece of text stands: the one span type of the whole project."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters (code points), counted from 0."""

    start: int
    end: int

    def shift(self, by: int) -> Span:
        """The same span, ``by`` characters further on."""
        return Span(self.start + by, self.end + by)
