"""Plays what a finding says. Each check of time, of provider law and of growth names a slot; here a real session bears
it, and shows whether the finding is true."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from play import BY_TURN, LONG, PLAIN, Play, program_of

from dcc.compiler.diagnostics import Diagnostic
from dcc.compiler.facts.growth import DEFAULT_SIZES, limit_of
from dcc.compiler.facts.lifetimes import is_unending
from dcc.compiler.ir.build import build_ruleset
from dcc.compiler.program import ElementRow, Program, Rule
from dcc.runtime.kernel.tokens import count_tokens

#: Roles that a reply and its results have, whatever is written.
_OF_REPLIES = {"assistant": "assistant", "think": "assistant", "toolCall": "assistant", "toolResult": "tool"}

#: Sections that act on slots beside their rules.
ALONE = {"governance": None, "settle": None, "compact": None}


@dataclass(frozen=True)
class Claim:
    """A finding, the ruleset that it is about, and its Program."""

    found: Diagnostic
    data: Mapping[str, Any]
    program: Program

    @property
    def element(self) -> str:
        """The element of the witness."""
        assert self.found.witness is not None
        return self.found.witness.element

    @property
    def at(self) -> int:
        """The turn of the witness."""
        assert self.found.witness is not None
        return self.found.witness.turn

    def on_its_own(self) -> Program:
        """The Program of which only the element's own chain has rules, carried out at once.

        A call takes its result along and a chain its call; settling makes what is due wait, compaction folds.
        """
        is_call = "toolCall" in (self.element, self.program.row(self.element).of)
        other = "chain" if is_call else "toolCall"
        life_cycle = {
            name: entry
            for name, entry in self.data["life_cycle"].items()
            if name != other and not (isinstance(entry, dict) and entry.get("of") == other)
        }
        return program_of({**self.data, "life_cycle": life_cycle, **ALONE})


def never_on_stage(claim: Claim) -> bool:
    """A slot borne in turn 1 is in no request that its rule speaks of."""
    play = Play(_with_end_alone(claim.on_its_own(), claim.element))
    slot = play.bear(claim.element)
    for _ in range(10):
        play.turn()
    if slot is None:
        return True
    # What is reduced and not dropped is read once: nothing is reduced before a request has held it.
    if play.program.row(claim.element).retire != "drop":
        return play.full(slot).count(True) <= 1
    # A message is in the requests of its own turn by force (kernel.md, P2).
    forced = [request.turn == 1 and claim.element == "user" for request in play.requests]
    return not any(on and not by_force for on, by_force in zip(play.on(slot), forced, strict=True))


def _with_end_alone(program: Program, element: str) -> Program:
    """The Program with a row of which only the end counts: no floor, no ceiling, nothing superseded or spared."""
    alone = replace(program.row(element), at_most=None, supersede=False, keep_last=0, min_tokens=0)
    return replace(program, elements={**program.elements, element: alone})


def stays_for_ever(claim: Claim) -> bool:
    """A slot borne in turn 1 is on stage in the turn of the witness and after, unless newer ones push it out."""
    program = claim.on_its_own()
    play = Play(_with_end_alone(program, claim.element))
    slot = play.bear(claim.element)
    for _ in range(claim.at + 3):
        play.turn()
    late = [request.turn >= claim.at for request in play.requests]
    return slot is None or all(on for on, is_late in zip(play.on(slot), late, strict=True) if is_late)


def stays_in_full(claim: Claim) -> bool:
    """A slot borne in turn 1 is never reduced; without an end it is on stage from the turn of the witness on."""
    play = Play(_with_end_alone(claim.on_its_own(), claim.element))
    slot = play.bear(claim.element)
    for _ in range(claim.at + 3):
        play.turn()
    late = [request.turn >= claim.at for request in play.requests]
    if slot is None:
        return True
    if not is_unending(play.program.row(claim.element).rule.end):
        return play.full(slot) == play.on(slot)
    return all(full for full, is_late in zip(play.full(slot), late, strict=True) if is_late)


def late_slot_is_never_on_stage(claim: Claim) -> bool:
    """A slot borne in the turn of the witness is in no request."""
    play = Play(claim.on_its_own())
    while play.session.turn < claim.at - 1:
        play.turn()
    slot = play.bear(claim.element)
    for _ in range(4):
        play.turn()
    return slot is None or not any(play.on(slot))


def message_leaves_its_own_turn(claim: Claim) -> bool:
    """The rule has the running message off stage: a session forces it and says so, or it leaves right after."""
    play = Play(program_of({**claim.data, **ALONE}))
    while play.session.turn < claim.at - 1:
        play.turn()
    play.turn(tuple(play.call(ElementRow(PLAIN), n) for n in range(9)))
    (after,) = play.turn()
    return "user_forced" in play.notices or f"user@{claim.at}" not in {v.slot for v in after.visible}


def another_refinement_takes_it(claim: Claim) -> bool:
    """A slot that passes every test of the refinement is refined otherwise."""
    program = claim.on_its_own()
    rows = {name: replace(row, rule=Rule(), at_most=None, supersede=False) for name, row in program.elements.items()}
    play = Play(replace(program, elements=rows))
    play.turn((play.call(claim.program.row(claim.element)),))
    refined = {v.refined for request in play.requests for v in request.visible}
    return claim.element not in refined and refined != {None}


def every_turn_has_one_call(claim: Claim) -> bool:
    """Without tools there is one request a turn, and nothing is refined."""
    play = Play(claim.program)
    requests = [play.turn() for _ in range(5)]
    return all(len(made) == 1 and all(v.refined is None for v in made[0].visible) for made in requests)


def result_leaves_with_its_call(claim: Claim) -> bool:
    """The result is off stage although its own rule has not ended."""
    play = Play(claim.program)
    play.turn(tuple(play.call(ElementRow(PLAIN), n) for n in range(40)))
    for _ in range(8):
        play.turn()
    end = claim.program.row("toolResult").rule.end
    for on, request in zip(play.on("toolResult@1"), play.requests, strict=True):
        in_time = end.kind != "born" or (request.turn if end.unit == "turns" else request.ordinal - 1) <= 1 + end.n
        if not on and request.ordinal > 1 and in_time:
            return True
    return False


def goes_out_with_another_role(claim: Claim) -> bool:
    """No message with the slot has the role that is written; of a user, none that was typed is a user's."""
    written = claim.data.get("context", {}).get("roles", {}).get(claim.element)
    written = written or claim.data["answer"]["outputs"][claim.element]["role"]
    life_cycle = {name: ["born", None] for name in (claim.element, "toolCall", "user")}
    play = Play(program_of({**claim.data, "life_cycle": life_cycle}))
    play.turn((play.call(ElementRow(PLAIN)),), thinking="thought")
    if claim.element not in (*_OF_REPLIES, *BY_TURN):
        play.session.add_entry(claim.element, "MARK")
    play.turn(text="MARK" if claim.element == "user" else "a question")
    messages = play.requests[-1].messages
    if claim.element in _OF_REPLIES:
        own = _OF_REPLIES[claim.element]
        return own != written and own in {message["role"] for message in messages}
    (role,) = [message["role"] for message in messages if "MARK" in str(message["content"])]
    return bool(role == written) if claim.element == "user" and written != "tool" else bool(role != written)


