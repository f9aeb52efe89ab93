"""The compactor: when it is time, old turns leave the stage for a summary of them (kernel.md sections 2, 4 and 6).

A pass asks a compressor first and changes the ledger after that, in one transaction with one notice. What a
completed call was shown is not touched: the sources are held, and the summary is on stage, from the next request.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from ...compiler.counted import counted
from ...compiler.program import Program
from ..births import Births
from ..errors import SessionError
from ..kernel.content import decode, text_of
from ..kernel.slots import SUMMARY, Slot
from ..kernel.tokens import count_tokens
from ..recorder import Recorder
from ..requests import Requests
from ..settling import Settling
from .compressors import CompressionError, Compressor, compress, spent_by
from .due import NEAR, is_due_by_interval, is_due_by_size, is_worth_it
from .settings import CompactSettings, compact_settings
from .summaries import HOLD, Change, Summaries, retired_by
from .transcript import Told, host_transcript, transcript
from .window import Window, Windows

COMPACTED: Final = "compacted"

#: What a pass comes to that had too little to replace.
NO_GAIN: Final = frozenset({"compaction_nothing", "compaction_no_gain"})


class Came(NamedTuple):
    """What a pass came to: the code of its notice, and what is said. Both blank: nothing that has not been said."""

    code: str = ""
    message: str = ""


class Compactor:
    """Compacts a session."""

    def __init__(
        self,
        recorder: Recorder,
        births: Births,
        program: Program,
        requests: Requests,
        settling: Settling,
        compressor: Compressor,
    ) -> None:
        self._recorder = recorder
        self._births = births
        self._requests = requests
        self._settling = settling
        self._compressor = compressor
        self._ledger = recorder.ledger
        self._settings = compact_settings(program)
        fields = self._settings.fields if self._settings is not None else ()
        self._windows = Windows(recorder.ledger, recorder.stage, program, fields)
        self._summaries = Summaries(recorder.ledger)

    def after_turn(self) -> None:
        """A turn was committed: compact if it was asked for, or if it is time."""
        settings, turn = self._settings, self._ledger.turn
        if settings is None:
            return
        asked = self._ledger.compacting.asked == turn
        too_large = self._is_too_large(settings)
        if asked or too_large or is_due_by_interval(turn, self._summaries.last_anchor, settings.interval):
            self._pass(settings, by_hand=asked, too_large=too_large)

    def relieve(self) -> Came:
        """The request is over its limit: compact if that gains anything. What came of it is for the caller to tell."""
        return self._pass(self._settings, by_hand=False, too_large=True, tell=False) if self._settings else Came()

    def recover(self) -> bool:
        """A provider has refused a request for its length: compact whatever there is; whether that gained anything.

        Where the newest turns that are spared are all that there is to gain from, half as many are spared, and so on:
        at last the running turn alone. A few long turns would end the session for good otherwise.
        """
        settings = self._settings
        while settings is not None:
            came = self._pass(settings, by_hand=True, too_large=True)
            if came.code not in NO_GAIN:
                return came.code == COMPACTED
            spared = settings.keep_recent
            settings = replace(settings, keep_recent=spared // 2) if spared else None
        return False

    def coming(self, after: int, *, fills: bool) -> int | None:
        """The number of the compaction that is near, as a turn opens; None: none is near that is above ``after``.

        One is near that follows this turn by its interval, or when four fifths are full: of the threshold in bytes, or
        (``fills``) of what a context may hold. It must have something to summarise.
        """
        settings, number = self._settings, self._summaries.borne + 1
        if settings is None or number <= after:
            return None
        turn = self._ledger.turn
        is_near = (
            fills
            or is_due_by_interval(turn, self._summaries.last_anchor, settings.interval)
            or is_due_by_size(self._requests.bytes_without(()), int(NEAR * settings.threshold))
        )
        return number if is_near and self._window(settings, turn, again=False) is not None else None

    def ask(self) -> str:
        """Compact by hand: between turns at once, in an open turn when it is committed. Returns what came of it.

        Raises SessionError (``no_compaction``).
        """
        if self._settings is None:
            raise SessionError(
                "no_compaction", "the ruleset asks for no summaries",
                help="give it a compact section with fields and a prompt",
            )  # fmt: skip
        if self._ledger.is_open:
            with self._recorder.transaction("queue") as emit:
                emit("compaction_asked", turn=self._ledger.turn)
            return f"compaction follows when turn {self._ledger.turn} is committed"
        return self._pass(self._settings, by_hand=True, too_large=False).message

    def host_summary(self, reason: str) -> str | None:
        """A summary of what is on stage, for a host that compacts by itself; None: let the host make its own.

        ``reason``: the host's, for people. The stage does not change; a failure is told in a notice.
        """
        settings = self._settings
        if settings is None:
            return None
        lines = host_transcript(map(self._told, self._windows.on_stage(self._moment)))
        try:
            return self._compress(lines, settings.prompt) if lines else None
        except CompressionError as error:
            with self._recorder.transaction("notice") as emit:
                emit("notice", code="compaction_failed", message=f"{error.message} (the host compacts: {reason})")
            return None

    @property
    def _moment(self) -> tuple[int, int]:
        """The turn and the ordinal of the next request."""
        return self._ledger.turn + (not self._ledger.is_open), self._recorder.last_request + 1

    def _is_too_large(self, settings: CompactSettings) -> bool:
        """Whether the next request, before its message, is larger than the threshold."""
        gone = {*self._recorder.stage.leaving(self._moment[0]), *self._settling.leaving()}
        return is_due_by_size(self._requests.bytes_without(gone), settings.threshold)

    def _pass(self, settings: CompactSettings, *, by_hand: bool, too_large: bool, tell: bool = True) -> Came:
        """One pass. Returns what came of it; blank when the last passes gained nothing and this would be no other.

        ``tell``: in a notice; else the caller does.
        """
        moment = self._moment
        turn = moment[0] - 1
        end = turn - settings.keep_recent
        window = self._window(settings, turn, again=by_hand)
        sources = {slot.id for slot in window.sources} if window is not None else set()
        tokens = self._requests.tokens_freed(sources)
        if not by_hand and not is_worth_it(self._ledger.compacting, tokens):
            return Came()
        if window is None:
            came = Came("compaction_nothing", _nothing(turn, settings))
            return self._idle(came, 0, tell) if too_large and not by_hand else came
        change = self._summaries.change(end, turn, settings, moment)
        previous = "\n\n".join(self._told(slot).text for slot in change.leaving)
        try:
            text = self._compress(transcript(map(self._told, window.told)), settings.prompt, previous)
        except CompressionError as error:
            if error.code == "stopped":
                stopped = Came("compaction_stopped", f"{_stay(window)}: {error.message}")
                return self._stopped(stopped, tell)
            failed = Came("compaction_failed", f"{_stay(window)}: {error.message}")
            return self._idle(failed, tokens, tell)
        before = self._requests.tokens_freed(sources.union(slot.id for slot in change.leaving))
        after = count_tokens(text) + sum(slot.tokens for slot in change.returning)
        if after >= before:
            message = f"{_stay(window)}: {after} tokens would stand for {before}"
            return self._idle(Came("compaction_no_gain", message), tokens, tell)
        return self._carry_out(window, change, text, before, after, tell)

    def _compress(self, lines: str, prompt: str, previous: str = "") -> str:
        """The summary; what it has used is noted, also where it failed. Raises CompressionError."""
        try:
            return compress(self._compressor, lines, prompt, previous)
        finally:
            spent = spent_by(self._compressor)
            if spent is not None:
                with self._recorder.transaction("usage") as emit:
                    emit("summarised", usage=[spent.input, spent.output, spent.cache_read, spent.cache_write])

    def _window(self, settings: CompactSettings, turn: int, *, again: bool) -> Window | None:
        """What a compaction after ``turn`` replaces; None: nothing."""
        end = turn - settings.keep_recent
        covered = [s.compact_range for s in self._summaries.all() if s.compact_range is not None]
        return self._windows.find(end, self._moment, covered, again=again) if end >= 1 else None

    def _carry_out(
        self, window: Window, change: Change, text: str, before: int, after: int, tell: bool
    ) -> Came:
        """Bear the summary and hold what it stands for, as one transaction."""
        last = self._recorder.last_request
        since = -(last + 1)
        leaving = (*window.sources, *change.leaving)
        starts = [slot.compact_range[0] for slot in change.leaving if slot.compact_range is not None]
        with self._recorder.transaction("compaction") as emit:
            summary = self._births.bear(
                emit, f"{window.end}_summary", text,
                turn=window.end, phase=SUMMARY, shown_from=last + 1, superseded_end=-last, visible_from=since,
                compact_range=(min(window.start, *starts), window.end) if starts else (window.start, window.end),
                cause="compaction",
            )  # fmt: skip
            for slot in leaving:
                emit("hold_begun", slot=slot.id, name=f"{HOLD}{summary.id}", since=since)
            for slot in change.returning:
                for name in retired_by(slot):
                    emit("hold_lifted", slot=slot.id, name=name, until=since)
            message = (
                f"{_turns(window)}: {len(leaving)} slots ({before} tokens) leave the stage for {summary.id} "
                f"({after} tokens); /cpat undo #{self._ledger.transaction} brings them back"
            )
            emit("compaction_passed", tokens=before, gained=True)
            if tell:
                emit("notice", code=COMPACTED, message=message)
        self._summaries.add(summary.id)
        return Came(COMPACTED, message)

    def _stopped(self, came: Came, tell: bool) -> Came:
        """A pass that somebody did not want to wait for is told, and is no pass without gain."""
        if tell:
            with self._recorder.transaction("notice") as emit:
                emit("notice", code=came.code, message=came.message)
        return came

    def _idle(self, came: Came, tokens: int, tell: bool) -> Came:
        """A pass without gain: it is remembered and told, and nothing else changes."""
        with self._recorder.transaction("notice") as emit:
            emit("compaction_passed", tokens=tokens, gained=False)
            if tell:
                emit("notice", code=came.code, message=came.message)
        return came

    def _told(self, slot: Slot) -> Told:
        return Told(slot.turn, slot.element, text_of(decode(self._recorder.content(slot.digest))))


def _turns(window: Window) -> str:
    return f"turn {window.end}" if window.start == window.end else f"turns {window.start} to {window.end}"


def _stay(window: Window) -> str:
    return f"{_turns(window)} {'stays as it is' if window.start == window.end else 'stay as they are'}"


def _nothing(turn: int, settings: CompactSettings) -> str:
    if turn <= settings.keep_recent:
        return f"nothing to compact: of {counted(turn, 'turn')} the {settings.keep_recent} newest stay"
    fields = ", ".join(settings.fields)
    return (
        f"nothing to compact: the turns before the {settings.keep_recent} newest of {turn} have nothing of {fields} "
        "on stage that may leave"
    )
