"""What the model reads when articles surface, and when one that was touched is still to be updated (7.2, 7.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ....grammar.canon.articles import Article
from ..sound import sound_text

#: The element of the slots; in a conversation without slots the first line of a message says it.
ELEMENT: Final = "canon"
PREFIX: Final = f"[{ELEMENT}]"

#: How a line came: by the address of a touched asset, else the name of what ranked it.
BY_ADDRESS: Final = "address"


@dataclass(frozen=True, slots=True)
class Line:
    """One surfaced line. ``base``: the version of the article; ``score``: how relevant it is, of a ranked one."""

    address: str
    base: str
    capsule: str
    text: str
    via: str = BY_ADDRESS
    score: float | None = None

    @property
    def is_ranked(self) -> bool:
        """Whether relevance brought it, not the address."""
        return self.via != BY_ADDRESS


def line_text(address: str, article: Article, asset: str) -> str:
    """The line of an article: its address, when it was updated, its capsule, whole."""
    dated = f"{address} (updated {article.updated})" if article.updated else address
    said = article.capsule or f"there is an article. Read it before you rely on {asset}."
    return sound_text(f"{dated}: {said}")


def message(lines: Sequence[Line], what: str = "this call") -> str:
    """One message for all lines. ``what`` touched the assets."""
    article = "An article governs" if len(lines) == 1 else "Articles govern"
    head = (
        f"{article} what {what} touches. Read with canon before you rely on details; after a change that lasts, "
        "write what is true now."
    )
    return "\n".join([head, *(line.text for line in lines)])


#: What is said once before old turns give way to a summary.
FAREWELL: Final = (
    "Old turns soon give way to a summary. What they have shown to be true, and no article says yet, write with canon "
    "now; if nothing of it is to last, leave it."
)


def reminder(addresses: Sequence[str]) -> str:
    """What is said once of articles whose assets were changed and that were not."""
    return sound_text(
        f"Touched but not updated: {', '.join(addresses)}. If that work changed what is true, write it with canon; "
        "if nothing that lasts has changed, leave it."
    )
