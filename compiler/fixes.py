"""Carries out the fixes of findings: edits of the text, so that comments and layout stay as they are.

No fix is kept that makes a new error. Fixing a fixed text changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .choice import Choice
from .diagnostics import Diagnostic, Edit, Fix
from .files import check_file

#: Rounds of fixing everything at once, each followed by a check; a mend uncovers few others.
MAX_ROUNDS = 16

Chosen = tuple[Diagnostic, Fix]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text after its fixes, the findings that were mended on the way, and those that it still has."""

    text: str
    mended: tuple[Diagnostic, ...]
    left: tuple[Diagnostic, ...]

    @property
    def errors(self) -> Counter[tuple[str, str, str]]:
        """The errors that are left, wherever they stand."""
        return Counter((d.path, d.code, d.message) for d in self.left if d.severity == "error")


@dataclass(frozen=True, slots=True)
class Fixer:
    """What may be done to the text of ``path``: the fixes of chosen checks, ``unsafe`` ones too when asked."""

    path: str
    choice: Choice
    unsafe: bool = False

    def fix(self, text: str) -> Fixed:
        """The text with every fix that may be made, made."""
        state = Fixed(text, (), check_file(self.path, text).diagnostics)
        # Each step leaves fewer errors or fewer findings, so this ends; a second run would find nothing to do.
        while better := self._together(state) or self._with_care(state):
            state = better
        return state

    def fixes_of(self, diagnostic: Diagnostic) -> list[Fix]:
        """The fixes of a finding that may be made, the best first."""
        if diagnostic.path != self.path or not self.choice.takes(diagnostic.code, diagnostic.name):
            return []
        return [fix for fix in diagnostic.fixes if fix.safe or self.unsafe]

    def _together(self, state: Fixed) -> Fixed | None:
        """Make the first fix of each finding until none is left; None when that mends nothing, or makes errors."""
        now = state
        for _ in range(MAX_ROUNDS):
            chosen = [(d, fixes[0]) for d in now.left if (fixes := self.fixes_of(d))]
            if not chosen:
                return now if _is_better(now, state) else None
            now = self._made(now, chosen)
        return None

    def _with_care(self, state: Fixed) -> Fixed | None:
        """Make those fixes of a round that make no error; of each finding the first that does not."""
        accepted: list[Chosen] = []
        options = [(d, fixes) for d in state.left if (fixes := self.fixes_of(d))]
        for turn in range(max((len(fixes) for _, fixes in options), default=0)):
            done = {d for d, _ in accepted}
            group = [(d, fixes[turn]) for d, fixes in options if d not in done and turn < len(fixes)]
            accepted = self._accepted(state, accepted, group)
        return self._made(state, accepted) if accepted else None

    def _accepted(self, state: Fixed, accepted: list[Chosen], group: list[Chosen]) -> list[Chosen]:
        """``accepted`` with those of the group that go with them; halving finds the others in few checks."""
        if not group:
            return accepted
        if _is_better(self._made(state, [*accepted, *group]), self._made(state, accepted)):
            return [*accepted, *group]
        if len(group) == 1:
            return accepted
        half = len(group) // 2
        return self._accepted(state, self._accepted(state, accepted, group[:half]), group[half:])

    def _made(self, state: Fixed, chosen: Sequence[Chosen]) -> Fixed:
        edits, mended = _compatible(chosen)
        text = apply_edits(state.text, edits)
        if text == state.text:
            return state
        return Fixed(text, (*state.mended, *mended), check_file(self.path, text).diagnostics)


def _is_better(after: Fixed, before: Fixed) -> bool:
    """Whether no error came, and errors or at least findings went."""
    fewer = (after.errors.total(), len(after.left)) < (before.errors.total(), len(before.left))
    return fewer and not after.errors - before.errors


def _compatible(chosen: Iterable[Chosen]) -> tuple[list[Edit], list[Diagnostic]]:
    """The edits that can be made in one go, and what they mend: of fixes that meet, the first one counts.

    A fix is made whole or not at all.
    """
    taken: list[Edit] = []
    mended = []
    for diagnostic, fix in chosen:
        if all(edit in taken for edit in fix.edits):
            mended.append(diagnostic)
        elif not any(_meet(edit, other) for edit in fix.edits for other in taken):
            taken += fix.edits
            mended.append(diagnostic)
    return taken, mended


def _meet(one: Edit, other: Edit) -> bool:
    """Whether two edits touch the same characters, or both write at the same place."""
    start, end = one.start.offset, one.end.offset
    return start == other.start.offset or (start < other.end.offset and other.start.offset < end)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits that do not meet."""
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda edit: edit.start.offset):
        pieces += [text[at : edit.start.offset], edit.text]
        at = edit.end.offset
    return "".join([*pieces, text[at:]])
