"""The lines in which recalled slots are shown (spec of the first system, section 12). Pure."""

from __future__ import annotations

from typing import NamedTuple

#: Characters of a slot that a line shows at most: one long tool result must not fill the request.
LINE_LIMIT = 4_000


class Hit(NamedTuple):
    """A slot that was found: ``score`` common tokens; ``retired``: the coming request would not hold it."""

    slot: str
    element: str
    turn: int
    text: str
    score: int
    retired: bool

    @property
    def line(self) -> str:
        """The hit as it is shown: ``[retired] 第3轮 user：…``."""
        return f"{'[retired] ' if self.retired else ''}第{self.turn}轮 {self.element}：{_cut(self.text)}"


class Recalled(NamedTuple):
    """What a search found, best first."""

    query: str
    hits: tuple[Hit, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """One line a hit."""
        return tuple(hit.line for hit in self.hits)

    @property
    def text(self) -> str:
        """The lines, or a line that says that there are none."""
        return "\n".join(self.lines) or f'no ledger hits for "{_cut(self.query, 200)}"'


def unlabelled(element: str, text: str) -> str:
    """The text without a first line ``[element]``: requests add one, and so do some hosts."""
    first, newline, rest = text.partition("\n")
    return rest if newline and first.strip() == f"[{element}]" else text


def _cut(text: str, limit: int = LINE_LIMIT) -> str:
    left_out = len(text) - limit
    return text if left_out <= 0 else f"{text[:limit]} [… {left_out} characters left out]"
