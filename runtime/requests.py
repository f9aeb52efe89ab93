"""Requests: the next call's messages, and where they break with the request before (kernel.md sections 5, 6)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import NamedTuple, get_args

from ..compiler.problem import one_of
from ..compiler.program import Program
from .errors import SessionError, StoreError
from .kernel.places import begun
from .kernel.projection import Piece, UnitPieces, past_result, project, stub_of
from .kernel.slots import Position, Representation
from .kernel.stage import unit_key
from .recorder import MAINTENANCE, Recorder
from .values import Request
from .view.build import UnitView, Visible, flatten, view_unit
from .view.size import Size, Sizes, exchanged, size_of
from .view.tail import tail_tokens, with_tail
from .view.transcript import Format, Transcript
from .view.unit import Message, Unit

#: What stands for a content that nobody knows any more where two requests are compared; it is never sent.
_LOST = "[purged since]"


class Break(NamedTuple):
    """A place in the rendered request where it differs from the one before: call, message index, cause."""

    call: int
    message: int
    cause: str


def check_format(format: str) -> None:
    """Refuse what is no format of requests. Raises SessionError (``bad_format``)."""
    if format not in get_args(Format):
        known = one_of(get_args(Format))
        raise SessionError("bad_format", f"{format!r} is no format of requests", help=f"write {known}")


def _no_tail(format: Format) -> Message | None:
    """Nothing is governed: a request ends with what is on stage."""
    return None


class Requests:
    """Renders the stage of a session, format by format."""

    def __init__(self, recorder: Recorder, program: Program) -> None:
        self._recorder = recorder
        self._program = program
        self._views: dict[Position, UnitView] = {}
        self._transcripts: dict[Format, Transcript] = {}
        self._causes: dict[Position, str] = {}
        self._format: Format = "openai"
        self._sizes: Sizes | None = None
        #: The volatile tail of the next request, in a format.
        self.tail: Callable[[Format], Message | None] = _no_tail

    def use(self, format: Format) -> None:
        """The format that the next request goes out in: where it would break is judged by it.

        Raises SessionError (``bad_format``).
        """
        check_format(format)
        self._format = format

    @property
    def format(self) -> Format:
        """The format that the next request goes out in, as far as is known."""
        return self._format

    def index_of(self, key: Position, slots: tuple[str, ...] = ()) -> int | None:
        """The message at which what is rendered from a unit begins; None behind the last request that was answered.

        ``slots``: those of it that change. Where they are all results, it is the message of the first of them.
        """
        self._follow()
        transcript = self._transcripts.get(self._format) or self._start(self._format)
        index = transcript.index_of(key)
        if index is None or key not in self._recorder.stage.units:
            return index
        results = [shown.slot_id for shown in self._view_of(key).unit.results]
        if not slots or not set(slots) <= set(results):
            return index
        return index + 1 + (0 if self._format == "anthropic" else min(results.index(slot) for slot in slots))

    def request(self, format: Format) -> Request:
        """The request that the next call sends."""
        self._follow()
        transcript = self._transcripts.get(format)
        if transcript is None:
            transcript = self._start(format)
        ledger = self._recorder.ledger
        rendered = transcript.request()
        body, tail = rendered.messages, self.tail(format)
        return Request(
            ledger.turn, ledger.call + 1, ledger.ordinal + 1, format,
            body if tail is None else with_tail(format, body, tail), rendered.system,
            transcript.tokens(), transcript.prefix().tokens, transcript.views(),
            body, tail, 0 if tail is None else tail_tokens(tail), transcript.slots(),
        )  # fmt: skip

    def messages(self, format: Format) -> list[Message]:
        """The stage as it is now, as messages. No request goes out."""
        self._follow()
        transcript = self._transcripts.get(format) or self._start(format)
        return transcript.request().messages

    def tokens(self, format: Format) -> int:
        """The tokens of the stage as it is now. No request goes out."""
        self._follow()
        return (self._transcripts.get(format) or self._start(format)).tokens()

    def tokens_now(self) -> int:
        """The same in the format that requests go out in."""
        return self.tokens(self._format)

    def on_stage(self) -> tuple[Visible, ...]:
        """The slots of the next request as things stand, in order. Costs O(stage)."""
        self._follow()
        return flatten(map(self._view_of, self._recorder.stage.keys))

    def next_break(self) -> Break | None:
        """Where the request of the call in progress broke with the one before."""
        self._follow()
        transcript = self._transcripts.get(self._format) or self._start(self._format)
        prefix = transcript.prefix()
        if prefix.changed is None:
            return None
        return Break(self._recorder.ledger.call + 1, prefix.changed, self._cause_of_break(prefix.key))

    def _cause_of_break(self, key: Position | None) -> str:
        """Why the request breaks at a unit. A birth breaks none, but for one in Anthropic's top field (section 5)."""
        view = self._views.get(key) if key is not None else None
        is_top = self._format == "anthropic" and view is not None and view.unit.shown[0].top
        if key is not None and is_top and self._causes.get(key) == "born":
            return "system"
        return next((self._causes[k] for k in sorted(self._causes) if self._causes[k] != "born"), "born")

    def break_key(self) -> Position | None:
        """The position from which the next request differs from the one before, if it breaks as things stand."""
        self._follow()
        transcript = self._transcripts.get(self._format) or self._start(self._format)
        return transcript.prefix().key

    def completed(self) -> None:
        """The call in progress has its reply: later requests are compared with this one."""
        for transcript in self._transcripts.values():
            transcript.sent()
        self._causes.clear()

    def causes(self) -> dict[Position, str]:
        """Why units changed since the last completed call (to be put back when a turn is taken back)."""
        self._follow()
        return dict(self._causes)

    def taken_back(self, causes: dict[Position, str]) -> None:
        """A staged turn was taken back, but for its maintenance; ``causes`` are those from before it."""
        stayed = {key: cause for key, cause in self._recorder.stage.dirty.items() if cause in MAINTENANCE}
        self._follow()
        self._causes = {**causes, **stayed}

    def past(self, ordinal: int) -> tuple[Visible, ...]:
        """The slots of a past call's request, in order. Costs O(history)."""
        units = project(self._recorder.ledger, ordinal)
        return flatten(view_unit(unit, self._program, self._recorder.content) for unit in units)

    def bytes_without(self, gone: Collection[str]) -> int:
        """The UTF-8 length of the request (compact JSON of the openai messages) if these slots were off stage.

        Costs what changed since it was last asked, and the units that the slots are in.
        """
        self._follow()
        stage, slots = self._recorder.stage, self._recorder.ledger.slots
        sizes = self._sizes
        if sizes is None:
            sizes = self._sizes = Sizes()
            for key in stage.keys:
                sizes.put(key, self._view_of(key))
        total = sizes.total
        for key in {unit_key(slots[slot_id]) for slot_id in gone} & stage.units.keys():
            left = self._view(key, gone)
            total = exchanged(total, sizes.of(key), size_of(left) if left.unit.shown else Size())
        return total.as_list

    def tokens_freed(self, gone: Collection[str]) -> int:
        """By how many tokens the request would be shorter if these slots were off stage.

        A call takes its result along; of a result whose call stays, the stub stays.
        """
        self._follow()
        stage, slots = self._recorder.stage, self._recorder.ledger.slots
        keys = {unit_key(slots[slot_id]) for slot_id in gone} & stage.units.keys()
        return sum(self._view_of(key).tokens - self._view(key, gone).tokens for key in keys)

    def _start(self, format: Format) -> Transcript:
        """A transcript of the stage now, that knows the last request that has its reply."""
        check_format(format)
        recorder = self._recorder
        answered = recorder.ledger.ordinal + (recorder.ledger.reply is not None)
        near = recorder.ledger.slots.at_hand(recorder.ledger.turn_of_ordinal(answered), answered)
        past = project(recorder.ledger, answered, near) if answered else ()
        turn = recorder.ledger.turn_of_ordinal(answered)
        views = {unit.key: self._as_sent(unit, turn, answered) for unit in past}
        transcript = Transcript(format, lambda key: views[key] if key in views else self._views[key])
        transcript.update(sorted(views), views)
        if answered:
            transcript.sent()
        old = list(views)
        views.clear()
        for key in recorder.stage.keys:
            self._view_of(key)
        transcript.update(recorder.stage.keys, [*old, *recorder.stage.keys])
        self._transcripts[format] = transcript
        return transcript

    def _as_sent(self, unit: UnitPieces, turn: int, ordinal: int) -> UnitView:
        """A unit of the request (turn, ordinal) as it is compared with the next one.

        A content that was deleted after it is known again when the same bytes were born since; else it is surely not
        what is there now.
        """
        pieces, results = (
            tuple(_unpurged(piece, turn, ordinal) for piece in part) for part in (unit.pieces, unit.results)
        )
        view = view_unit(unit._replace(pieces=pieces, results=results), self._program, self._recorder.content)
        changed = zip((*unit.pieces, *unit.results), (*pieces, *results), strict=True)
        how = {visible.slot: visible.how for visible in view.visible}
        lost = {
            sent.slot.id for told, sent in changed if sent is not told and not self._is_known(sent, how[sent.slot.id])
        }
        return _told_apart(view, lost) if lost else view

    def _is_known(self, piece: Piece, how: Representation) -> bool:
        """Whether all that a piece is rendered from can be read. One that is full without its note was so with it."""
        note = piece.shape.note if how == "ref" else None
        try:
            for digest in (piece.slot.digest, *([bytes.fromhex(note)] if note is not None else [])):
                self._recorder.content(digest)
        except StoreError:
            return False
        return True

    def _follow(self) -> None:
        """Bring views and transcripts up to date with the stage."""
        stage = self._recorder.stage
        if not stage.dirty:
            return
        dirty = list(stage.dirty)
        self._causes.update(stage.dirty)
        stage.dirty.clear()
        for key in dirty:
            if key in stage.units:
                self._views[key] = self._view(key)
            else:
                self._views.pop(key, None)
            if self._sizes is not None:
                self._sizes.put(key, self._views.get(key))
        for transcript in self._transcripts.values():
            transcript.update(stage.keys, dirty)

    def _view_of(self, key: Position) -> UnitView:
        """The view of a unit on stage, made when it is first asked for."""
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = self._view(key)
        return view

    def _view(self, key: Position, gone: Collection[str] = ()) -> UnitView:
        """A unit on stage, or what would be left of it without the slots that are ``gone``."""
        recorder = self._recorder
        stage, ledger = recorder.stage, recorder.ledger
        pieces = tuple(Piece(ledger.slots[i], stage.shown[i].shape, True) for i in stage.units[key] if i not in gone)
        results = tuple(
            stub_of(result) if result.id in gone else past_result(result, stage.turn, stage.ordinal)
            for p in pieces
            if (result := ledger.result_at(p.slot.id, stage.turn, stage.ordinal)) is not None
        )
        return view_unit(UnitPieces(key, pieces, results), self._program, recorder.content)


def _unpurged(piece: Piece, turn: int, ordinal: int) -> Piece:
    """A piece of the request (turn, ordinal) as it went out: what was deleted after it was there."""
    slot, shape = piece.slot, piece.shape
    if slot.marks is not None and slot.marks.purged is not None and not begun(slot.marks.purged, turn, ordinal):
        slot = slot._replace(marks=replace(slot.marks, purged=None))
    if shape.lost is not None and not begun(shape.lost, turn, ordinal):
        shape = shape._replace(lost=None)
    return piece if slot is piece.slot and shape is piece.shape else Piece(slot, shape, piece.on_stage)


def _told_apart(view: UnitView, lost: Collection[str]) -> UnitView:
    """A view whose ``lost`` slots are like nothing that is there now."""
    shown, results = (
        tuple(replace(s, content=_LOST) if s.slot_id in lost else s for s in part)
        for part in (view.unit.shown, view.unit.results)
    )
    return replace(view, unit=Unit(shown, results))
