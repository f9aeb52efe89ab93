"""Guards: refusals that need to know what an operation would make of the whole context."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from ...compiler.ops.model import GUARD_CODES
from ..kernel.content import text_of
from .facts import Facts
from .outcome import Rejection
from .staged import Represent, Staged, Step, Written
from .wire import Asked

#: What a reply thinks and what the system says cannot be named, so they break no run of slots.
_TRANSPARENT = ("system", "think")

Fits = Callable[[int], str | None]
Grown = Callable[[], int]


def refused_by_guards(
    asked: Asked, steps: Sequence[Step], staged: Staged, grown: Grown, fits: Fits
) -> list[Rejection]:
    """The guards of an operation that do not let it pass; ``grown`` tells by how many tokens its steps make
    the context longer."""
    found: list[Rejection] = []
    for guard in asked.op.guards:
        message = _GUARDS[guard](asked, steps, staged, grown, fits)
        if message is not None:
            found.append(Rejection(asked.index, GUARD_CODES[guard], message))
    return found


def _gain(asked: Asked, steps: Sequence[Step], staged: Staged, grown: Grown, fits: Fits) -> str | None:
    """Each stand-in must be smaller than what it stands for, and so must what is written: a summary, another text."""
    too_large: list[str] = []
    for step in steps:
        if isinstance(step, Represent) and step.how != "full":
            facts = staged.find(step.slot)
            if facts is not None and not _is_shorter(step, facts, staged):
                too_large.append(f"{step.slot} ({facts['tokens']} tokens)")
    if too_large:
        return f"what would stand there is no shorter than what it stands for: {', '.join(too_large)}"
    if any(isinstance(step, Written) for step in steps) and (more := grown()) >= 0:
        return f"what is written is no smaller than what it stands for ({more:+} tokens): say it in fewer words"
    return None


def _is_shorter(step: Represent, facts: Facts, staged: Staged) -> bool:
    """Whether a stand-in, with all of its note, is shorter than what it stands for."""
    if facts.slot is None:
        return False
    if facts.slot.is_call:
        return staged.tokens_of(facts.id, step.how, None) < int(facts["tokens"])
    text = staged.reader.stand_in(facts.slot, step.how, step.note or "")
    return text is not None and text.startswith(step.note or "")


def _preserve(asked: Asked, steps: Sequence[Step], staged: Staged, grown: Grown, fits: Fits) -> str | None:
    """Every literal of ``preserve`` must occur in what is said, blanks aside."""
    texts = [text_of(step.content) for step in steps if isinstance(step, Written)]
    notes = [step.note for step in steps if isinstance(step, Represent) and step.note]
    said = " ".join(" ".join([*texts, *notes]).split())
    missing = [text for text in asked.arguments.get("preserve") or () if " ".join(text.split()) not in said]
    if not missing:
        return None
    return f"content does not hold, word for word: {'; '.join(map(repr, missing[:12]))}" + (
        f"; and {len(missing) - 12} more" if len(missing) > 12 else ""
    )


def _budget(asked: Asked, steps: Sequence[Step], staged: Staged, grown: Grown, fits: Fits) -> str | None:
    """What comes back must not fill the context up to its critical limit."""
    more = grown()
    return fits(staged.delta() + more) if more > 0 else None


def _consecutive(asked: Asked, steps: Sequence[Step], staged: Staged, grown: Grown, fits: Fits) -> str | None:
    """Between the first and the last target nothing else may be visible."""
    targets = set(asked.targets)
    places = sorted(staged.place(id) for id in targets)
    between = [id for id in visible_between(staged, places[0], places[-1]) if id not in targets]
    if not between:
        return None
    shown = ", ".join(between[:12]) + (f" and {len(between) - 12} more" if len(between) > 12 else "")
    return f"{', '.join(asked.targets)} are not one run: {shown} lie between; name them too, or fold less"


def visible_between(staged: Staged, first: tuple[int, ...], last: tuple[int, ...]) -> list[str]:
    """The visible slots with positions from ``first`` to ``last``, but for those that no operation may name."""
    reader = staged.reader
    stage = reader.recorder.stage
    start = bisect_left(stage.keys, (first[0], first[1], first[2], -1, -1))
    found: list[str] = []
    seen: set[str] = set()
    for n in range(start, len(stage.keys)):
        key = stage.keys[n]
        if key > last:
            break
        seen.update(stage.units[key])
        found += (*stage.units[key], *stage.results_on(key))
    seen.update(found)
    found += (id for id in (*reader.coming(), *staged.touched()) if id not in seen)
    kept: dict[str, tuple[int, ...]] = {}
    for id in found:
        place = staged.place(id)
        facts = staged.find(id)
        if facts is not None and first <= place <= last and facts.is_visible and facts["kind"] not in _TRANSPARENT:
            kept[id] = place
    return sorted(kept, key=kept.__getitem__)


_GUARDS: dict[str, Callable[[Asked, Sequence[Step], Staged, Grown, Fits], str | None]] = {
    "gain": _gain,
    "preserve": _preserve,
    "budget": _budget,
    "consecutive": _consecutive,
}
