"""The context window: how large it is, whether an agent can work in it, and what of it stays free for an answer.

Source: spec of the agent runtime, section 5, with its issues 13 (a reserve that eats the window).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from ...compiler.reserve import kept_free

#: Tokens below which no agent is run, and below which it is warned of (as of openclaw 2026.2.17).
HARD_MIN: Final = 16_000
WARN_BELOW: Final = 32_000

#: The window of a model that nobody knows, in tokens.
DEFAULT_WINDOW: Final = 200_000

#: The most that is kept free by default, in tokens; of a small window a quarter.
DEFAULT_RESERVE: Final = 20_000

Source = Literal["ruleset", "model", "default", "agent"]


@dataclass(frozen=True, slots=True)
class Window:
    """A context window in tokens, and where its size comes from."""

    tokens: int
    source: Source

    @property
    def is_too_small(self) -> bool:
        """Whether no agent is run in it."""
        return 0 < self.tokens < HARD_MIN

    @property
    def is_small(self) -> bool:
        """Whether a person is warned."""
        return 0 < self.tokens < WARN_BELOW


@dataclass(frozen=True, slots=True)
class Reserve:
    """Tokens kept free for an answer; ``capped``: more were written than half of the window."""

    tokens: int
    capped: bool = False


def window_of(*, ruleset: object = None, model: object = None, agent: object = None) -> Window:
    """The window: the ruleset's, else the model's, else a default; an agent's own limit only makes it smaller.

    Whatever is no finite number above zero is as if it were not written.
    """
    written, known = _tokens(ruleset), _tokens(model)
    if written is not None:
        found = Window(written, "ruleset")
    elif known is not None:
        found = Window(known, "model")
    else:
        found = Window(DEFAULT_WINDOW, "default")
    cap = _tokens(agent)
    return Window(cap, "agent") if cap is not None and cap < found.tokens else found


def reserve_of(window: int, *, configured: int | None = None, floor: int | None = None) -> Reserve:
    """What of a window stays free, in tokens.

    By default 20,000 or a quarter of the window, whichever is less. What is written, the larger of ``configured`` and
    ``floor``, is kept up to half of the window: beyond that a prompt that fits would be refused.
    """
    written = max((value for value in (configured, floor) if value is not None and value >= 0), default=None)
    if written is None:
        return Reserve(min(DEFAULT_RESERVE, window // 4))
    kept = kept_free(written, window)
    return Reserve(kept, kept < written)


def is_over(tokens: int, window: int, reserve: int) -> bool:
    """Whether a prompt of ``tokens`` leaves less than the reserve free (strictly more than window - reserve)."""
    return tokens > window - reserve


def _tokens(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if value != value or value in (float("inf"), float("-inf")) or value < 1:
        return None
    return int(value)
