"""The one planner before every call (kernel.md section 4).

In this order, each only if the one before left the request over its limit: settle and retire, pruning, the critical
pass, compaction. All of it comes before the request goes out, so the prompt cache breaks once, and people get one
notice. Without limits only the first step is left, and costs what it did.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ...compiler.program import Program
from ..compaction.compactor import Came, Compactor
from ..kernel.changes import representing
from ..kernel.content import Content
from ..kernel.tokens import count_tokens
from ..recorder import Emit, Recorder
from ..requests import Requests
from ..settling import Settling
from ..values import HostCompaction, Usage
from .budget.cache_gate import is_worth_a_break
from .budget.calibration import Calibration
from .budget.limits import Band, Limits
from .candidates import Candidates, Finding
from .critical import Held, Plan, plan
from .passes import Passes

#: Where the time at which the cache was last used stands among what is noted (kernel.md section 3: wall time).
TOUCHED: Final = "cache_touched"

#: How a context that cannot be brought below its limit is told.
INFEASIBLE: Final = "budget_infeasible"


class Proposal(Protocol):
    """What a pruning step would do: tokens that it frees, tokens behind its first change; and the doing of it."""

    @property
    def freed(self) -> int: ...
    @property
    def tail(self) -> int: ...
    @property
    def is_cold(self) -> bool:
        """Whether the provider's cache has gone cold, so that a break costs nothing."""
    def carry_out(self) -> str:
        """Do it, as one transaction of cause ``pruning``; returns what it was, for people."""


class Pruning(Protocol):
    """A pruning step: None when it has nothing to do."""

    def propose(self) -> Proposal | None: ...
    def now(self) -> float:
        """The time at which a reply came and the cache was used, in seconds since 1970; it is noted."""


@dataclass(slots=True)
class _Known:
    """The calibration and the passes that a ledger's event tells, read once."""

    state: dict[str, Any] | None
    calibration: Calibration
    passes: Passes


