"""A provider behind HTTP: one call with its retries, in either dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from time import monotonic

from ..values import Format
from .abort import Abort
from .classify import classify
from .dialect import Dialect, Reader, encode_body, read_object
from .errors import ProviderError
from .http import Answer, Timeouts, exchange, place_of
from .keys import Key
from .mends import mend_of
from .protocol import TOTAL_S, ModelReply, ModelRequest, OnText, ignore
from .retry import Retries, retry_after_s, with_retries
from .sse import events

#: How much of an error answer is read, in bytes.
ERROR_BYTES = 65_536

#: How an event stream begins: one of its fields, a comment, or so much of one as the first piece holds.
_STREAM = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?::|(?:data|event|id|retry)\s*:|[a-z]{1,5}\Z)")


class RemoteProvider:
    """Speaks a dialect to the server at ``base_url``. Safe to share between threads."""

    def __init__(
        self,
        dialect: Dialect,
        base_url: str,
        key: Key | None,
        *,
        timeouts: Timeouts | None = None,
        retries: Retries | None = None,
    ) -> None:
        self.name = dialect.name
        self.format: Format = dialect.format
        self._dialect = dialect
        #: How the models want to be asked that have refused to be asked otherwise.
        self._wanted: dict[str, Dialect] = {}
        self._url = base_url.rstrip("/") + dialect.path
        self._key = key
        self._timeouts = timeouts or Timeouts()
        self._retries = retries or Retries()

    def complete(
        self,
        request: ModelRequest,
        *,
        on_text: OnText = ignore,
        on_thinking: OnText = ignore,
        abort: Abort | None = None,
        timeout_s: float = TOTAL_S,
    ) -> ModelReply:
        """See ``Provider.complete``. After the first piece was delivered nothing is tried again.

        A request that is refused for the way in which it is written is sent once more the way the server wants it.
        """
        abort = abort or Abort()
        deadline = monotonic() + timeout_s
        dialect = self._wanted.get(request.model, self._dialect)
        heard = _Heard(on_text, on_thinking)
        reader = dialect.reader(request, heard.text, heard.thinking)
        most = self._retries.attempts if request.attempts is None else min(request.attempts, self._retries.attempts)
        retries, sent = replace(self._retries, attempts=most), 0

        def attempt() -> ModelReply:
            nonlocal reader, sent
            sent += 1
            reader = dialect.reader(request, heard.text, heard.thinking)
            try:
                self._attempt(encode_body(dialect.body(request)), reader, deadline, abort)
            except ProviderError as error:
                if heard.anything and error.kind != "aborted":
                    raise error.begun(reader.reply(aborted=True).reply) from None
                raise
            return reader.reply()

        try:
            try:
                return with_retries(attempt, retries, abort=abort, deadline=deadline).after(sent)
            except ProviderError as refusal:
                may_ask = refusal.kind == "bad_request" and not heard.anything
                wanted = dialect.after(refusal, request) if may_ask else None
                if wanted is None or (request.attempts is not None and sent >= request.attempts):
                    raise
                dialect = self._wanted[request.model] = wanted
            return with_retries(attempt, retries, abort=abort, deadline=deadline).after(sent)
        except ProviderError as error:
            error.attempts = sent
            if error.kind != "aborted":
                raise
        return reader.reply(aborted=True).after(sent)

    def _attempt(self, body: bytes, reader: Reader, deadline: float, abort: Abort) -> None:
        with (
            self._without_key(),
            exchange(
                self._url, body, lambda: self._dialect.headers(self._key),
                timeouts=self._timeouts, deadline=deadline, abort=abort,
            ) as answer,
        ):  # fmt: skip
            if answer.head.status != 200:
                raise self._refused(answer)
            if "json" in answer.head.headers.get("content-type", ""):
                text = b"".join(answer.chunks).decode("utf-8", "replace")
                reader.take_whole(read_object(text, f"the answer of {place_of(self._url)}"))
                return
            self._follow(answer, reader)

    def _follow(self, answer: Answer, reader: Reader) -> None:
        """Read a stream to its last event. One that breaks after the model was done is whole."""
        first = next(answer.chunks, b"")
        try:
            if any(reader.take(event) for event in events(chain((first,), answer.chunks))):
                return
        except ProviderError as error:
            if not (reader.is_finished and error.kind in ("network", "timeout")):
                raise
        if not reader.is_finished:
            if first.strip() and not _STREAM.match(first):
                start = first[:60].decode("utf-8", "replace")
                message = f"the answer of {place_of(self._url)} is neither JSON nor a stream of events: {start!r}"
                raise ProviderError("malformed", message)
            message = f"the reply of {place_of(self._url)} was cut off before its end"
            raise ProviderError("network", message, retryable=True)

    def _refused(self, answer: Answer) -> ProviderError:
        status, headers = answer.head
        text = _beginning(answer.chunks).decode("utf-8", "replace")
        if 300 <= status < 400:
            message = f"{place_of(self._url)} answered {status} and points to another address"
            return ProviderError("bad_request", message, help="write the new address as provider.base_url")
        verdict = classify(status, text)
        wait = retry_after_s(headers, datetime.now(UTC))
        asks = f"; it asks to wait {wait:g} s" if wait else ""
        said = verdict.said or "it gave no reason"
        return ProviderError(
            verdict.kind, f"{self.name} answered {status} ({verdict.kind}): {said}{asks}",
            help=mend_of(said), retryable=verdict.retryable, retry_after_s=wait, status=status,
        )  # fmt: skip

    @contextmanager
    def _without_key(self) -> Iterator[None]:
        """Take the key out of what a server says: some repeat it."""
        try:
            yield
        except ProviderError as error:
            if self._key is not None:
                error.message = self._key.scrub(error.message)
                error.args = (error.message,)
            raise


class _Heard:
    """Passes pieces on, and knows whether there was any."""

    def __init__(self, on_text: OnText, on_thinking: OnText) -> None:
        self.anything = False
        self._on_text = on_text
        self._on_thinking = on_thinking

    def text(self, piece: str) -> None:
        self.anything = True
        self._on_text(piece)

    def thinking(self, piece: str) -> None:
        self.anything = True
        self._on_thinking(piece)


def _beginning(chunks: Iterator[bytes]) -> bytes:
    """The beginning of an error answer; one that breaks off says what it has said."""
    found = bytearray()
    try:
        for chunk in chunks:
            found += chunk
            if len(found) >= ERROR_BYTES:
                break
    except ProviderError as error:
        if error.kind == "aborted":
            raise
    return bytes(found[:ERROR_BYTES])
