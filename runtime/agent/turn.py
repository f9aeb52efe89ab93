"""One turn of an agent: ask, carry tools out, ask again, until the model has answered (seed 004, steps 7 to 10).

Each call is on disk before the next thing happens: the reply before its first tool, the start of a tool before it
runs, its result when it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic

from ...compiler.program import Program
from ...grammar.errors import DccError
from ..answer.reading import parser_of, read_reply
from ..answer.streaming import StreamedAnswer
from ..chat.last_reply import says_something, told_of
from ..chat.required import check_request, check_turn
from ..kernel.content import Content, text_of
from ..providers.choose import Choice
from ..providers.errors import ProviderError
from ..providers.protocol import ModelReply, ignore
from ..session import Reply, Request, Session, ToolCall
from .asking import Asker
from .failures import Failure, failure_of
from .masked import masked_content, masked_reply
from .offer import Offer, is_messaging
from .opening import Setting
from .tools.tool import ToolOutput, failed
from .usage import Reported, Spent

#: Calls of one turn; a model that asks for tools again and again is stopped after so many.
MOST_CALLS = 1_000


class RunFailed(Exception):
    """A turn has no answer: what went wrong, as a result tells it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Stopped(Exception):
    """The host has stopped the run."""


@dataclass(slots=True)
class Progress:
    """What a run has come to so far."""

    spent: Spent = field(default_factory=Spent)
    calls: int = 0
    model: str = ""
    stop_reason: str | None = None
    messaging: list[str] = field(default_factory=list)
    notices: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Turn:
    """Carries turns of a session out.

    ``recover`` is asked after a call that failed: it mends what can be mended, or raises RunFailed. ``until``: when
    the run must be over, by the monotonic clock.
    """

    session: Session
    setting: Setting
    asker: Asker
    choice: Choice
    offer: Offer
    progress: Progress
    until: float
    recover: Callable[[ProviderError], None]
    #: What the turn was begun with; it is begun with it again when a first call had to be taken back.
    content: Content = ""
    _shown: str = ""
    _is_new: bool = True

    def answer(self, content: Content) -> str:
        """Hold the turn that was begun with ``content``. Returns the answer. Raises RunFailed and Stopped."""
        self.content = content
        return self._converse()

    def go_on(self) -> str:
        """Go on with the open turn: run the tools that have not started, ask again. Returns the answer."""
        ahead = self.session.resume()
        self._run(ahead.pending)
        if ahead.answered:
            self.session.commit()
            answer = self.session.last_text("assistant")
            self.show(answer)
            return answer
        return self._converse()

    def show(self, piece: str) -> None:
        """A piece of text for whoever follows the run; what different replies say stands on lines of its own."""
        if self._is_new and self._shown and not self._shown.endswith("\n"):
            piece = f"\n{piece}"
        self._is_new, self._shown = False, piece or self._shown
        self.setting.request.callbacks.on_text(piece)

    def _converse(self) -> str:
        for _ in range(MOST_CALLS):
            self._need_time()
            request, got = self._ask()
            reply = masked_reply(read_reply(got.reply, parser_of(self.session.program)), self.setting.secrets)
            if got.stop_reason == "aborted" and not says_something(reply):
                self.session.fail("aborted")
                raise Stopped
            if not reply.calls:
                self._check(request, reply)
            self.session.add_reply(reply)
            self._count(got)
            if not reply.calls:
                self.progress.notices += told_of(reply, got.stop_reason)
                self.session.commit()
                if got.stop_reason == "aborted":
                    raise Stopped(reply.text)
                return reply.text
            self._run(reply.calls)
        message = f"the model asked for tools {MOST_CALLS} times without an answer"
        raise RunFailed(Failure("too_many_calls", message, message))

    def _ask(self) -> tuple[Request, ModelReply]:
        """One call, with all that is tried before it is given up."""
        while True:
            self._need_time()
            if not self.session.is_open:
                self.session.begin(self.content, verbatim=True)
            request = self.session.request(self.asker.format)
            if request.call == 1:
                self._refuse(check_request, [visible.element for visible in request.visible])
            try:
                return request, self._complete(request)
            except ProviderError as error:
                self.session.fail(error.code)
                if self.setting.request.abort.is_set:
                    raise Stopped from None
                if self.asker.is_late:
                    raise self._late(error.message) from None
                self.recover(error)

    def _complete(self, request: Request) -> ModelReply:
        callbacks = self.setting.request.callbacks
        shown = StreamedAnswer(parser_of(self.session.program), self.show, callbacks.on_thinking)
        self._is_new = True
        try:
            return self.asker.complete(
                self.choice.request(request, tools=self.offer.declarations),
                on_text=shown.take if callbacks.on_text is not ignore else ignore, on_thinking=callbacks.on_thinking,
                abort=self.setting.request.abort, timeout_s=self.choice.timeout_s,
            )  # fmt: skip
        finally:
            shown.end()

    def _check(self, request: Request, reply: Reply) -> None:
        """Refuse an answer without what every turn must have."""
        held = [visible.element for visible in request.visible]
        held += ["assistant", *(["think"] if reply.thinking else []), *(name for name, _ in reply.elements)]
        self._refuse(check_turn, held)

    def _refuse(self, check: Callable[[Program, list[str]], None], elements: list[str]) -> None:
        """Let a check of required elements speak. Raises RunFailed; the call in progress has failed then."""
        try:
            check(self.session.program, elements)
        except DccError as error:
            self.session.fail(error.code)
            raise RunFailed(failure_of(error)) from None

    def _count(self, got: ModelReply) -> None:
        progress = self.progress
        progress.calls += 1
        progress.spent = progress.spent.and_call(None if got.usage is None else Reported.of(got.usage))
        progress.model = self.setting.secrets.mask(got.model) or self.choice.model
        progress.stop_reason = got.stop_reason

    # Tools

    def _run(self, calls: Iterable[ToolCall]) -> None:
        for call in calls:
            self._need_time()
            self._call(call)
        if self.setting.request.abort.is_set:
            raise Stopped

    def _call(self, call: ToolCall) -> None:
        """Carry one call out, and note its result."""
        callbacks = self.setting.request.callbacks
        callbacks.on_tool(call.name, "started")
        if call.name in self.offer.served and (served := self.session.serve(call.id)) is not None:
            content: Content = served.content
        else:
            self.session.start_tool(call.id)
            output = self._carry_out(call)
            content = masked_content(output.content, self.setting.secrets)
            self.session.add_result(call.id, content, output.is_error)
            if is_messaging(call.name) and not output.is_error:
                self.progress.messaging.append(text_of(content))
        callbacks.on_tool(call.name, "done")

    def _carry_out(self, call: ToolCall) -> ToolOutput:
        context = self.setting.tool_context(max(0.001, self.until - monotonic()))
        try:
            return self.setting.toolset.run(call.name, call.arguments, context, self.offer.allowed)
        except Exception as error:  # a tool is somebody else's code: its fault is an answer, and the run goes on
            return failed(f"{call.name} failed: {type(error).__name__}: {error}")

    # Time

    def _need_time(self) -> None:
        """Go on only while nobody has stopped the run and its time is not over."""
        if self.setting.request.abort.is_set:
            self.session.fail("aborted")
            raise Stopped
        if self.asker.is_late:
            self.session.fail("timeout")
            raise self._late(f"the run was not over within {self.setting.request.timeout_s:g} s")

    def _late(self, message: str) -> RunFailed:
        failure = failure_of(ProviderError("timeout", message))
        return RunFailed(failure)
