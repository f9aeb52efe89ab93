"""Takes a session and the naive model through one history, and holds them to the invariants of the kernel."""

from __future__ import annotations

from typing import Any

from checks import (
    FailingStore,
    check_distinct,
    check_format,
    check_message,
    check_prefix,
    check_refold,
    check_sum,
    seen,
)
from driver_controls import Controls
from history import Act, History
from naive_controls import Model

from dcc.runtime.calls import INTERRUPTED
from dcc.runtime.errors import StoreError
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.kernel.events import Event
from dcc.runtime.session import Reply, Request, Session, ToolCall, Visible
from dcc.runtime.view.transcript import Format

SYSTEM = "You are brief."
#: What moves a turn on, or ends the process: between two of them come controls.
TURN_ACTS = frozenset({"begin", "reply", "fail", "abort", "commit", "restart"})
FORMATS: tuple[Format, ...] = ("openai", "anthropic", "pi")


class Driver(Controls):
    """One history, carried out act by act. Raises AssertionError where the kernel breaks an invariant."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.program = history.program
        self.store = FailingStore()
        self.clock = ManualClock()
        self.session = Session.create(self.program, store=self.store, system=SYSTEM, clock=self.clock)
        self.model = Model(self.program)
        self.model.bear("system", SYSTEM, 0)
        self.text = ""
        self.request: Request
        self.asked: dict[int, tuple[Visible, ...]] = {}
        #: The host's ids of the calls that wait for a result, and the slots of those that were started.
        self.waiting: list[str] = []
        self.started: set[str] = set()
        self.before: Request | None = None
        self.breaks_from = 0
        self.refolded_at = 0

    def run(self) -> Driver:
        """Carry out the whole history."""
        for at, act in enumerate(self.history.acts):
            if not self._is_too_late(at):
                self.step(act)
        if self.model.is_open:
            self.step(Act("abort"))
        self.step(Act("restart"))
        self.check_past(all_calls=True)
        return self

    def _is_too_late(self, at: int) -> bool:
        """Whether the act comes between a request and its being given up.

        It would act from the call after that request, which then is one call late; the model, for which all is
        true at once, does not know that. In a turn without a reply all of it is taken back anyway.
        """
        acts = self.history.acts
        if not self.model.in_flight or self.model.unsaid or acts[at].name in TURN_ACTS:
            return False
        following = next((a.name for a in acts[at + 1 :] if a.name in TURN_ACTS), "abort")
        return following != "reply" or acts[at].name == "break_store"

    def step(self, act: Act) -> None:
        """One act, and then the checks. An act whose write fails has not been done (P8)."""
        before = self.model.copy() if self.store.fails else None
        waiting, started = list(self.waiting), set(self.started)
        try:
            getattr(self, act.name)(*act.args)
        except StoreError:
            assert before is not None, "only a store that fails may fail"
            self.model, self.waiting, self.started = before, waiting, started
            self._open_again()
        self.check()

    def kinds(self) -> set[str]:
        """The kinds of events that the history has led to."""
        return {Event.from_row(row).kind for row in self.store.rows()}

    def check(self) -> None:
        """What must hold at any time between two acts."""
        model, session = self.model, self.session
        assert (session.turn, session.ordinal, session.is_open) == (model.turn, model.ordinal, model.is_open)
        if not model.is_sent:
            assert list(session.stage()) == model.staying()
        queue = [(q.element, q.content, q.mode, q.turns, q.at) for q in session.queue()]
        assert queue == [tuple(q)[1:] for q in model.queue]
        check_sum(session)
        check_distinct(session, model)
        if self.store.last != self.refolded_at and not model.unsaid:
            check_refold(session, self.store, self.program, self.clock)
            self.refolded_at = self.store.last
        self.check_past(all_calls=False)

    def check_past(self, *, all_calls: bool) -> None:
        """P11: for every past call, the projection is what its request held."""
        newest = self.session.ordinal
        chosen = range(1, newest + 1) if all_calls else {1, newest // 2, newest - 1, newest} & set(self.asked)
        for ordinal in chosen:
            if 0 < ordinal <= newest:
                past = self.session.projection(ordinal)
                assert past == self.asked[ordinal], f"call #{ordinal} is told otherwise than it was"

    # Turns

    def begin(self, text: str, patches: tuple[tuple[Any, ...], ...]) -> None:
        """A message, with its patches as lines before it."""
        lines = [f"/{e} {c} {m} {'none' if n is None else n}" for e, c, m, n in patches]
        begun = self.session.begin("\n".join([*lines, text]))
        assert (begun.kind, begun.error) == ("turn", None), begun
        if self.model.is_open:
            self._model_abort()
        for element, content, mode, turns in {p[0]: p for p in patches}.values():
            self.model.queue_patch(element, content, mode, turns, self.model.turn + 1)
        self.model.begin(text)
        self.text = text

    def ask(self) -> None:
        """The request of the call at hand, in all formats; the history's own comes first, for it is what due slots are
        settled by, and last, for it is what goes out.

        Once it has gone out it is the same however often it is asked for, and whatever is done meanwhile.
        """
        if not self.model.is_open or self.model.waits:
            return
        self.model.settle()
        own = self.history.format
        self.session.request(own)
        requests = {f: self.session.request(f) for f in (*(g for g in FORMATS if g != own), own)}
        expected = self.model.visible(self.model.ordinal + 1)
        for format, request in requests.items():
            assert seen(request) == expected, format
            check_format(request)
            again = self.session.request(format)
            assert (again.messages, again.system) == (request.messages, request.system), "P3"
            check_message(request, self.model, SYSTEM, self.text)
        if self.model.in_flight:
            assert requests[own].messages == self.request.messages
        self.model.ask()
        self.request = requests[own]
        self.asked[self.request.ordinal] = self.request.visible

    def reply(self, thinking: bool, text: str, tools: tuple[tuple[Any, ...], ...]) -> None:
        """The request goes out and is answered."""
        if not self.model.is_open or self.model.waits:
            return
        if not self.model.in_flight:
            self.ask()
        request = self.request
        self._answer(thinking, text, tools)
        self.waiting, self.started = [id for id, *_ in tools], set()
        rows = self.store.rows(self.breaks_from)
        breaks = [event for event in map(Event.from_row, rows) if event.kind == "break"]
        self.breaks_from = self.store.last
        check_prefix(self.before, request, breaks)
        self.before = request

    def _answer(self, thinking: bool, text: str, tools: tuple[tuple[Any, ...], ...]) -> None:
        calls = tuple(ToolCall(id, "read", {"path": body}) for id, body in tools)
        self.session.add_reply(Reply(text, "hm" if thinking else "", calls))
        self.model.reply(thinking, text, [body for _, body in tools])

    def _pick(self, number: int) -> int | None:
        """A waiting call: the first of several with one id, as the session takes them."""
        if not self.waiting:
            return None
        return self.waiting.index(self.waiting[number % len(self.waiting)])

    def start(self, number: int) -> None:
        """A tool starts."""
        at = self._pick(number)
        if at is not None and self.model.calls[at] not in self.started:
            self.session.start_tool(self.waiting[at])
            self.started.add(self.model.calls[at])

    def result(self, number: int, text: str, is_error: bool) -> None:
        """A tool has its result."""
        at = self._pick(number)
        if at is not None:
            self.session.add_result(self.waiting[at], text, is_error)
            self.model.result(at, text)
            del self.waiting[at]

    def commit(self) -> None:
        """The turn is done."""
        if self.model.is_open and not self.model.waits and self.model.call:
            self.session.commit()
            self.model.close_turn()

    def abort(self) -> None:
        """The turn is given up."""
        if self.model.is_open:
            self.session.abort()
            self._model_abort()

    def _model_abort(self) -> None:
        self.waiting = []
        if self.model.unsaid:
            self.model.fail(died=False)
        else:
            self.model.close_turn(INTERRUPTED)

    def fail(self) -> None:
        """The request at hand got no reply."""
        if self.model.is_open and not self.model.waits:
            self.session.fail("provider")
            self.model.fail(died=False)

    def restart(self) -> None:
        """The process ends, and another one takes the session up."""
        self._open_again()

    def break_store(self) -> None:
        """The next write will fail."""
        self.store.fails = True

    def _open_again(self) -> None:
        self.store.fails = False
        self.model.fail(died=True)
        self.session = Session.open(self.store, self.program, clock=self.clock)
        resumed = self.session.resume()
        lost = [at for at, call in enumerate(self.model.calls) if call in self.started]
        assert len(resumed.interrupted) == len(lost)
        for at in reversed(lost):
            del self.waiting[at]
        for call in [self.model.calls[at] for at in lost]:
            self.model.result(self.model.calls.index(call), INTERRUPTED)
        assert [call.id for call in resumed.pending] == self.waiting
