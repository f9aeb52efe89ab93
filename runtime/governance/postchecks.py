"""Post-checks: what must hold of the context once all operations were taken (spec/cpat.md section 4)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from .facts import Facts
from .outcome import Rejection
from .staged import Staged

#: Reported of the whole transaction, not of one operation.
_WHOLE = -1

#: Every slot that changed: its facts before (None: it is new) and now.
Changed = Mapping[str, tuple[Facts | None, Facts]]


def post_checks(staged: Staged) -> list[Rejection]:
    """Why the context that a transaction leaves cannot be sent; empty when it can."""
    return [*broken_chains(staged), *unfounded(staged)]


def broken_chains(staged: Staged) -> list[Rejection]:
    """Calls without their results, and the other way round; what a transaction bears is none of either."""
    changed = staged.touched()
    return [*_chains(staged, changed), *_open_chains(changed)]


def unfounded(staged: Staged) -> list[Rejection]:
    """A context that is empty, or begins with what it cannot begin with."""
    changed = staged.touched()
    return _empty(staged, changed) or _roles(staged, changed)


def _chains(staged: Staged, changed: Changed) -> list[Rejection]:
    """A tool call and its result go, and come back, together."""
    broken: dict[tuple[str, ...], None] = {}
    for before, now in changed.values():
        if now.slot is None or (before is not None and before.is_visible == now.is_visible):
            continue
        chain = staged.reader.chain(now.slot)
        if len(chain) == 2 and len({_is_visible(staged, id) for id in chain}) == 2:
            broken[chain] = None
    return [
        Rejection(_WHOLE, "chain_atomicity", f"a call and its result go together; name both: ids {json.dumps(chain)}")
        for chain in broken
    ]


def _is_visible(staged: Staged, slot_id: str) -> bool:
    """Whether a slot, or what replaces it in this transaction, is visible."""
    facts = staged.find(slot_id)
    successor = staged.successors.get(slot_id)
    return (facts is not None and facts.is_visible) or (successor is not None and _is_visible(staged, successor))


def _open_chains(changed: Changed) -> list[Rejection]:
    """A call that waits for its result stays."""
    waiting = [
        id for id, (before, now) in changed.items()
        if now["open_chain"] and not now.is_visible and before is not None and before.is_visible
    ]  # fmt: skip
    if not waiting:
        return []
    return [Rejection(_WHOLE, "open_chain", f"{', '.join(waiting)}: the call has no result yet; archive it later")]


def _empty(staged: Staged, changed: Changed) -> list[Rejection]:
    """Something must be left, what the person asked above all."""
    lost = [
        id for id, (before, now) in changed.items()
        if not now.is_visible and before is not None and before["current_question"]
    ]  # fmt: skip
    shown = staged.reader.recorder.stage.shown
    left = len(shown) + sum(now.is_visible - (id in shown) for id, (_, now) in changed.items())
    if lost and any(before is not None and before.is_visible for before, _ in changed.values()):
        return [Rejection(_WHOLE, "empty_view", f"{', '.join(lost)} must stay: it is what the person asked last")]
    if changed and left <= 0:
        return [Rejection(_WHOLE, "empty_view", "nothing would be left in the context")]
    return []


def _roles(staged: Staged, changed: Changed) -> list[Rejection]:
    """What comes first after the system's slots is said by a person, or sums up what was."""
    first = _first(staged, changed)
    if first is None or _may_be_first(staged, first):
        return []
    before = _first(staged, {})
    if before is None or not _may_be_first(staged, before):
        return []  # It was so before; this transaction did not make it so.
    message = f"the context would begin with {first.id} ({first['kind']}): keep {before.id}, or sum it up"
    return [Rejection(_WHOLE, "role_sequence", message)]


def _may_be_first(staged: Staged, facts: Facts) -> bool:
    return facts["kind"] == "summary" or staged.reader.program.role_of(facts["element"]) == "user"


def _first(staged: Staged, changed: Changed) -> Facts | None:
    """The first visible slot that is not the system's, with or without what the transaction changed."""
    reader = staged.reader
    stage = reader.recorder.stage
    new = [now for _, now in changed.values() if now.is_visible and now.id not in stage.shown]
    earliest = min(new, key=lambda facts: staged.place(facts.id), default=None)
    for key in stage.keys:
        if earliest is not None and staged.place(earliest.id) < key:
            break
        for slot_id in stage.units[key]:
            facts = changed[slot_id][1] if slot_id in changed else reader.find(slot_id)
            if facts is not None and facts.is_visible and reader.program.role_of(facts["element"]) != "system":
                return facts
    return earliest
