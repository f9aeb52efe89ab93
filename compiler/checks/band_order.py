"""Limits grow from soft to the window.

## What it finds

Limits out of order: soft < must_act < critical <= max_context <= window - reserve.

## Why it matters

A band that is reached after the one above it never acts, and a limit beyond the window is found by the
provider.

## Example

    governance:
      bands: {soft: 0.85, must_act: 0.80, critical: 0.95}

## Instead

    governance:
      bands: {soft: 0.70, must_act: 0.80, critical: 0.95}

## Fix

Order the values; shares of the bands are shares of max_context, that of max_context is one of the window.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..ir.governance import GovernanceSection
from ..problem import KeyPath
from ..reserve import kept_free

CHECK = Check("DCC601", "band-order", "error", kind="sections")


@dataclass(frozen=True, slots=True)
class _Limit:
    """A limit as written, and in tokens where that is known."""

    name: str
    path: KeyPath
    written: int | float
    tokens: float | None

    def __str__(self) -> str:
        if isinstance(self.written, int):
            return f"{self.name} ({self.written:,} tokens)"
        share = f"{self.written * 100:g} %"
        known = f" = {self.tokens:,.0f} tokens" if self.tokens is not None else ""
        return f"{self.name} ({share}{known})"


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.governance
    # A window that the reserve fills is an error of its own (no-room): shares of nothing are in no order.
    if section is None or (section.window is not None and section.window <= (section.reserve or 0)):
        return
    limits = _limits(section)
    for index, (low, high) in enumerate(pairwise(limits)):
        strict = index < 2
        if _in_order(low, high, strict):
            continue
        relation = "below" if strict else "at most"
        written = context.chain.owner(low.path).source.has(low.path)
        path = low.path if written and not strict else high.path
        other = high if path == low.path else low
        yield from context.report(
            CHECK,
            path,
            f"{low} must be {relation} {high}",
            help="the order is soft < must_act < critical <= max_context <= window - reserve",
            related=((f"{other.name} is here", other.path),),
        )


def _limits(section: GovernanceSection) -> list[_Limit]:
    """The limits from the lowest to the highest; those that nobody wrote and nothing tells are left out."""
    window = section.window
    room = None if window is None else window - kept_free(section.reserve or 0, window)
    top = section.max_context
    if isinstance(top, float):
        tokens = None if section.window is None else top * section.window
    else:
        tokens = top if top is not None else _default_max(section.window, room)
    bands = section.bands
    named = (("soft", bands.soft), ("must_act", bands.must_act), ("critical", bands.critical))
    limits = [_Limit(n, ("governance", "bands", n), v, _in_tokens(v, tokens)) for n, v in named]
    if top is not None or tokens is not None:
        limits.append(_Limit("max_context", ("governance", "max_context"), top or int(tokens or 0), tokens))
    if room is not None:
        limits.append(_Limit("window - reserve", ("governance", "window"), room, room))
    return limits


def _default_max(window: int | None, room: int | None) -> float | None:
    """kernel.md section 4: the smaller of 85 % of the window and the window without its reserve."""
    return None if window is None or room is None else min(0.85 * window, room)


def _in_tokens(value: int | float, whole: float | None) -> float | None:
    if isinstance(value, int):
        return value
    return None if whole is None else value * whole


def _in_order(low: _Limit, high: _Limit, strict: bool) -> bool:
    """Whether two limits are in order, as far as they can be compared."""
    if low.tokens is not None and high.tokens is not None:
        a: float = low.tokens
        b: float = high.tokens
    elif isinstance(low.written, float) and isinstance(high.written, float) and strict:
        a, b = low.written, high.written
    else:
        return True
    return a < b if strict else a <= b