class Planner:
    """Plans what happens before a call, and learns from the usage after it."""

    def __init__(
        self,
        recorder: Recorder,
        program: Program,
        requests: Requests,
        settling: Settling,
        compactor: Compactor,
        limits: Limits | None,
        pruning: Pruning | None = None,
    ) -> None:
        self.limits = limits
        self.pruning = pruning
        #: What the host says of its model and tools: another text, and what was learned of the overhead is void.
        self.host = ""
        #: Tokens of what goes out beside the stage (tool schemas), by the one counter.
        self.beside = 0
        #: Tokens that the request in progress carries beside its stage (the volatile tail).
        self.tail = 0
        self._recorder = recorder
        self._ledger = recorder.ledger
        self._requests = requests
        self._settling = settling
        self._compactor = compactor
        self._finding = Finding(recorder, program)
        self._known = _Known(None, Calibration(), Passes())
        self._sent = Held(0, 0)
        self._hit = 0.0
        if limits is not None:
            settling.must_act = self._must_act

    # What is known

    @property
    def calibration(self) -> Calibration:
        """What usage has taught so far."""
        return self._read().calibration

    def used(self) -> int:
        """The prompt tokens that the next request is thought to have, as things stand."""
        held = self._held()
        return self.calibration.estimate(held.raw, held.chains)

    def band(self) -> Band | None:
        """The band of the next request; None without limits."""
        return self.limits.band(self.used()) if self.limits is not None else None

    # What is done

    def before_call(self) -> None:
        """Before a request goes out: all steps, as far as they are needed."""
        self._settling.settle()
        limits = self._active()
        if self.pruning is not None and self._ledger.governed:
            self._prune(self.pruning, limits)
        if limits is None:
            return
        if self.used() >= limits.critical:
            self._relieve(limits, may_compact=not self._recorder.is_staged)
            if self.used() >= limits.critical:
                self._tell_infeasible(limits)
        self._sent = self._held()

    def before_turn(self, content: Content) -> None:
        """Before a turn with this message begins: what bears a slot must not be part of a turn that may fail."""
        limits = self._active()
        if limits is None:
            return
        joining = round(self.calibration.slope * count_tokens(content))
        if self.used() + joining >= limits.critical:
            joining -= self._requests.tokens_freed(set(self._recorder.stage.leaving(self._ledger.turn + 1)))
            if self.used() + joining >= limits.critical:
                self._relieve(limits, may_compact=True, joining=joining)
                self._recorder.write()

    def after_reply(self, emit: Emit, usage: Usage | None) -> None:
        """Learn from the usage that came with a reply, inside its transaction."""
        limits, pruning = self._active(), self.pruning
        known = self._read()
        calibration, passes = known.calibration, known.passes
        touched = None if pruning is None else pruning.now()
        if limits is None:
            if touched is not None:
                self._keep(emit, calibration, passes, touched)
            return
        if usage is not None and usage.exact and usage.prompt:
            calibration = calibration.observed(
                self._sent.raw + self.tail, usage.prompt, chains=self._sent.chains,
                fingerprint=self._fingerprint(), window=limits.window or limits.max_context,
            )  # fmt: skip
            self._hit = usage.cache_read / usage.prompt
        if passes.after is not None and calibration.estimate(self._sent.raw, self._sent.chains) < limits.soft:
            passes = Passes()
        self._keep(emit, calibration, passes, touched)

    def host_compaction(self, reason: str) -> HostCompaction:
        """The answer to a host that is about to compact by itself: what can be freed here is freed first.

        ``reason``: manual, threshold or overflow. When the request fits then, the host need not (``cancel``); when it
        cannot, the host's own compaction goes on, so that no session is stuck.
        """
        limits = self._active()
        if limits is not None:
            done = self._pass(limits, pressing=reason == "overflow", forced=True)
            fits = self.used() < limits.critical
            # An overflow is the provider's word against the estimate: without anything freed it is believed.
            if fits and (done is not None or reason != "overflow"):
                return HostCompaction(cancel=True)
        return HostCompaction(cancel=False, summary=self._compactor.host_summary(reason))

    def recover(self, limits: Limits) -> bool:
        """A provider has refused a request for its length: one forced pass below ``limits``; whether it freed any."""
        return self._pass(limits, pressing=True, forced=True) is not None

    # Steps

    def _prune(self, pruning: Pruning, limits: Limits | None) -> None:
        """The pruning step: while the cache is warm, below the critical limit, only where its break pays."""
        proposal = pruning.propose()
        if proposal is None:
            return
        if proposal.is_cold:
            proposal.carry_out()
            return
        if limits is None or self.used() < limits.must_act:
            return
        # As many calls are expected to come as this turn has had: nothing else is known of its length.
        remaining = max(1, self._ledger.call)
        if self.used() >= limits.critical or is_worth_a_break(proposal.freed, proposal.tail, remaining, self._hit):
            proposal.carry_out()

    def _relieve(self, limits: Limits, *, may_compact: bool, joining: int = 0) -> None:
        """The critical pass, and compaction if it left the request over; told in one notice.

        ``joining``: tokens that will join before the request, less those that will leave.
        """
        done = self._pass(limits, told=not may_compact)
        came = Came()
        if may_compact and self.used() + joining >= limits.critical:
            came = self._compactor.relieve()
        message = "; ".join(part for part in (done, came.message) if part)
        if may_compact and message:
            with self._recorder.transaction("notice") as emit:
                emit("notice", code="critical_pass" if done else came.code, message=message)

    def _pass(
        self, limits: Limits, *, pressing: bool = False, forced: bool = False, told: bool = True
    ) -> str | None:
        """One critical pass as one transaction; says what it did, None when it did nothing.

        ``forced``: not held back by what the last passes came to; ``told``: in a notice of its own.
        """
        known, used = self._read(), self.used()
        if not forced and not known.passes.may_run(used, limits):
            return None
        found = self._finding.candidates(self._requests.on_stage())
        made = plan(
            found.results, found.chains, self._held(), limits, known.calibration.estimate,
            self._finding.shortened, pressing=pressing,
        )  # fmt: skip
        if made.freed <= 0 or not (forced or known.passes.is_worth(used, made.freed, limits)):
            return None
        number = self._ledger.transaction + 1
        message = (
            f"{made.slots} {'slot is' if made.slots == 1 else 'slots are'} reduced: about {made.freed:,} tokens "
            f"fewer, {made.left:,} of {limits.max_context:,} are left; /cpat undo takes it back"
        )
        passes = known.passes.ran(used, made.left, limits)
        if passes.is_stuck:
            message += "; two passes have freed little, so none follows until there is more to free"
        with self._recorder.transaction("critical_pass") as emit:
            self._carry_out(emit, made, number)
            self._keep(emit, known.calibration, passes)
            if told:
                emit("notice", code="critical_pass", message=message)
        return message

    def _carry_out(self, emit: Emit, made: Plan, number: int) -> None:
        since = -(self._recorder.last_request + 1)
        slots = self._ledger.slots
        for slot, short in made.offloads:
            emit(
                "represented",
                **representing(slots[slot], "ref", since, preview=short.preview, images=short.images),
            )  # fmt: skip
        for chain in made.archived:
            for slot in (chain.call, chain.result):
                emit("hold_begun", slot=slot, name=f"op:{number}", since=since)

    def _tell_infeasible(self, limits: Limits) -> None:
        """Say once that the limit cannot be kept, and where the tokens are."""
        known, used = self._read(), self.used()
        if known.passes.told:
            return
        found = self._finding.candidates(self._requests.on_stage())
        where = self._where(found, used)
        message = f"{used:,} tokens, and nothing more can be freed below {limits.critical:,}: {where}"
        with self._recorder.transaction("notice") as emit:
            self._keep(emit, known.calibration, known.passes.infeasible(used))
            emit("notice", code=INFEASIBLE, message=message)

    def _where(self, found: Candidates, used: int) -> str:
        """Where the tokens of a request are; tool schemas and framing are what the counter does not see."""
        held = self._held()
        fixed = used - held.raw + self.beside + found.system
        other = held.raw - self.beside - found.system - found.protected - found.unread
        return (
            f"system and tools {fixed:,}, protected {found.protected:,}, unread {found.unread:,}, other {other:,}"
        )

    # State

    def _active(self) -> Limits | None:
        return self.limits if self._ledger.governed else None

    def _must_act(self) -> bool:
        limits = self._active()
        return limits is not None and self.used() >= limits.must_act

    def _held(self) -> Held:
        return Held(self._requests.tokens_now() + self.beside, self._recorder.stage.counts.get("toolCall", 0))

    def _fingerprint(self) -> str:
        """What the overhead depends on: system slots on stage, and what the host says of model and tools."""
        ledger, shown = self._ledger, self._recorder.stage.shown
        system = [ledger.slots[i].digest.hex() for i in ledger.by_element.get("system", []) if i in shown]
        return hashlib.sha256("\n".join([self.host, *system]).encode()).hexdigest()[:16]

    def _read(self) -> _Known:
        state = self._ledger.calibration
        if self._known.state is not state:
            self._known = _Known(state, Calibration.from_json(state), Passes.from_json(state))
        return self._known

    def _keep(self, emit: Emit, calibration: Calibration, passes: Passes, touched: float | None = None) -> None:
        """Note what is known, where it differs from what the ledger has. ``touched``: when the cache was used."""
        state = calibration.to_json() | passes.to_json()
        if touched is None:
            touched = (self._ledger.calibration or {}).get(TOUCHED)
        if touched is not None:
            state[TOUCHED] = touched
        if state != (self._ledger.calibration or (Calibration().to_json() | Passes().to_json())):
            emit("calibrated", state=state)
