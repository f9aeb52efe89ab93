"""Chat: one message at a time through a session and a provider.

    chat = Chat(session, choose(None, environ={}))
    outcome = chat.say("hello /goal 翻译 remain 3", on_text=print)

A turn whose first call fails is as if it had not been typed. One that fails later stays open, as after a crash: the
host asks the person whether to ``resume``, ``keep`` or ``drop`` it. A request that is too long climbs the overflow
ladder first, as one of a run does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...grammar.errors import DccError
from ...grammar.message import parse_message
from ..agent.failures import OVERFLOW, failure_of
from ..agent.ladder import Ladder
from ..agent.prompt.report import schema_text
from ..agent.recovering import Notice, climb, ladder_of
from ..answer.reading import parser_of, read_reply
from ..answer.streaming import StreamedAnswer
from ..compaction.compressors import Stoppable
from ..kernel.content import Content
from ..providers.abort import Abort
from ..providers.choose import Choice
from ..providers.errors import ProviderError
from ..providers.protocol import ModelReply, OnText, ignore
from ..session import Reply, Request, Resumed, Session, SessionError, ToolCall
from . import open_turn
from .last_reply import says_something, told_of
from .outcome import Outcome
from .required import check_request, check_turn
from .tools import offered, run_tool

#: Requests of one turn: a model that asks for tools again and again is stopped after so many.
MAX_CALLS = 25

#: What a person may do when a request is too long, and stays so.
WAYS_ON = (
    "say it in fewer words, sum old turns up with /dc-compact, end what takes much room with /dc-end user@1, or go on "
    "with --model and one that has a larger window"
)


class Chat:
    """A session that talks to a provider. Raises DccError (``unknown_parser``) for a wrong ``answer.parser``.

    ``compressor``: what makes the session's summaries, if a model does: an abort stops those too.
    """

    def __init__(self, session: Session, choice: Choice, compressor: Stoppable | None = None) -> None:
        self.session = session
        self.choice = choice
        self._compressor = compressor
        self._parser = parser_of(session.program)
        self._tools = offered(session)
        session.use_host(choice.model, "\n".join(map(schema_text, self._tools)))
        self._on_text: OnText = ignore
        self._on_thinking: OnText = ignore
        self._abort = Abort()
        self._content: Content = ""
        self._recovered: list[Notice] = []

    def say(
        self, text: str, *, on_text: OnText = ignore, on_thinking: OnText = ignore, abort: Abort | None = None
    ) -> Outcome:
        """Take a message: carry a command out, queue a bare patch, or hold a whole turn.

        ``on_text`` and ``on_thinking`` get the pieces of each reply as they come, without tags and what is no part
        of the text. An ``abort`` keeps what has come of
        the answer as a complete turn; when nothing has, the turn is taken back. A message that begins a turn closes
        an open one as interrupted first; a command and a bare patch do not. Raises StoreError: the session must be
        opened again.
        """
        self._follow(on_text, on_thinking, abort)
        try:
            begun = self.session.begin(text)
        except SessionError as error:
            return self._told(Outcome("nothing", error=error))
        if begun.kind != "turn":
            if begun.error is not None:
                return self._told(Outcome(begun.kind, error=SessionError(begun.error, begun.output or "")))
            return self._told(Outcome(begun.kind, output=begun.output))
        self._content = begun.content or ""
        return self._converse()

    def begins_turn(self, text: str) -> bool:
        """Whether a message would begin a turn: it is no command, and more than patches."""
        message = parse_message(text, self.session.program.vocabulary)
        is_refused = any(finding.severity == "error" for finding in message.findings)
        return message.command is None and message.text is not None and not is_refused

    def outlook(self) -> Resumed:
        """The open turn and what it waits for; its ``turn`` is None when no turn is open."""
        return self.session.outlook()

    def resume(
        self, *, on_text: OnText = ignore, on_thinking: OnText = ignore, abort: Abort | None = None
    ) -> Outcome:
        """Go on with the open turn: run the tools that have not started, ask the model again, commit."""
        self._follow(on_text, on_thinking, abort)
        ahead = self.session.resume()
        if ahead.turn is None:
            return self._told(Outcome("nothing"))
        self._run(ahead.pending)
        return self._committed(None) if ahead.answered else self._converse()

    def keep(self, *, abort: Abort | None = None) -> Outcome:
        """Commit the open turn as it is; tools without a result get one that says so. ``abort`` stops a summary."""
        self._follow(ignore, ignore, abort)
        turn = open_turn.keep(self.session)
        return self._told(Outcome("nothing") if turn is None else Outcome("turn", turn=turn))

    def drop(self) -> Outcome:
        """Close the open turn as interrupted, and take what was said in it off stage (see ``open_turn.drop``)."""
        turn = open_turn.drop(self.session)
        return self._told(Outcome("nothing") if turn is None else Outcome("turn", turn=turn))

    # A turn

    def _converse(self) -> Outcome:
        """Ask until a reply asks for no tool, then commit."""
        ladder = ladder_of(self.session)
        for _ in range(MAX_CALLS):
            try:
                request, got = self._ask(ladder)
            except DccError as error:
                if isinstance(error, ProviderError) and self._abort.is_set:
                    return self._stopped_early()
                if isinstance(error, ProviderError) or error.code == "missing_required_element":
                    return self._failed(error)
                raise
            stopped = got.stop_reason == "aborted"
            reply = read_reply(got.reply, self._parser)
            if stopped and not says_something(reply):
                return self._stopped_early()
            if not reply.calls:
                try:
                    check_turn(self.session.program, (*_elements(request), *_elements_of(reply)))
                except DccError as error:
                    return self._failed(error)
            self.session.add_reply(reply)
            if not reply.calls:
                return self._committed(reply.text, stopped=stopped, notices=told_of(reply, got.stop_reason))
            self._run(reply.calls)
        message = f"the model asked for tools {MAX_CALLS} times without an answer"
        return self._failed(DccError("too_many_calls", message, help="keep or drop the turn, or let it go on"))

    def _ask(self, ladder: Ladder) -> tuple[Request, ModelReply]:
        """One call, made shorter where it is too long. Raises ProviderError, and DccError for a missing element."""
        while True:
            if not self.session.is_open:
                self.session.begin(self._content, verbatim=True)
            request = self.session.request(self.choice.provider.format)
            if request.call == 1:
                check_request(self.session.program, _elements(request))
            try:
                return request, self._complete(request)
            except ProviderError as error:
                self._recover(error, ladder)

    def _recover(self, error: ProviderError, ladder: Ladder) -> None:
        """Make a request shorter that was refused for its length. Raises ProviderError: there is no way on."""
        failure = failure_of(error)
        if not failure.is_overflow:
            raise error
        self.session.fail(error.code)
        self._recovered += self.session.take_happenings().notices
        recovered = climb(ladder, failure)
        self._recovered += self.session.take_happenings().notices
        if recovered is None or self._abort.is_set:
            raise ProviderError(error.kind, f"{OVERFLOW}: {error.message}", help=WAYS_ON) from None
        self._recovered.append(recovered)

    def _complete(self, request: Request) -> ModelReply:
        shown = StreamedAnswer(self._parser, self._on_text, self._on_thinking)
        try:
            return self.choice.provider.complete(
                self.choice.request(request, tools=self._tools),
                on_text=shown.take, on_thinking=self._on_thinking, abort=self._abort, timeout_s=self.choice.timeout_s,
            )  # fmt: skip
        finally:
            shown.end()

    def _run(self, calls: Iterable[ToolCall]) -> None:
        for call in calls:
            run_tool(self.session, call.id, call.name)

    # How a turn ends

    def _committed(
        self, answer: str | None, *, stopped: bool = False, notices: Iterable[tuple[str, str]] = ()
    ) -> Outcome:
        self.session.commit()
        return self._told(
            Outcome("turn", turn=self.session.turn, answer=answer, stopped=stopped, notices=tuple(notices))
        )

    def _failed(self, error: DccError) -> Outcome:
        """No usable reply: on call 1 the turn is taken back, later it stays open."""
        self.session.fail(error.code)
        is_open = self.session.is_open
        return self._told(
            Outcome("turn", turn=self.session.turn if is_open else None, error=error, is_open=is_open)
        )

    def _stopped_early(self) -> Outcome:
        """Stopped before anything came: nothing was said on call 1; later the turn ends with what its tools said."""
        self.session.fail("aborted")
        if self.session.is_open:
            return self._committed(None, stopped=True)
        return self._told(Outcome("turn", stopped=True))

    def _follow(self, on_text: OnText, on_thinking: OnText, abort: Abort | None) -> None:
        self._on_text, self._on_thinking, self._abort = on_text, on_thinking, abort or Abort()
        self._recovered = []
        if self._compressor is not None:
            self._compressor.abort = self._abort

    def _told(self, outcome: Outcome) -> Outcome:
        """The outcome with the notices of what has happened."""
        happened = self.session.take_happenings().notices
        return replace(outcome, notices=(*self._recovered, *happened, *outcome.notices))


def _elements(request: Request) -> Iterable[str]:
    return (visible.element for visible in request.visible)


def _elements_of(reply: Reply) -> Iterable[str]:
    """The elements that a reply bears: always assistant, maybe empty."""
    yield "assistant"
    if reply.thinking:
        yield "think"
    yield from (name for name, _ in reply.elements)
