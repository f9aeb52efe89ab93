"""What a transaction came to: applied whole, or refused whole with every reason at once (spec/cpat.md section 2)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Rejection(NamedTuple):
    """Why an operation cannot be done: its index (-1: the transaction), the rule that says so, and how to mend it."""

    op_index: int
    rule: str
    message: str


def shortened(said: str) -> str:
    """What a model said, not longer than a message can bear."""
    return said if len(said) <= 60 else said[:59] + "…"


def listed(names: Sequence[str]) -> str:
    """What a model named, for a message: no more of it than can be read."""
    shown = ", ".join(map(shortened, names[:12])) or "none"
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to ``context_update``.

    ``applied``: how many operations changed anything. ``freed_tokens`` is never negative, ``delta_tokens`` is (after
    minus before). ``created``: slots that it bore. ``budget``: ``max``, ``soft_limit``, ``used`` in tokens, the limits
    None where none are known. ``prefix_break_at``: the first rendered message of the next request that changes.
    ``pressure_after``: ``used`` over ``max``. ``transaction``: its number, None when nothing was changed.
    ``purged``: slots whose content a redaction removed.
    """

    ok: bool
    applied: int = 0
    rejections: tuple[Rejection, ...] = ()
    freed_tokens: int = 0
    delta_tokens: int = 0
    created: tuple[str, ...] = ()
    budget: Mapping[str, int | None] | None = None
    prefix_break_at: int | None = None
    pressure_after: float | None = None
    transaction: int | None = None
    purged: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """The outcome as plain JSON, as the tool answers it."""
        document: dict[str, Any] = {
            "ok": self.ok,
            "applied": self.applied,
            "rejections": [r._asdict() for r in self.rejections],
            "freed_tokens": self.freed_tokens,
            "delta_tokens": self.delta_tokens,
            "created_block_ids": list(self.created),
            "budget": dict(self.budget or {}),
            "prefix_break_at": self.prefix_break_at,
            "pressure_after": self.pressure_after,
            "transaction": self.transaction,
        }
        return document | ({"purged": list(self.purged)} if self.purged else {})

    def to_json(self) -> str:
        """The document as one line of JSON."""
        return json.dumps(self.document(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Outcome:
        """The outcome that :meth:`to_json` wrote."""
        found = json.loads(text)
        return cls(
            ok=found["ok"],
            applied=found["applied"],
            rejections=tuple(Rejection(**r) for r in found["rejections"]),
            freed_tokens=found["freed_tokens"],
            delta_tokens=found["delta_tokens"],
            created=tuple(found["created_block_ids"]),
            budget=found["budget"],
            prefix_break_at=found["prefix_break_at"],
            pressure_after=found["pressure_after"],
            transaction=found["transaction"],
            purged=tuple(found.get("purged", ())),
        )
