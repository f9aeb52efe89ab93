"""Pruning: old tool results are trimmed, then cleared, once the provider's cache has gone cold (runtime spec, 5). Pure.

While the cache is warm nothing changes, for a change costs the cache from there on. What was trimmed stays trimmed and
may only be cleared; what was cleared stays cleared: recomputed from the full history each time, the cache would break
with every request (langchain issue 37815).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from ...compiler.policy.matching import pattern_of

Kind = Literal["user", "assistant", "result", "other"]
State = Literal["full", "trimmed", "spared"]
Act = Literal["trim", "clear"]

_TTL: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*")
_SECONDS: Final[Mapping[str, float]] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True, slots=True)
class PruningSettings:
    """The ``pruning`` section. ``ttl_s``: seconds that a cache lives; ``soft`` and ``hard``: shares of the window.

    The results behind the ``keep_last``-th newest answer are spared. Results of more than ``most`` characters keep
    ``head`` and ``tail`` of them; clearing must have ``least`` characters to take.
    """

    ttl_s: float = 300.0
    keep_last: int = 3
    soft: float = 0.3
    hard: float = 0.5
    least: int = 50_000
    most: int = 4_000
    head: int = 1_500
    tail: int = 1_500
    clears: bool = True
    placeholder: str = "[Old tool result content cleared]"
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    def may_prune(self, tool: str) -> bool:
        """Whether a tool's results may be pruned: names with ``*``, in small letters; ``deny`` wins."""
        name = tool.strip().lower()
        return not _matches(name, self.deny) and (not self.allow or _matches(name, self.allow))

    def trimmed(self, text: str) -> str:
        """What a trimmed result says."""
        end = text[len(text) - self.tail :] if self.tail else ""
        much = f"the first {self.head:,} and the last {self.tail:,} of {len(text):,} characters"
        return f"{text[: self.head]}\n...\n{end}\n\n[trimmed: {much}]"


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of the next request: an answer with its calls is one, a result is one.

    ``size`` in the unit of the window; ``characters`` of a result's text, as it stands there now. ``spared``: a result
    that may not be pruned.
    """

    slot: str
    kind: Kind
    size: int
    characters: int = 0
    state: State = "full"


class Size(NamedTuple):
    """How long something is: in the unit of the window, and in characters."""

    size: int
    characters: int


@dataclass(frozen=True, slots=True)
class PruningPlan:
    """What pruning does, and the time that it saw. ``idle_s``: since the cache was last used, in seconds.

    ``first``: the first slot that changes; ``behind``: what is behind it, in the unit of the window, as are ``before``
    and ``after``.
    """

    at: float
    idle_s: float
    trimmed: tuple[str, ...]
    cleared: tuple[str, ...]
    before: int
    after: int
    first: str
    behind: int


def pruning_settings(section: Mapping[str, Any] | None) -> PruningSettings | None:
    """The settings of a program's ``pruning`` section; None where it is off."""
    if section is None or section["mode"] == "off":
        return None
    trim, clear, tools = section["soft_trim"], section["hard_clear"], section["tools"]
    return PruningSettings(
        ttl_s=ttl_s(section["ttl"]),
        keep_last=section["keep_last_assistants"],
        soft=section["soft_trim_ratio"],
        hard=section["hard_clear_ratio"],
        least=section["min_prunable_tool_chars"],
        most=trim["max_chars"],
        head=trim["head_chars"],
        tail=trim["tail_chars"],
        clears=clear["enabled"],
        placeholder=clear["placeholder"],
        allow=tuple(tools["allow"]),
        deny=tuple(tools["deny"]),
    )


def ttl_s(text: str) -> float:
    """A length of time such as ``5m``, ``90s`` or ``1.5h``, in seconds; a bare number is minutes."""
    found = _TTL.fullmatch(text)
    if found is None:
        return PruningSettings().ttl_s
    return float(found[1]) * _SECONDS[found[2] or "m"]


def plan_pruning(
    entries: Sequence[Entry],
    settings: PruningSettings,
    window: int,
    *,
    now: float,
    touched: float | None,
    short: Callable[[Entry, Act], Size | None],
) -> PruningPlan | None:
    """What pruning would do at the time ``now``; None: nothing.

    ``touched``: when the cache was last used, None where nobody knows. ``short`` gives the size of what would stand in
    a result's place; None: nothing shorter can.
    """
    if touched is None or settings.ttl_s <= 0 or now - touched < settings.ttl_s:
        return None
    before = total = sum(entry.size for entry in entries)
    if total < settings.soft * window:
        return None
    results = [entry for entry in _old(entries, settings.keep_last) if _may_change(entry)]
    sizes = {entry.slot: Size(entry.size, entry.characters) for entry in results}
    trimmed: list[str] = []
    for entry in results:
        if entry.state == "full" and entry.characters > max(settings.most, settings.head + settings.tail):
            made = short(entry, "trim")
            if made is not None and made.size < entry.size:
                total -= entry.size - made.size
                sizes[entry.slot] = made
                trimmed.append(entry.slot)
    cleared: list[str] = []
    if settings.clears and sum(size.characters for size in sizes.values()) >= settings.least:
        for entry in results:
            if total < settings.hard * window:
                break
            made = short(entry, "clear")
            if made is not None and made.size < sizes[entry.slot].size:
                total -= sizes[entry.slot].size - made.size
                cleared.append(entry.slot)
    changed = {*trimmed, *cleared}
    if not changed:
        return None
    first = next(index for index, entry in enumerate(entries) if entry.slot in changed)
    behind = sum(entry.size for entry in entries[first + 1 :])
    gone = frozenset(cleared)
    return PruningPlan(
        now, now - touched, tuple(slot for slot in trimmed if slot not in gone), tuple(cleared), before, total,
        entries[first].slot, behind,
    )  # fmt: skip


def _old(entries: Sequence[Entry], keep_last: int) -> Sequence[Entry]:
    """The entries from the first message of a person up to the ``keep_last``-th answer from the end."""
    start = next((index for index, entry in enumerate(entries) if entry.kind == "user"), len(entries))
    answers = [index for index, entry in enumerate(entries) if entry.kind == "assistant"]
    if keep_last <= 0:
        return entries[start:]
    return entries[start : answers[-keep_last]] if len(answers) >= keep_last else ()


def _may_change(entry: Entry) -> bool:
    return entry.kind == "result" and entry.state != "spared"


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(pattern_of(pattern.strip().lower()).fullmatch(name) for pattern in patterns if pattern.strip())
