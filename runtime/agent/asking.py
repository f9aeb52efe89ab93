"""Asking a model: one call with all ways to its provider (seed 004, steps 2, 7 and 10).

A profile that fails is left alone for a while, and the next one is asked at once. To the rest of a run this is a
provider like any other; summaries are asked of it too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic

from ..providers.abort import Abort
from ..providers.errors import ProviderError
from ..providers.protocol import TOTAL_S, ModelReply, ModelRequest, OnText, ignore
from ..values import Format
from .failures import failure_of
from .ladder import retry_limit
from .masked import masked_error
from .masking import Secrets
from .rotation import Rotation, Way
from .usage import Reported, Spent

#: How often a reply is asked for again that broke off before any of its text was shown, or never began.
AGAIN = 2


class TooManyTries(Exception):
    """A prompt has failed as often as it may (runtime spec, section 3)."""

    def __init__(self, tries: int, last: ProviderError) -> None:
        super().__init__(f"{tries} tries have failed, the last one so: {last.message}")
        self.tries = tries


@dataclass(slots=True)
class Tries:
    """The failed tries of one prompt, of every kind, and how many there may be."""

    most: int
    failed: int = 0

    @classmethod
    def of(cls, profiles: int) -> Tries:
        """As many as so many profiles may cost."""
        return cls(retry_limit(profiles))

    @property
    def left(self) -> int:
        """How often a request may still be sent."""
        return max(1, self.most - self.failed)

    def count(self, error: ProviderError) -> None:
        """A request has failed, as often as it was sent. Raises TooManyTries."""
        self.failed += error.attempts
        if self.failed >= self.most:
            raise TooManyTries(self.failed, error)


class Asker:
    """A provider behind which profiles rotate. ``until`` is when the run must be over, by the monotonic clock.

    ``spent``: what all its replies cost, those for summaries too.
    """

    def __init__(self, rotation: Rotation, secrets: Secrets, until: float) -> None:
        first = next(iter(rotation.ways.values())).provider
        self.name = first.name
        self.format: Format = first.format
        self.used: Way | None = None
        self.tries = Tries.of(len(rotation.ways))
        self.spent = Spent()
        self._rotation = rotation
        self._secrets = secrets
        self._until = until

    @property
    def is_late(self) -> bool:
        """Whether the time of the run is over."""
        return monotonic() >= self._until

    def complete(
        self,
        request: ModelRequest,
        *,
        on_text: OnText = ignore,
        on_thinking: OnText = ignore,
        abort: Abort | None = None,
        timeout_s: float = TOTAL_S,
    ) -> ModelReply:
        """See ``Provider.complete``. Raises TooManyTries too; all secrets are masked in pieces and errors."""
        torn = sent = 0
        while True:
            way = self._rotation.next(request.model)
            if way is None:
                raise self._all_rest(request.model)
            shown = _Shown(on_text, on_thinking, self._secrets)
            try:
                reply = way.provider.complete(
                    replace(request, attempts=self.tries.left), on_text=shown.text, on_thinking=shown.thinking,
                    abort=abort, timeout_s=max(0.001, min(timeout_s, self._until - monotonic())),
                )  # fmt: skip
            except ProviderError as error:
                shown.close()
                masked_error(error, self._secrets)
                if self.is_late or (abort is not None and abort.is_set):
                    raise
                self.tries.count(error)
                sent += error.attempts
                torn += error.partial is not None or error.kind == "network"
                if not self._may_go_on(way, error, request.model, torn, shown.anything):
                    raise
            else:
                shown.close()
                self.used = way
                self._rotation.succeeded(way, request.model)
                self.tries.failed += reply.attempts - 1
                reply = reply.after(sent + reply.attempts)
                self.spent = self.spent.and_call(Reported.of(reply.usage) if reply.usage is not None else None)
                return reply

    def _may_go_on(self, way: Way, error: ProviderError, model: str, torn: int, shown: bool) -> bool:
        """Note the failure; whether the call is tried again, with this profile or another."""
        reason = failure_of(error).reason
        if reason is not None:
            self._rotation.failed(way, reason, model)
        if shown:
            return False  # It would be said twice.
        if error.kind == "network" or (error.partial is not None and error.kind in ("timeout", "overloaded")):
            return torn <= AGAIN
        turns = reason is not None and way.profile is not None and not self._rotation.locked
        return turns and self._rotation.next(model) is not None

    def _all_rest(self, model: str) -> ProviderError:
        return ProviderError(
            "rate_limit",
            f"no profile of {self.name} can be used for {model} now: {self._rotation.resting(model)}",
            help="wait, or name another profile or model",
        )


class _Shown:
    """Passes pieces of one reply on, masked; knows whether a person has seen any of its text."""

    def __init__(self, on_text: OnText, on_thinking: OnText, secrets: Secrets) -> None:
        self.anything = False
        self._follows = on_text is not ignore
        self._on_text = on_text
        self.text = secrets.stream(self._said)
        self.thinking = secrets.stream(on_thinking)

    def _said(self, piece: str) -> None:
        self.anything = self.anything or self._follows
        self._on_text(piece)

    def close(self) -> None:
        """The reply is over."""
        self.text.close()
        self.thinking.close()
