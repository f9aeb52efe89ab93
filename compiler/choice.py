"""Which checks speak: selected and ignored by code (``DCC205``), prefix (``DCC2``) or name.

The nearer word wins: ``--select DCC2 --ignore DCC205`` is all of DCC2xx but one, and
``--ignore DCC2 --select DCC205`` is that one alone. Of two equally near, ignore wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .diagnostics import Diagnostic
from .problem import nearest

#: The word for every check.
ALL = "ALL"

#: How near a code or a name is to its check; a prefix is as near as it is long.
EXACT = len("DCC000")


@dataclass(frozen=True, slots=True)
class Choice:
    """The checks that speak. ``select`` empty: all of them."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def takes(self, code: str, name: str) -> bool:
        """Whether the check of this code and name speaks."""
        selected = _nearness(self.select, code, name) if self.select else 0
        ignored = _nearness(self.ignore, code, name)
        return selected is not None and (ignored is None or selected > ignored)

    def of(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The findings of the checks that speak, in their order."""
        return tuple(d for d in diagnostics if self.takes(d.code, d.name))


def selectors(words: Iterable[str]) -> tuple[str, ...]:
    """Selectors as people give them: each word may hold several, parted by commas."""
    return tuple(part.strip() for word in words for part in word.split(",") if part.strip())


def unknown_selectors(
    words: Iterable[str], checks: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str | None]]:
    """The selectors that fit no check, each with the code or name that it is near to.

    ``checks`` are pairs of code and name.
    """
    known = list(checks)
    for word in words:
        if not any(_nearness((word,), code, name) is not None for code, name in known):
            yield word, nearest(word, [part for check in known for part in check])


def _nearness(words: Iterable[str], code: str, name: str) -> int | None:
    """How near the nearest of the selectors is to a check; None: none fits."""
    return max((near for word in words if (near := _fit(word, code, name)) is not None), default=None)


def _fit(word: str, code: str, name: str) -> int | None:
    upper = word.upper()
    if upper == ALL:
        return 0
    if upper == code or word.lower() == name:
        return EXACT
    return len(word) if code.startswith(upper) else None
