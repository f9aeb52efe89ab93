"""A problem: what a pass found, before the check that owns its name gives it a code and a place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..grammar.spans import Span
from .visible import visible

#: The way to a value in a ruleset: keys and list indices from the root.
KeyPath = tuple[str | int, ...]

#: Likeness (0 to 1) from which a known word may be written for an unknown one; ``compcat`` is 0.86 ``compact``.
SURE = 0.75

#: Longest piece of a ruleset that a message repeats, in characters.
QUOTE_LIMIT = 60


@dataclass(frozen=True, slots=True)
class At:
    """The key or the value at a key path, as a place to edit: one word, number or quoted text.

    ``quoted``: new text is put in the quotes that the old one stands in.
    """

    path: KeyPath
    on: Literal["key", "value"] = "value"
    quoted: bool = True


@dataclass(frozen=True, slots=True)
class Around:
    """Text to put before and after what stands at a place."""

    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Mend:
    """A change of text that mends a problem; ``safe`` when it cannot change a meaning.

    An edit of a place that the text does not hold as one scalar makes no fix: the mend is then only told.
    """

    title: str
    safe: bool
    edits: tuple[tuple[Span | At, str | Around], ...]


def respell(path: KeyPath, new: str, on: Literal["key", "value"] = "value", *, safe: bool = False) -> Mend:
    """The mend that writes ``new`` in place of the key or the value at ``path``, in the same quotes."""
    return Mend(f"write {new}", safe, ((At(path, on), new),))


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong: ``name`` is the name of its check, ``where`` a span of text or a key path.

    ``on`` says whether a key path means the key or the value there; ``within`` is a part of that value.
    """

    name: str
    message: str
    where: Span | KeyPath
    help: str | None = None
    on: Literal["key", "value"] = "value"
    within: Span | None = None
    related: tuple[tuple[str, Span], ...] = ()
    mends: tuple[Mend, ...] = ()


def quote(value: object) -> str:
    """A value as a message shows it: in backticks, on one line, cut to ``QUOTE_LIMIT`` characters; or what it is."""
    if value is None:
        text = "null"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, dict):
        return "a mapping"
    elif isinstance(value, list | tuple):
        return "a list"
    else:
        text = visible(" ".join(str(value)[: 4 * QUOTE_LIMIT].split()))
        if not text:
            return "an empty text"
    if len(text) > QUOTE_LIMIT:
        text = text[: QUOTE_LIMIT - 1] + "…"
    return f"`{text}`"


def show_path(path: KeyPath) -> str:
    """A key path as people write it: ``life_cycle.read.match``, ``extends[0]``."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def one_of(words: Iterable[str]) -> str:
    """Words as a sorted choice for a message: ``a, b or c``."""
    *first, last = sorted(words)
    return f"{', '.join(first)} or {last}" if first else last


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The known word that ``word`` was most likely meant to be, or None.

    Case, ``-`` and ``_`` do not count: ``topK`` and ``top-k`` are near ``top_k``.
    """
    from difflib import get_close_matches

    folded = {_fold(known): known for known in words}
    match = get_close_matches(_fold(word[:QUOTE_LIMIT]), folded, n=1, cutoff=0.6)
    return folded[match[0]] if match else None


def sure(word: str, words: Iterable[str]) -> str | None:
    """The one known word that ``word`` is a slip of, near enough to be written in its place; else None."""
    from difflib import SequenceMatcher

    ratios = sorted(
        ((SequenceMatcher(None, _fold(word[:QUOTE_LIMIT]), _fold(known)).ratio(), known) for known in set(words)),
        reverse=True,
    )[:2]
    if not ratios or ratios[0][0] < SURE or (len(ratios) > 1 and ratios[1][0] == ratios[0][0]):
        return None
    return ratios[0][1]


def _fold(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "")
