"""Plays a scenario: every step drives one Session, through the same calls as any other host."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...compiler.problem import KeyPath, Problem
from ...compiler.program import Program
from ...grammar.errors import DccError
from ..answer.reading import parser_of, read_reply
from ..errors import with_help
from ..kernel.clock import ManualClock
from ..kernel.content import text_of
from ..session import Reply, Resumed, Session, SessionError, ToolCall
from ..store.memory import MemoryStore
from ..values import Format, GovernanceFlags
from .act import act
from .compressor import ScriptedCompressor
from .model import Scenario, ScenarioError, Step, WrittenCallItem
from .played import Played, PlayedCall, PlayedResult, PlayedStep


def play(
    scenario: Scenario, program: Program, *, format: Format = "openai", whole: int | None = None
) -> Played:
    """Play ``scenario`` under ``program``; requests are rendered in ``format``.

    ``whole``: how many of the last steps keep what their requests held, and their stage, whole, beside those that
    expect something (None: all; each costs what is on stage). Answered errors are part of a step. Raises
    ScenarioError when a step cannot be played as written.
    """
    player = _Player.start(scenario, program, format)
    first = 0 if whole is None else len(scenario.steps) - whole
    steps = tuple(player.play(step, whole=number >= first) for number, step in enumerate(scenario.steps))
    return Played(program.name, format, steps, player.session)


@dataclass(slots=True)
class _Outcome:
    """What a step has come to so far."""

    turn: int | None = None
    committed: bool = False
    text: str | None = None
    calls: list[PlayedCall] = field(default_factory=list)
    error: str | None = None
    output: str | None = None
    notices: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Player:
    program: Program
    format: Format
    store: MemoryStore
    clock: ManualClock
    compressor: ScriptedCompressor
    flags: GovernanceFlags
    session: Session

    @classmethod
    def start(cls, scenario: Scenario, program: Program, format: Format) -> _Player:
        store, clock, compressor = MemoryStore(), ManualClock(), ScriptedCompressor()
        session = Session.create(
            program, store=store, system=scenario.system, folder=scenario.folder, clock=clock, compressor=compressor,
            flags=scenario.flags,
        )  # fmt: skip
        return cls(program, format, store, clock, compressor, scenario.flags, session)

    def play(self, step: Step, *, whole: bool) -> PlayedStep:
        whole = whole or step.expect is not None
        outcome, last = _Outcome(), self.session.governance.last_event
        self.compressor.begin(step.summary)
        try:
            self._carry_out(step, outcome)
        except SessionError as error:
            outcome.error, outcome.output = error.code, with_help(error.message, error.help)
        happenings, governance = self.session.take_happenings(), self.session.governance
        governs = whole and (governance.has_operations or governance.has_limits)
        return PlayedStep(
            title=title_of(step),
            turn=outcome.turn,
            committed=outcome.committed,
            text=outcome.text,
            calls=tuple(outcome.calls) if whole else _summed_up(step, outcome.calls),
            happenings=happenings,
            stage=self.session.stage() if whole else (),
            queue=self.session.queue(),
            ranges=self.session.ranges() if step.expect is not None and "ranges" in step.expect.fields else {},
            state_hash=self.session.state_hash(),
            error=outcome.error,
            output=outcome.output,
            prompt=self.compressor.prompt,
            notices=(*happenings.notices, *outcome.notices),
            transactions=governance.entries(last) if whole else (),
            band=governance.band if governs else None,
            archived=governance.archived() if governs else (),
            hidden=governance.hidden() if governs else (),
        )

    def _carry_out(self, step: Step, outcome: _Outcome) -> None:
        self._let_time_pass(step)
        if step.user is not None:
            self._say(step, outcome)
        elif step.resume:
            self._resume(step, outcome)
        elif step.abort:
            outcome.turn = self.session.turn if self.session.is_open else None
            self.session.abort()
        for action in step.actions or ():
            said = act(self.session, action)
            outcome.output = said if said is not None else outcome.output

    def _let_time_pass(self, step: Step) -> None:
        if step.wait is None:
            return
        try:
            self.clock.advance(step.wait.seconds)
            if step.wait.instant is not None:
                self.clock.set(step.wait.instant)
        except DccError as error:
            raise _problem(error.code.replace("_", "-"), error.message, (*step.path, "at"), error.help) from None

    def _say(self, step: Step, outcome: _Outcome) -> None:
        begun = self.session.begin(step.user or "", labels=step.labels, typed=step.typed)
        outcome.text, outcome.output, outcome.error = begun.text, begun.output, begun.error
        if begun.kind == "turn":
            outcome.turn = begun.turn
            # A message without a written reply is answered by an empty one, so that it is a turn at all.
            self._converse(step.calls or (WrittenCallItem(path=step.path),), outcome)
        elif step.calls:
            outcome.notices.append(("reply_unused", "this message reaches no model, so its written reply was not used"))

    def _resume(self, step: Step, outcome: _Outcome) -> None:
        self.session = Session.open(
            self.store, self.program, clock=self.clock, compressor=self.compressor, flags=self.flags
        )
        outcome.turn = self.session.turn if self.session.is_open else None
        if not step.calls:
            return
        if not self.session.is_open:
            raise _problem("nothing-open", "no turn is open here", (*step.path, "calls"), "leave `calls` out")
        items = step.calls
        resumed = self.session.resume()
        if resumed.pending or not items[0].answers:
            first, items = (items[0], items[1:]) if not items[0].answers else (None, items)
            answered = self._answer_pending(resumed, first, step, bool(items))
            if answered < len(resumed.pending):
                return
        self._converse(items, outcome)

    def _answer_pending(self, resumed: Resumed, item: WrittenCallItem | None, step: Step, more_follow: bool) -> int:
        """Give the results that a resumed turn waits for; returns how many there were."""
        waiting = [call.id for call in resumed.pending]
        for result in item.results if item else ():
            if result.id not in waiting:
                known = ", ".join(waiting) or "none"
                raise _problem(
                    "unknown-call",
                    f"tool call {result.id!r} is not waiting",
                    result.path,
                    f"waiting: {known}",
                )
        if item is not None:
            return len(self._take_results(item, more_follow, waiting))
        missing = [call_id for call_id in waiting if self.session.serve(call_id) is None]
        if missing:
            raise _unanswered(missing, (*step.path, "calls"))
        return len(waiting)

    def _converse(self, items: tuple[WrittenCallItem, ...], outcome: _Outcome) -> None:
        for index, item in enumerate(items):
            request = self.session.request(self.format)
            if item.fail is not None:
                self.session.fail(item.fail)
                outcome.calls.append(PlayedCall(request, failed=item.fail))
                outcome.error = item.fail
                outcome.turn = outcome.turn if self.session.is_open else None
                return
            self.session.add_reply(read_reply(_reply(item), parser_of(self.program)))
            waiting = [call.id for call in item.tool_calls]
            results = self._take_results(item, index + 1 < len(items), waiting)
            outcome.calls.append(PlayedCall(request, results))
            if len(results) < len(waiting):
                return
        self.session.commit()
        outcome.committed = True

    def _take_results(self, item: WrittenCallItem, more_follow: bool, waiting: list[str]) -> tuple[PlayedResult, ...]:
        born = []
        for result in item.results:
            self.session.start_tool(result.id)
            if result.content is not None:
                slot = self.session.add_result(result.id, result.content, result.is_error)
                born.append(PlayedResult(result.id, slot, result.is_error))
        for call_id in waiting:
            if all(result.id != call_id for result in item.results):
                served = self.session.serve(call_id)
                if served is not None:
                    born.append(PlayedResult(call_id, served.slot, served.is_error, text_of(served.content)))
        answered = {result.id for result in born}
        missing = [call_id for call_id in waiting if call_id not in answered]
        if missing and more_follow:
            raise _unanswered(missing, item.path)
        return tuple(born)


def _summed_up(step: Step, calls: list[PlayedCall]) -> tuple[PlayedCall, ...]:
    """The calls of a step; only those that expect something keep what their request held."""
    written = [item for item in step.calls if item.answers]
    expecting = {number for number, item in enumerate(written) if item.expect is not None}
    return tuple(call if number in expecting else call.summed_up() for number, call in enumerate(calls))


def _problem(name: str, message: str, path: KeyPath, help: str | None) -> ScenarioError:
    return ScenarioError((Problem(name, message, path, help),))


def _unanswered(call_ids: list[str], path: KeyPath) -> ScenarioError:
    return _problem(
        "missing-result",
        f"no result for tool call {', '.join(map(repr, call_ids))}, yet another call follows",
        path,
        "add it under `results`, or end the step here: the turn then stays open",
    )


def _reply(item: WrittenCallItem) -> Reply:
    calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in item.tool_calls)
    return Reply(
        text=item.text,
        thinking=item.thinking,
        calls=calls,
        usage=item.usage,
    )


def title_of(step: Step) -> str:
    """What a step does, in a line."""
    if step.user is not None:
        return "> " + text_of(step.user)
    if step.actions is not None:
        return "do " + ", ".join(action.name for action in step.actions)
    return "resume" if step.resume else "abort"
