"""Checking: every reason why a transaction cannot be done, at once (spec/cpat.md sections 3 to 5).

An operation that is refused changes nothing of the staged view; those behind it are still checked. What holds for
the transaction as a whole (postchecks.py) is asked only when no operation was refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from unicodedata import category, decimal, normalize

from ...compiler.ops.evaluate import holds, offenders
from ...compiler.problem import nearest
from ..kernel.ledger import Ledger
from .bases import stale_base
from .effects import filled, missing, plan, said
from .facts import Facts, Reader
from .guards import refused_by_guards
from .outcome import Rejection, listed, shortened
from .postchecks import post_checks
from .staged import Bear, Hold, Lift, Replace, Represent, Staged, Step
from .wire import Asked, Payload


@dataclass(frozen=True, slots=True)
class Checked:
    """What checking came to: the steps by operation, or why there are none."""

    rejections: tuple[Rejection, ...]
    staged: Staged
    steps: tuple[tuple[Step, ...], ...] = ()

    @property
    def applied(self) -> int:
        """How many operations change anything."""
        return sum(bool(steps) for steps in self.steps)


def check(payload: Payload, reader: Reader, fits: Callable[[int], str | None]) -> Checked:
    """Check a transaction. ``fits`` says why the context may not grow by a number of tokens; None: it may."""
    found: list[Rejection] = list(payload.problems)
    stale = stale_base(reader.recorder.ledger, payload.base)
    if stale is not None:
        found.append(Rejection(-1, "stale_base", stale))
    staged = Staged(reader)
    refused = {problem.op_index for problem in payload.problems}
    steps: list[tuple[Step, ...]] = []
    for asked in payload.asked:
        problems, its_steps, after = _check_op(asked, staged, refused, fits)
        if problems or asked.index in refused:
            refused.add(asked.index)
            found += problems
        else:
            staged = after
            steps.append(tuple(its_steps))
    if not found:
        found = post_checks(staged)
    return Checked(tuple(_in_order(found)), staged, () if found else tuple(steps))


def _check_op(
    asked: Asked, staged: Staged, refused: set[int], fits: Callable[[int], str | None]
) -> tuple[list[Rejection], list[Step], Staged]:
    """The rejections of one operation; its steps, and the view that they leave, when there are none."""
    problems, targets = targets_of(asked, staged, refused)
    if not targets or not asked.is_readable or any(problem.rule == "protected_kind" for problem in problems):
        return problems, [], staged
    problems += _refused(asked, targets, is_alone=not problems)
    if problems or asked.index in refused:
        return problems, [], staged
    steps = plan(asked, targets, staged)
    problems = impossible(asked.index, steps, staged)
    if problems:
        return problems, [], staged
    after = staged.after(steps)
    return refused_by_guards(asked, steps, staged, lambda: after.delta() - staged.delta(), fits), steps, after


def _refused(asked: Asked, targets: Sequence[Facts], *, is_alone: bool) -> list[Rejection]:
    """What the operation itself declares to be in the way. ``is_alone``: there is nothing else."""
    index, op = asked.index, asked.op
    problems: list[Rejection] = []
    for refusal in op.refusals:
        if holds(refusal.when, asked.arguments, targets):
            guilty = [targets[i].id for i in offenders(refusal.when, asked.arguments, targets)]
            message = _fill(refusal.message, asked, guilty or [t.id for t in targets])
            problems.append(Rejection(index, refusal.code, message))
    if is_alone and not problems and (names := missing(asked, targets)):
        problems.append(Rejection(index, "missing_argument", f"{op.name} needs {' and '.join(names)}"))
    return problems


def impossible(index: int, steps: Iterable[Step], staged: Staged) -> list[Rejection]:
    """Why steps may not be taken, whatever an operation declares and guards."""
    problems = _floor(index, steps, staged)
    problems += [Rejection(index, *s.problem) for s in steps if isinstance(s, Replace) and s.problem is not None]
    return problems


def targets_of(asked: Asked, staged: Staged, refused: set[int]) -> tuple[list[Rejection], list[Facts]]:
    """The targets of an operation, and the common refusals of their ids."""
    index = asked.index
    problems: list[Rejection] = []
    found: dict[str, Facts] = {}
    unknown: list[str] = []
    for id in dict.fromkeys(asked.targets):
        facts = staged.find(id)
        if facts is None:
            unknown.append(id)
        else:
            found[id] = facts
    if unknown:
        problems.append(Rejection(index, "unknown_id", _unknown_ids(unknown, staged, refused)))
    if len(set(asked.targets)) < len(asked.targets):
        twice = [id for id, times in Counter(asked.targets).items() if times > 1]
        problems.append(Rejection(index, "duplicate_ids", f"{', '.join(twice)}: named more than once"))
    reader = staged.reader
    replaced = [message for id, facts in found.items() if (message := _replaced(id, facts, staged))]
    problems += [Rejection(index, "replaced", message) for message in replaced]
    fixed = [f.id for f in found.values() if f.slot is not None and reader.is_untouchable(f.slot)]
    if fixed:
        message = (
            f"{', '.join(fixed)}: the system's slots stay as they are, "
            "and so do the message and the thinking of the open turn"
        )
        problems.append(Rejection(index, "protected_kind", message))
    return problems, [] if unknown or replaced else list(found.values())


def _replaced(id: str, facts: Facts, staged: Staged) -> str | None:
    """What is said of a slot that another stands in the place of; of one that was purged its content is told of."""
    staged_one = staged.successors.get(id)
    if staged_one is not None:
        return f"{id} is replaced by {staged_one} of this transaction: name that one"
    if facts.slot is None or facts.slot.is_purged:
        return None
    successor = staged.reader.recorder.ledger.versions.successor(facts.slot)
    if successor is None:
        return None
    return f"{id} was replaced by {successor}: name that one; /cpat undo brings back what it was"


def _unknown_ids(ids: Sequence[str], staged: Staged, refused: set[int]) -> str:
    named = []
    ledger = staged.reader.recorder.ledger
    for id in ids:
        if id.startswith("$"):
            number = id[1:].partition(".")[0]
            why = "was refused" if number in map(str, refused) else "has borne nothing yet"
            named.append(f"{shortened(id)} (operation {shortened(number)} {why})")
            continue
        if (meant := _alike(id, ledger)) is not None:
            named.append(f"{shortened(id)} (written with other characters than {meant}: name that one)")
            continue
        newest = (ledger.by_element.get(id.partition("@")[0]) or [])[-3:]
        named.append(shortened(id) + (f" (newest of its kind: {', '.join(newest)})" if newest else ""))
    more = f" and {len(named) - 12} more" if len(named) > 12 else ""
    return f"no slot {', '.join(named[:12])}{more}; ids are those of the manifest"


def _alike(id: str, ledger: Ledger) -> str | None:
    """The slot whose id looks like one that is none: full width, other digits, what cannot be seen, another letter."""
    plain = "".join(c for c in normalize("NFKC", id[:60]) if category(c) != "Cf")
    plain = "".join(str(decimal(c, c)) for c in plain)
    if plain != id and plain in ledger.slots:
        return plain
    element, at, rest = plain.partition("@")
    near = None if element.isascii() else nearest(element, ledger.by_element)
    return meant if near is not None and (meant := near + at + rest) in ledger.slots else None


def _floor(index: int, steps: Iterable[Step], staged: Staged) -> list[Rejection]:
    """What no operation may do, whatever it declares (kernel.md sections 2 and 6, P2)."""
    found: list[tuple[str, str]] = []
    for step in steps:
        if not isinstance(step, Bear):
            facts = staged.find(step.slot)
            if facts is not None:  # Else the operation itself bears it.
                found += ((code, step.slot) for code in _forbidden(step, facts, staged.reader))
    return [
        Rejection(index, code, f"{', '.join(dict.fromkeys(id for _, id in group))}: {_FLOOR[code]}")
        for code, group in groupby(sorted(found, key=lambda one: list(_FLOOR).index(one[0])), key=lambda one: one[0])
    ]


#: What is said of each, in the order in which they are told.
_FLOOR = {
    "protected_hidden": "what a person typed may be archived, not hidden",
    "replace_protected": "what a person typed, calls and thinking are not rewritten",
    "protected_current_question": "what the person asked last stays as it is",
    "protected_unread": "this result has not been in any request yet; read it first",
    "protected_kept": "a person keeps it on stage; only /dc-unkeep gives it back",
    "held_elsewhere": "something else than an operation took it off stage; /cpat why says what, undo brings it back",
    "artifact_missing": "its content is gone",
}


def _forbidden(step: Step, facts: Facts, reader: Reader) -> Iterable[str]:
    slot = facts.slot
    drops = isinstance(step, Hold | Replace) or (isinstance(step, Represent) and step.how != "full")
    if isinstance(step, Hold) and step.how == "hidden" and facts["protected"]:
        yield "protected_hidden"
    if isinstance(step, Replace) and (facts["protected"] or facts["kind"] in ("toolCall", "think")):
        yield "replace_protected"
    if drops and facts["current_question"]:
        yield "protected_current_question"
    if drops and facts["unread"] and not (isinstance(step, Replace) and step.purges):
        yield "protected_unread"
    if slot is None:
        return
    # A keep beats everything but a purge (kernel.md section 2).
    takes_away = isinstance(step, Hold) or (isinstance(step, Replace) and not step.purges)
    if takes_away and reader.is_kept(slot):
        yield "protected_kept"
    if isinstance(step, Lift) and reader.is_held_elsewhere(slot):
        yield "held_elsewhere"
    if slot.is_purged or (facts["lost"] and not isinstance(step, Hold)):
        yield "artifact_missing"


def _fill(message: str, asked: Asked, ids: Sequence[str]) -> str:
    """A refusal's message with ``{ids}`` and ``{argument}`` filled in."""
    values = {
        name: listed(value) if isinstance(value, tuple) else shortened(said(value))
        for name, value in asked.arguments.items()
    }
    return filled(message, values | {"ids": ", ".join(ids)})


def _in_order(rejections: Iterable[Rejection]) -> list[Rejection]:
    """By operation, those of the whole transaction first; what was found first of each stays first."""
    return sorted(rejections, key=lambda rejection: rejection.op_index)
