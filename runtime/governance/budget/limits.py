"""Limits: how full the context may be, in tokens, and the band that a use of it lies in (kernel.md section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Literal

from ....compiler.program import Program
from ....compiler.reserve import kept_free

Band = Literal["ok", "soft", "must_act", "critical"]

#: The share of the window that the context may fill unless the ruleset says otherwise (kernel.md section 4).
DEFAULT_SHARE: Final = 0.85

#: The bands unless the ruleset says otherwise, as shares of ``max_context`` (spec/cpat.md section 7).
DEFAULT_BANDS: Final = {"soft": 0.70, "must_act": 0.80, "critical": 0.95}

#: 0.95 * 200 is a little more than 190: a share that is a whole number but for the last bit is that number.
_LAST_BIT: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits of a session in tokens: soft < must_act < critical <= max_context <= window - reserve.

    ``window`` is None where nobody knows the model's; ``reserve`` tokens of it stay free for the answer.
    """

    window: int | None
    reserve: int
    max_context: int
    soft: int
    must_act: int
    critical: int

    def band(self, used: int) -> Band:
        """The band of a context of ``used`` tokens; a limit belongs to the band above it."""
        if used >= self.critical:
            return "critical"
        if used >= self.must_act:
            return "must_act"
        return "soft" if used >= self.soft else "ok"

    @property
    def room(self) -> int:
        """What a request can hold at all: the window without the reserve; where it is unknown ``max_context``."""
        return self.max_context if self.window is None else max(1, self.window - self.reserve)

    @property
    def low(self) -> int:
        """What a critical pass frees down to where it finds results that were read: a quarter of ``max_context``."""
        return self.max_context // 4


def limits_of(
    program: Program, *, max_context: int | None = None, window: int | None = None, reserve: int = 0
) -> Limits | None:
    """The limits of a program; None where neither a window nor a number of tokens says any.

    ``max_context`` (tokens) is the person's own and beats the ruleset's; ``window`` (tokens) is the model's as the host
    knows it, and the ruleset's ``governance.window`` beats it; so does ``governance.reserve`` the host's ``reserve``
    (tokens), and at most half of the window is kept free. A window is kept to whether the ruleset has a governance
    section or not: longer requests are refused. Values out of order are brought into order by lowering the lower ones:
    `dcc check` reports them where they are written.
    """
    section: dict[str, Any] = program.sections.get("governance") or {}
    window = section.get("window") or window
    if section.get("reserve") is not None:
        reserve = section["reserve"]
    if window is not None:
        reserve = kept_free(reserve, window)
    room = None if window is None else max(1, window - reserve)
    top = max_context if max_context is not None else _top(section.get("max_context"), window, room)
    if top is None:
        return None
    top = max(1, top if room is None else min(top, room))
    bands: dict[str, Any] = DEFAULT_BANDS | (section.get("bands") or {})
    critical = min(top, _tokens(bands["critical"], top))
    must_act = min(critical, _tokens(bands["must_act"], top))
    soft = min(must_act, _tokens(bands["soft"], top))
    return Limits(window, reserve, top, soft, must_act, critical)


def _top(written: int | float | None, window: int | None, room: int | None) -> int | None:
    """``max_context`` in tokens: as written, or a share of the window; unwritten never more than the reserve leaves."""
    if isinstance(written, int):
        return written
    if window is None or room is None:
        return None
    share = int((DEFAULT_SHARE if written is None else written) * window + _LAST_BIT)
    return share if written is not None else min(share, room)


def _tokens(value: int | float, whole: int) -> int:
    """A limit in tokens; a share of ``whole`` is rounded up, so that a context below it is below the share."""
    if isinstance(value, int):
        return value
    return ceil(value * whole - _LAST_BIT)
