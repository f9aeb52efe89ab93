"""The context window: how large it is, whether an agent can work in it, and what of it stays free for an answer.

Source: spec of the agent runtime, section 5, with its issues 13 (a reserve that eats the window).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from ...compiler.reserve import kept_free
from ..governance.budget.limits import DEFAULT_SHARE
from ..providers.windows import known_window
from ..values import GovernanceFlags

#: Tokens below which no agent is run, and below which it is warned of (as of openclaw 2026.2.17).
HARD_MIN: Final = 16_000
WARN_BELOW: Final = 32_000

#: The window of a model that nobody knows, in tokens.
DEFAULT_WINDOW: Final = 200_000

#: The most that is kept free by default, in tokens; of a small window a quarter.
DEFAULT_RESERVE: Final = 20_000

Source = Literal["ruleset", "model", "default"]


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


def window_of(*, ruleset: object = None, model: object = None, names: Iterable[str] = ()) -> Window:
    """The window: the ruleset's, else the model's as the host knows it or its name says it, else a default.

    Whatever is no finite number above zero is as if it were not written. ``names``: of all models that may be asked;
    the smallest window that is known of them counts.
    """
    written, known = _tokens(ruleset), _tokens(model)
    if known is None:
        known = min(filter(None, map(known_window, names)), default=None)
    if written is not None:
        return Window(written, "ruleset")
    return Window(known, "model") if known is not None else Window(DEFAULT_WINDOW, "default")


def reserve_of(window: int, configured: int | None = None) -> Reserve:
    """What of a window stays free, in tokens.

    By default 20,000 or a quarter of the window, whichever is less. What is ``configured`` is kept up to half of the
    window: beyond that a prompt that fits would be refused.
    """
    if configured is None:
        return Reserve(min(DEFAULT_RESERVE, window // 4))
    kept = kept_free(configured, window)
    return Reserve(kept, kept < configured)


def agent_flags(flags: GovernanceFlags, window: Window, reserve: Reserve, *, is_governed: bool) -> GovernanceFlags:
    """How a session of an agent is governed: it keeps to its model's window, whether its ruleset speaks of it or not.

    ``flags``: the host's; ``is_governed``: the ruleset has a governance section, which says how full a context may be.
    """
    size, max_context = window.tokens, flags.max_context
    if max_context is None and not is_governed:
        max_context = min(int(DEFAULT_SHARE * size), size - reserve.tokens)
    return replace(flags, window=size, reserve=reserve.tokens, max_context=max_context, recovers=True)


def _tokens(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if value != value or value in (float("inf"), float("-inf")) or value < 1:
        return None
    return int(value)
