"""What ``dcc run`` prints: the answer as it comes, or the result as one document, and what is to be said beside it."""

from __future__ import annotations

import os
import sys

from ..compiler.reason import reason_of
from ..compiler.visible import visible_json
from ..runtime.agent.request import Callbacks
from ..runtime.agent.result import RunResult
from ..runtime.providers.abort import Abort
from .chat_screen import PlainScreen

#: Exit codes (contracts.md).
ANSWERED, FAILED, ABORTED = 0, 1, 130


class Output:
    """Shows a run. Where the answer cannot be shown any more, ``abort`` stops the run: nobody would see it."""

    def __init__(self, abort: Abort, *, as_json: bool) -> None:
        self._abort = abort
        self._as_json = as_json
        self._screen = PlainScreen()
        self._lost: OSError | None = None

    @property
    def callbacks(self) -> Callbacks:
        """What follows the run."""
        return Callbacks() if self._as_json else Callbacks(self._show, on_notice=self._notice)

    def result(self, result: RunResult) -> int:
        """Print how the run ended; returns the exit code."""
        try:
            self._end(result)
        except OSError as error:
            self._lose(error)
        if not self._as_json:
            self._tell_end(result)
        if self._lost is not None:
            where = f"the answer is in session {result.meta.agent.session}"
            self._screen.tell(f"standard output: {reason_of(self._lost)}: {where}")
        failed = result.meta.error is not None or self._lost is not None
        return ABORTED if result.meta.aborted else FAILED if failed else ANSWERED

    def _show(self, piece: str) -> None:
        if self._lost is None:
            try:
                self._screen.show(piece)
            except OSError as error:
                self._lose(error)
                self._abort.set()

    def _notice(self, code: str, message: str) -> None:
        self._screen.tell(f"{code}: {message}")

    def _end(self, result: RunResult) -> None:
        if self._as_json:
            print(visible_json(result.to_json(), indent=1), flush=True)
        elif self._lost is None:
            self._screen.end()

    def _tell_end(self, result: RunResult) -> None:
        """The answer was shown as it came: this is what went wrong, and where it is."""
        tell = self._screen.tell
        for payload in result.payloads:
            if payload.is_error:
                tell(f"error: {payload.text}")
        error = result.meta.error
        if error is not None and all(error.message not in payload.text for payload in result.payloads):
            tell(f"cause: {error.message}")
        if result.meta.aborted:
            tell("stopped")
        if result.meta.open_turn is not None:
            tell(
                f"turn {result.meta.open_turn} is open: --continue goes on with it, else it is committed as it is "
                "before the next prompt (--drop: closed)"
            )
        if result.meta.agent.is_stored:
            tell(f"session {result.meta.agent.session}")

    def _lose(self, error: OSError) -> None:
        """From now on output goes to nowhere, what is still in its buffer too."""
        self._lost = error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