def more_every_turn(claim: Claim) -> bool:
    """The slots on stage are ever more: as many new ones as there are new turns."""
    play = Play(claim.program)
    row = claim.program.row(claim.element)
    counts = []
    for n in range(14):
        if row.name == "recall":
            play.turn()
            play.session.add_entry("recall", LONG)
        else:
            play.turn((play.call(row, n),), thinking="thought")
        counts.append(play.count(claim.element))
    return counts[-1] - counts[-5] >= 4


def overflows(claim: Claim) -> bool:
    """With slots of the given sizes the request of the turn is over the limit."""
    section = build_ruleset(claim.data)[0].governance
    assert section is not None
    limit, sizes = limit_of(section), {**DEFAULT_SIZES, **section.sizes}
    assert limit is not None
    play = Play(claim.program)
    for _ in range(claim.at):
        play.turn(text=_of(sizes["user"]), reply=_of(sizes["assistant"]), thinking=_of(sizes.get("think", 0)))
    return play.requests[-1].tokens > limit


def _of(tokens: int) -> str:
    """A text of a slot of so many tokens; none for none."""
    text = ""
    while tokens and count_tokens(text) < tokens:
        text += "word "
    return text


def front_breaks(claim: Claim) -> bool:
    """In each of three turns the first message behind the system's differs from the request before."""
    play = Play(claim.program)
    for n in range(claim.at + 2):
        play.turn(text=f"question {n}", reply=f"answer {n}")
    late = [request for request in play.requests if request.turn >= claim.at]
    broken = {turn: index for turn, call, index in play.breaks if call == 1}
    fronts = {r.turn: sum(slot.element == "system" for slot in r.visible) for r in late}
    return all(turn in broken and broken[turn] <= front for turn, front in fronts.items())


def breaks_at_nearly_every_call(claim: Claim) -> bool:
    """In a long tool loop most requests differ from the one before somewhere in the middle."""
    row = claim.program.row(claim.element)
    play = Play(claim.program)
    play.turn(tuple(play.call(row, 0 if row.supersede else n) for n in range(30)))
    return sum(call > 15 for _, call, _ in play.breaks) >= 10


#: What confirms the findings of each check.
WITNESSES: Mapping[str, Callable[[Claim], bool]] = {
    "breaks-every-call": breaks_at_nearly_every_call,
    "call-leaves-first": result_leaves_with_its_call,
    "calls-without-tools": every_turn_has_one_call,
    "end-before-start": never_on_stage,
    "end-never-comes": stays_for_ever,
    "front-breaks": front_breaks,
    "grows-without-bound": more_every_turn,
    "late-births": late_slot_is_never_on_stage,
    "needs-labels": stays_for_ever,
    "never-seen": never_on_stage,
    "nothing-retires": stays_in_full,
    "role-not-carried": goes_out_with_another_role,
    "shadowed-refinement": another_refinement_takes_it,
    "unknown-governor": stays_for_ever,
    "user-off-stage": message_leaves_its_own_turn,
    "waits-for-itself": stays_for_ever,
    "window-overflow": overflows,
}


def claims(data: Mapping[str, Any], found: tuple[Diagnostic, ...]) -> Iterator[Claim]:
    """The findings that a witness must confirm."""
    # What is claimed is claimed of the rules: a full context is another matter, and takes what they leave.
    program = program_of({key: value for key, value in data.items() if key != "governance"})
    for diagnostic in found:
        if diagnostic.name in WITNESSES and diagnostic.severity != "info":
            yield Claim(diagnostic, data, program)
