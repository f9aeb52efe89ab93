"""The execution of one run: what was left open in the session, the prompt, what goes wrong, and the result."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from ...compiler.counted import counted
from ...grammar.message import parse_message
from ..chat import open_turn
from ..compaction.asking import ProviderCompressor
from ..errors import SessionError
from ..kernel.content import Image, Text, text_of
from ..providers.errors import ProviderError
from ..providers.protocol import Think
from ..session import Session
from .asking import Asker, TooManyTries
from .failures import Failure, failure_of
from .opening import Prompted, Setting, prompted
from .recovering import climb, given_up, ladder_of
from .result import AgentMeta, Payload, RunError, RunMeta, RunResult
from .scrub import scrubbed
from .thinking import instead
from .turn import Progress, RunFailed, Stopped, Turn


def nothing_to_run() -> SessionError:
    """The error of a run that has neither a prompt nor a turn to go on with."""
    return SessionError(
        "nothing_to_run", "there is no prompt, and no turn to go on with",
        help="give a prompt, also again where the model had not answered it yet; --store names another file",
    )  # fmt: skip


class Execution:
    """Carries one run out in a session, which has this ``id``. ``began`` is when it did, by the monotonic clock.

    ``summaries`` are asked of the model that the run has come to.
    """

    def __init__(
        self,
        setting: Setting,
        id: str,
        session: Session,
        prompt: Prompted,
        asker: Asker,
        summaries: ProviderCompressor,
        began: float,
    ) -> None:
        self._id = id
        self._setting = setting
        self._request = setting.request
        self._session = session
        self._prompt = prompt
        self._asker = asker
        self._summaries = summaries
        self._began = began
        self._models = list(setting.reached.models)
        self._progress = Progress(model=self._models[0])
        self._notices: list[tuple[str, str]] = []
        self._compactions = 0
        self._payloads: list[Payload] = []
        #: Levels of thinking that the model has refused.
        self._refused: set[Think | None] = set()
        self._ladder = ladder_of(session)
        self._turn = Turn(
            session, setting, asker, setting.choice(self._models[0]), prompt.offer, self._progress,
            began + self._request.timeout_s, self._recover,
        )  # fmt: skip

    def run(self) -> RunResult:
        """The result. Raises StoreError, and SessionError (``nothing_to_run``)."""
        for code, message in (*self._setting.notices(), *self._prompt.offer.notices()):
            self._tell(code, message)
        try:
            if self._session.is_open:
                is_done = self._finish_open()
            else:
                is_done = self._request.open_turn == "continue" and self._answer_again()
            if not is_done:
                self._say()
            return self._result()
        except Stopped as stopped:
            if stopped.args:
                self._answered(stopped.args[0])
            return self._result(aborted=True)
        except TooManyTries as error:
            return self._failed(Failure("retry_limit", f"The request was given up: {error}", str(error)))
        except RunFailed as error:
            return self._failed(error.failure)

    # What is done

    def _finish_open(self) -> bool:
        """A turn was left open: it is gone on with, committed as it is, or taken out of view.

        Says whether that was all: there is no prompt beside it, or it is the one that the turn was begun with.
        """
        session, turn = self._session, self._session.turn
        if self._request.open_turn == "continue":
            begun_with = session.last_text("user")
            self._answered(self._turn.go_on())
            self._drain()
            prompt, images = self._asked()
            text = parse_message(prompt, session.program.vocabulary).text or ""
            return not self._request.prompt.strip() or begun_with == text_of((Text(text), *images) if images else text)
        if self._request.open_turn == "drop":
            open_turn.drop(session)
            self._tell("open_turn_dropped", f"turn {turn} was open: it is closed, and out of view")
        else:
            open_turn.keep(session)
            self._tell("open_turn_kept", f"turn {turn} was open: it is committed as it is")
        self._drain()
        return False

    def _answer_again(self) -> bool:
        """There is nothing to go on with: without a prompt, the answer of the last turn is told again."""
        if self._request.prompt.strip():
            return False
        answer = self._session.last_text("assistant")
        if not answer:
            raise nothing_to_run()
        self._answered(answer)
        self._turn.show(answer)
        self._tell("nothing_open", f"no turn is open: this is the answer of turn {self._session.turn}")
        return True

    def _say(self) -> None:
        """Hold the turn of the prompt; patches and commands in it are carried out as if they were typed in a chat."""
        prompt, images = self._asked()
        if self._request.images and not images:
            self._tell("images_left_out", f"{self._models[0]} takes no images: {len(self._request.images)} left out")
        try:
            begun = self._session.begin(prompt, images=images)
        except SessionError as error:
            raise RunFailed(failure_of(error)) from None
        if begun.kind == "turn":
            self._answered(self._turn.answer(begun.content or ""))
            self._drain()
        elif begun.error is not None:
            raise RunFailed(Failure(begun.error, begun.output or "", begun.output or ""))
        else:
            self._answered(begun.output or "")
            self._turn.show(begun.output or "")
            if images:
                self._tell("images_left_out", f"this prompt begins no turn: {counted(len(images), 'image')} left out")

    def _asked(self) -> tuple[str, tuple[Image, ...]]:
        """The prompt as it is said: without secrets, and without what makes a model refuse; and the images beside it.

        A model that takes none is told in a line that there were some.
        """
        prompt = self._setting.secrets.mask(scrubbed(self._request.prompt, self._asker.name))
        images = self._request.images
        if not images or self._setting.reached.sees_images:
            return prompt, images
        many = counted(len(images), "image")
        types = ", ".join(dict.fromkeys(image.media_type for image in images))
        return f"{prompt}\n\n[{many} not shown ({types}): the model takes none]", ()

    # What goes wrong

    def _recover(self, error: ProviderError) -> None:
        """Mend what can be mended, so that the call may be tried again. Raises RunFailed, TooManyTries, Stopped."""
        failure = failure_of(error)
        self._drain()
        # Another profile refuses a request that is no good one too; another model may take it.
        may_fall_back = failure.reason is not None or failure.kind == "bad_request"
        if failure.is_overflow:
            recovered = climb(self._ladder, failure)
            happened = self._drain()
            if self._request.abort.is_set:
                raise Stopped
            if recovered is not None:
                self._tell(*recovered)
                return
            may_fall_back, failure = True, given_up(error, happened)
        elif failure.kind == "bad_request" and self._think_otherwise(error):
            return
        if not may_fall_back or len(self._models) == 1:
            raise RunFailed(failure)
        self._fall_back(failure)

    def _think_otherwise(self, error: ProviderError) -> bool:
        """Ask for another level of thinking, where the model refuses the one asked for; whether there is one."""
        settings = self._turn.choice.settings
        self._refused.add(settings.think)
        ways = [level for level in instead(settings.think, error) if level not in self._refused]
        if not ways:
            return False
        now = f"{ways[0]} is asked for" if ways[0] is not None else "it is left to the model"
        level = f"the thinking level {settings.think}" if settings.think is not None else "its own thinking level here"
        self._tell("thinking_changed", f"{settings.model} does not take {level}: {now}")
        self._turn.choice = replace(self._turn.choice, settings=replace(settings, think=ways[0]))
        return True

    def _fall_back(self, failure: Failure) -> None:
        """Go on with the next model: what the prompt says of tools and of itself may differ."""
        before = self._models.pop(0)
        self._tell("model_changed", f"{before} cannot be used ({failure.kind}): {self._models[0]} goes on")
        self._prompt = prompted(self._setting, self._session, self._models[0])
        self._prompt.tell(self._session)
        self._summaries.model = self._models[0]
        self._ladder = ladder_of(self._session)
        self._refused.clear()
        self._turn.choice, self._turn.offer = self._setting.choice(self._models[0]), self._prompt.offer

    # What is told

    def _answered(self, text: str) -> None:
        if text:
            self._payloads.append(Payload(text))

    def _tell(self, code: str, message: str) -> None:
        message = self._setting.secrets.mask(message)
        self._notices.append((code, message))
        self._request.callbacks.on_notice(code, message)

    def _drain(self) -> tuple[tuple[str, str], ...]:
        """Tell what has happened in the session; returns the notices of it."""
        happened = self._session.take_happenings()
        self._compactions += happened.compactions
        for code, message in (*happened.notices, *self._progress.notices):
            self._tell(code, message)
        self._progress.notices.clear()
        return happened.notices

    def _failed(self, failure: Failure) -> RunResult:
        mask = self._setting.secrets.mask
        self._payloads.append(Payload(mask(failure.text), is_error=True))
        return self._result(error=RunError(failure.kind, mask(failure.message)))

    def _result(self, *, error: RunError | None = None, aborted: bool = False) -> RunResult:
        self._drain()
        progress, way = self._progress, self._asker.used
        agent = AgentMeta(
            self._id, self._asker.name, progress.model, way.name if way is not None else None,
            progress.spent.context, progress.calls, self._session.is_stored,
        )  # fmt: skip
        stop = "aborted" if aborted else "error" if error is not None else progress.stop_reason
        return RunResult(
            tuple(self._payloads),
            RunMeta(
                round((monotonic() - self._began) * 1000), agent, aborted, stop, self._prompt.report, error,
                self._session.turn if self._session.is_open else None,
            ),
            progress.spent.usage(self._asker.spent), tuple(progress.messaging), self._compactions, tuple(self._notices),
            self._session.spending,
        )  # fmt: skip
