"""The staged view: what the operations of one transaction have made of the slots so far (spec/cpat.md section 4).

Later operations see what earlier ones did. Nothing here touches the ledger: a transaction that is refused leaves
no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from ...compiler.program import SUMMARY as SUMMARY_ELEMENT
from ..kernel.content import Content
from ..kernel.slots import Position, Representation
from ..kernel.stage import unit_key
from ..kernel.tokens import count_tokens
from ..view.build import PURGED
from .facts import Facts, Reader


@dataclass(frozen=True, slots=True)
class Hold:
    """A slot leaves the stage: ``archived`` is listed in the manifest, ``hidden`` is not."""

    slot: str
    how: str


@dataclass(frozen=True, slots=True)
class Lift:
    """A slot comes back on stage."""

    slot: str


@dataclass(frozen=True, slots=True)
class Represent:
    """A slot is rendered otherwise; ``note``: the text that stands before the address of a ref."""

    slot: str
    how: Representation
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Bear:
    """A summary is borne in the place of the earliest of its sources; ``ref`` names it inside the transaction."""

    ref: str
    sources: tuple[str, ...]
    content: str


@dataclass(frozen=True, slots=True)
class Replace:
    """A new slot takes the place of an old one. ``purges``: the content of the old one is deleted, and
    with it every stored content that holds one of ``values``. ``problem``: why that cannot be, a code and what is
    said."""

    ref: str
    slot: str
    content: Content
    values: tuple[str, ...] = ()
    purges: bool = False
    problem: tuple[str, str] | None = None


Step = Hold | Lift | Represent | Bear | Replace

#: Steps that bring a text of their own.
Written = (Bear, Replace)


class Staged:
    """The slots as the transaction would leave them."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._now: dict[str, Facts] = {}
        self._before: dict[str, Facts] = {}
        self.places: dict[str, Position] = {}
        self._how: dict[str, Representation] = {}
        #: What takes the place of a slot that is replaced.
        self.successors: dict[str, str] = {}

    def find(self, slot_id: str) -> Facts | None:
        """The facts of a slot or of a ``$n``, as the operations so far leave it."""
        now = self._now.get(slot_id)
        return now if now is not None else self.reader.find(slot_id)

    def facts(self, slot_id: str) -> Facts:
        """The same of one that there is. Raises KeyError."""
        found = self.find(slot_id)
        if found is None:
            raise KeyError(slot_id)
        return found

    def how(self, slot_id: str) -> Representation:
        """The representation of a slot or of a ``$n``, as the operations so far leave it."""
        slot = self.facts(slot_id).slot
        return self._how.get(slot_id) or (self.reader.shape(slot).how if slot is not None else "full")

    def copy(self) -> Staged:
        """A view that can be changed without changing this one."""
        other = Staged(self.reader)
        other._now, other._before = dict(self._now), dict(self._before)
        other.places, other.successors, other._how = dict(self.places), dict(self.successors), dict(self._how)
        return other

    def after(self, steps: Iterable[Step]) -> Staged:
        """The view that some steps leave."""
        other = self.copy()
        for step in steps:
            other.apply(step)
        return other

    def touched(self) -> dict[str, tuple[Facts | None, Facts]]:
        """Every slot that changed: its facts before (None: it is new) and now."""
        return {id: (self._before.get(id), now) for id, now in self._now.items()}

    def delta(self) -> int:
        """By how many tokens the next request grows; negative when it shrinks."""
        chains: set[tuple[str, ...]] = set()
        total = 0
        for slot_id, (before, now) in self.touched().items():
            chain = self._chain(slot_id)
            if chain:
                chains.add(chain)
            else:
                total += _cost(now) - (_cost(before) if before is not None else 0)
        for chain in chains:
            total += self._cost_of_chain(chain, self.find) - self._cost_of_chain(chain, self._was)
        return total

    def _chain(self, slot_id: str) -> tuple[str, ...]:
        """The call and the result that a slot, or what it replaces, is one of; empty for any other slot."""
        slot = self.facts(slot_id).slot
        if slot is None:
            replaced = next((old for old, new in self.successors.items() if new == slot_id), None)
            return self._chain(replaced) if replaced is not None else ()
        return self.reader.chain(slot)

    def _was(self, slot_id: str) -> Facts | None:
        """The facts of a slot before the transaction."""
        if slot_id in self._now:
            return self._before.get(slot_id)
        return self.reader.find(slot_id)

    def _cost_of_chain(self, chain: tuple[str, ...], find: Callable[[str], Facts | None]) -> int:
        """What a call and its result cost: a result that is not in view is a stub beside its call."""
        call = find(chain[0])
        if call is None or not call.is_visible:
            return 0
        results = [facts for slot_id in chain[1:] if (facts := find(slot_id)) is not None]
        results += [facts for slot_id in chain[1:] if (facts := find(self.successors.get(slot_id, ""))) is not None]
        shown = next((facts for facts in results if facts.is_visible), None)
        if shown is not None:
            return _cost(call) + _cost(shown)
        if not results:
            return _cost(call)
        last = results[-1]
        if last["lost"] or last.slot is None:
            return _cost(call) + count_tokens(PURGED)
        return _cost(call) + self.reader.stub_tokens(last.slot)

    def delta_calls(self) -> int:
        """How many tool calls the next request has more; negative when it has fewer."""
        return sum(
            now.is_visible - (before is not None and before.is_visible)
            for before, now in self.touched().values() if now["kind"] == "toolCall"
        )  # fmt: skip

    def place(self, slot_id: str) -> Position:
        """The position of a slot or of a ``$n``."""
        if slot_id in self.places:
            return self.places[slot_id]
        return self.reader.recorder.ledger.slots[slot_id].position

    def apply(self, step: Step) -> None:
        """Take one step."""
        match step:
            case Hold(slot, how):
                self._change(slot, visibility=how)
            case Lift(slot):
                self._change(slot, visibility="model")
            case Represent(slot, how, note):
                storage = "inline" if how == "full" else "offloaded"
                self._change(slot, storage=storage, tokens=self.tokens_of(slot, how, note))
                self._how[slot] = how
            case Bear(ref, sources, content):
                self.places[ref] = min(self.place(source) for source in sources)
                self._bear(ref, content, kind=SUMMARY_ELEMENT, element=SUMMARY_ELEMENT)
            case Replace(ref, slot, content):
                old = self.facts(slot)
                self.places[ref] = self.place(slot)
                kept = {name: old[name] for name in ("kind", "element", "visibility", "calls_tools", "is_error")}
                self._bear(ref, content, **kept)
                self.successors[slot] = ref
                self._change(slot, visibility="hidden")

    def purge(self, slot_id: str) -> None:
        """A slot's content is deleted with those of the transaction; one that an undo took back is nowhere in view."""
        if self.find(slot_id) is not None:
            self._change(slot_id, visibility="retired", lost=True)

    def unnote(self, slot_id: str, digests: Collection[bytes]) -> None:
        """A slot's notes are deleted with the contents of these digests: a ref that still has one is without it."""
        facts = self.find(slot_id)
        if facts is None or facts.slot is None:
            return
        shape = self.reader.shape(facts.slot)
        stays = shape.note is None or bytes.fromhex(shape.note) not in digests
        if not stays and facts["storage"] == "offloaded" and facts["tokens"] == self.reader.tokens(facts.slot):
            self._change(slot_id, tokens=self.reader.tokens_as(
                facts.slot, shape.how, preview=shape.preview, images=shape.images
            ))  # fmt: skip

    def tokens_of(self, slot_id: str, how: Representation, note: str | None) -> int:
        """What a slot would cost in another representation."""
        facts = self.facts(slot_id)
        if facts.slot is None:
            return int(facts["tokens"])
        return self.reader.tokens_as(facts.slot, how, note or "")

    def first_change(self) -> tuple[Position, tuple[str, ...]] | None:
        """The unit from which the next request differs, and the slots of it that change; None: no unit does.

        Of a unit of which only results are rendered otherwise, these are the results.
        """
        units: dict[Position, list[str]] = {}
        for slot_id, (before, now) in self.touched().items():
            was = before is not None and before.is_visible
            same = was == now.is_visible and before is not None and before["tokens"] == now["tokens"]
            if not same and (was or now.is_visible):
                key = unit_key(now.slot) if now.slot is not None else self.places[slot_id]
                units.setdefault(key, []).append(slot_id)
        return (first := min(units), tuple(units[first])) if units else None

    def _change(self, slot_id: str, **changed: Any) -> None:
        facts = self.facts(slot_id)
        if slot_id not in self._now:
            self._before[slot_id] = facts
        self._now[slot_id] = facts.but(**changed)

    def _bear(self, ref: str, content: Content, **given: Any) -> None:
        known = {
            "visibility": "model", "storage": "inline", "protected": False, "current_question": False,
            "state": False, "unread": False, "open_chain": False, "calls_tools": False, "is_error": False,
            "json_object": False, "lost": False, "tokens": count_tokens(content), **given,
        }  # fmt: skip
        self._now[ref] = Facts(ref, None, known.__getitem__, known)


def _cost(facts: Facts) -> int:
    return int(facts["tokens"]) if facts.is_visible else 0
