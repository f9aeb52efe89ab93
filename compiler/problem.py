"""A problem: what a pass found, before the check that owns its name gives it a code and a place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from ..grammar.spans import Span

#: The way to a value in a ruleset: keys and list indices from the root.
KeyPath = tuple[str | int, ...]

#: Longest piece of a ruleset that a message repeats, in characters.
QUOTE_LIMIT = 60


@dataclass(frozen=True, slots=True)
class Mend:
    """A change of text that mends a problem; ``safe`` when it cannot change a meaning."""

    title: str
    safe: bool
    edits: tuple[tuple[Span, str], ...]


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
    """A value as a message shows it: in backticks, on one line, cut to ``QUOTE_LIMIT`` characters."""
    if value is None:
        text = "null"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, dict):
        return "a mapping"
    elif isinstance(value, list | tuple):
        return "a list"
    else:
        text = " ".join(str(value)[: 4 * QUOTE_LIMIT].split())
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
    folded = {_fold(known): known for known in words}
    match = get_close_matches(_fold(word[:QUOTE_LIMIT]), folded, n=1, cutoff=0.6)
    return folded[match[0]] if match else None


def _fold(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "")
