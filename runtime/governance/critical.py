"""The critical pass: what is shortened when the context is nearly full and nobody else has acted (spec/cpat.md 7).

Planned from facts alone, cheapest loss first: results that stand there twice, reads of a file that was read again or
changed since, read results by size and age, unread results down to a preview, whole old chains. Read results are
freed down to a quarter of what may be used, so that the next pass, and the next break of the prompt cache, is far
away; what costs more than that stops below the soft limit. Nothing is deleted: contents stay in the store, archived
slots in the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from .budget.limits import Limits
from .cutting import NO_ROOM, Room, Short, Shorten

#: Smaller results are left alone (spec/cpat.md section 7).
SMALLEST: Final = 300

#: Of the room that an unread result gets, the share that its head and tail fill (60 and 20 %), in percent.
SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result that stands on stage, in full or cut, and may be reduced.

    ``tokens`` and ``characters`` are those of what stands there now. ``age``: calls since it was first shown;
    ``unread``: no completed request has held it. ``digest``: of its content. ``path``: the file that its call names,
    None when it names none; ``asked``: tool and arguments; ``changes``: the call changed the file rather than read it.
    In order of position.
    """

    slot: str
    tokens: int
    age: int
    unread: bool
    digest: bytes
    characters: int
    path: str | None = None
    asked: str = ""
    changes: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """A call and its result on stage, both read, that may be archived together; tokens as they are rendered now."""

    call: str
    result: str
    call_tokens: int
    result_tokens: int


@dataclass(frozen=True, slots=True)
class Held:
    """What a request holds: tokens by the one counter, and tool calls."""

    raw: int
    chains: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a pass would do. ``offloads``: slots, and what stands for them; ``archived``: calls with their results.

    ``freed``: tokens of the estimate; ``left``: the estimate after it.
    """

    offloads: tuple[tuple[str, Short], ...]
    archived: tuple[Chain, ...]
    freed: int
    left: int

    @property
    def slots(self) -> int:
        """How many slots it would touch."""
        touched = {slot for slot, _ in self.offloads}
        return len(touched.union(*((chain.call, chain.result) for chain in self.archived)))


def plan(
    results: Sequence[Result],
    chains: Sequence[Chain],
    held: Held,
    limits: Limits,
    estimate: Callable[[int, int], int],
    shorten: Shorten,
    *,
    pressing: bool = False,
) -> Plan:
    """What a pass does about a request that holds so much; ``results`` and ``chains`` are in order of position.

    ``estimate`` gives the prompt tokens of (raw tokens, chains). ``pressing``: a provider has refused the request, so
    unread results and chains are touched above the soft limit already, not only above the critical one. Small unread
    results, however many, are cut only where the window could not hold them.
    """
    making = _Making(held, estimate, shorten)
    last_resort = limits.soft if pressing else limits.critical
    large = [result for result in results if result.tokens >= SMALLEST]
    for result in in_order(large, results):
        if making.used <= limits.low:
            break
        making.offload(result, NO_ROOM)
    if making.used >= last_resort:
        making.level([result for result in large if result.unread], limits.soft)
    if making.used >= last_resort:
        for chain in chains:
            if making.used < limits.soft:
                break
            making.archive(chain)
    if making.used > limits.room or (pressing and making.used >= limits.soft):
        making.level([result for result in results if result.unread], limits.soft)
    before = estimate(held.raw, held.chains)
    return Plan(tuple(making.offloads.items()), tuple(making.archived), before - making.used, making.used)


def in_order(candidates: Sequence[Result], results: Sequence[Result]) -> list[Result]:
    """The read ones of the candidates, those that cost least to lose first.

    ``results``: all that stand on stage, small ones too: a newer one of the same content or file makes an older old.
    """
    newest_content: dict[bytes, str] = {}
    newest_question: dict[str, int] = {}
    newest_change: dict[str, int] = {}
    places = {result.slot: place for place, result in enumerate(results)}
    for place, result in enumerate(results):
        newest_content[result.digest] = result.slot
        newest_question[result.asked] = place
        if result.path is not None and result.changes:
            newest_change[result.path] = place
    doubled, outdated, rest = list[Result](), list[Result](), list[Result]()
    for result in candidates:
        if result.unread:
            continue
        place = places[result.slot]
        if newest_content[result.digest] != result.slot:
            doubled.append(result)
        elif result.path is not None and not result.changes and (
            newest_question[result.asked] > place or newest_change.get(result.path, -1) > place
        ):
            outdated.append(result)
        else:
            rest.append(result)
    return [*doubled, *outdated, *sorted(rest, key=lambda r: -r.tokens * max(1, r.age))]


class _Making:
    """A plan in the making."""

    def __init__(self, held: Held, estimate: Callable[[int, int], int], shorten: Shorten) -> None:
        self._raw, self._chains = held.raw, held.chains
        self._estimate = estimate
        self._shorten = shorten
        self._freed: dict[str, int] = {}
        self.offloads: dict[str, Short] = {}
        self.archived: list[Chain] = []

    @property
    def used(self) -> int:
        """The estimate as it would be now."""
        return self._estimate(self._raw, self._chains)

    def level(self, results: Sequence[Result], limit: int) -> None:
        """Cut the largest of these results, which is as few as possible, until all of them fit below the limit."""
        sizes = {result.slot: result.tokens - self._freed.get(result.slot, 0) for result in results}
        room = max(0, limit - self._estimate(max(0, self._raw - sum(sizes.values())), self._chains))
        most = Room(_level(sizes.values(), room) * SHOWN // 100)
        for result in sorted(results, key=lambda r: -sizes[r.slot]):
            if self.used < limit:
                break
            self.offload(result, most)

    def offload(self, result: Result, room: Room) -> None:
        """Put a stand-in in a result's place, if it is shorter than what stands there."""
        short = self._shorten(result.slot, room)
        freed = self._freed.get(result.slot, 0)
        if short is None or short.tokens >= result.tokens - freed:
            return
        self.offloads[result.slot] = short
        self._freed[result.slot] = result.tokens - short.tokens
        self._raw -= result.tokens - short.tokens - freed

    def archive(self, chain: Chain) -> None:
        """Take a call and its result off stage."""
        self.archived.append(chain)
        self._raw -= chain.call_tokens + chain.result_tokens - self._freed.get(chain.result, 0)
        self._chains -= 1


def _level(sizes: Iterable[int], room: int) -> int:
    """The size down to which the larger of some things are cut so that all fit into the room: as few as possible."""
    ascending = sorted(sizes)
    for i, size in enumerate(ascending):
        share = room // (len(ascending) - i)
        if size > share:
            return share
        room -= size
    return room
