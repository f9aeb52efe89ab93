"""What ``dcc play`` prints for people: step by step what was typed and what changed, then the stage table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..session import Happenings, QueuedPatch
from ..view.table import LEGEND, stage_table
from .played import Played, PlayedCall, PlayedStep

#: Steps at the end of a long scenario whose turns its table shows: nobody reads one that is wider.
COLUMNS = 100


def report(played: Played, *, requests: bool = False) -> Iterator[str]:
    """The lines of the report; ``requests`` adds the messages of every request."""
    queue: tuple[QueuedPatch, ...] = ()
    for number, step in enumerate(played.steps, 1):
        yield from _step(number, step, requests, new=tuple(one for one in step.queue if one not in queue))
        yield ""
        queue = step.queue
    yield from table(played)
    yield LEGEND


def table(played: Played) -> list[str]:
    """The slot x turn table: what the last call of each turn held, and what the next one would hold.

    Of the turns whose requests were kept whole.
    """
    shown: dict[int, dict[str, str]] = {}
    for step in (step for step in played.steps if step.turn is not None):
        for call in (call for call in step.calls if call.is_whole):
            shown[call.request.turn] = {slot.slot: slot.how for slot in call.request.visible}
    turns = sorted(shown)
    following = set(played.steps[-1].stage) if played.steps else set()
    stubs = set(played.session.stubs())
    rows: dict[str, list[str | None]] = {}
    for slot in played.session.ranges():
        born = int(slot.rpartition("@")[2].split(".")[0])
        marks: list[str | None] = [shown[turn].get(slot, "off") if turn >= born else None for turn in turns]
        last = next((mark for mark in reversed(marks) if mark not in (None, "off")), "full")
        rows[slot] = [*marks, last if slot in following else "stub" if slot in stubs else "off"]
    return stage_table([*map(str, turns), "next"], rows)


def _step(number: int, step: PlayedStep, requests: bool, new: tuple[QueuedPatch, ...]) -> Iterator[str]:
    yield f"{number}. {one_line(step.title)}" + _outcome(step)
    if step.text is not None and step.title != "> " + step.text:
        yield f"   text     {one_line(step.text)}"
    for call in step.calls:
        yield from _call(call, requests)
    yield from _happenings(step.happenings)
    for patch in new:
        turns = "none" if patch.turns is None else patch.turns
        line = f"/{patch.element} {one_line(patch.content)} {patch.mode} {turns}"
        yield f"   queued   {line}, due at turn {patch.at}"
    for entry in step.transactions:
        if entry.cause in ("op", "refused"):
            yield f"   journal  {one_line(entry.line())}"
    for code, message in step.notices:
        yield f"   notice   {message} [{code}]"
    if step.error is not None:
        yield f"   error    {step.error}"
    if step.output is not None:
        yield from (f"   {line}" for line in step.output.splitlines())


def _outcome(step: PlayedStep) -> str:
    if step.turn is None:
        return ""
    return f"   (turn {step.turn})" if step.committed else f"   (turn {step.turn}, not committed)"


def _call(call: PlayedCall, requests: bool) -> Iterator[str]:
    request = call.request
    yield (
        f"   call {request.call:<3} {request.slots} slots, {request.tokens} tokens, "
        f"{request.prefix_kept} of them as before" + (f"; failed: {call.failed}" if call.failed is not None else "")
    )
    if requests:
        for message in [
            *({"role": "system", "content": [part]} for part in request.system),
            *request.messages,
        ]:
            yield f"      {_message(message)}"
    for result in call.results:
        yield f"   result   {result.slot} answers {result.id}" + (" with an error" if result.is_error else "")


def _message(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    others = {key: value for key, value in message.items() if key not in ("role", "content")}
    text = content if isinstance(content, str) else json.dumps(content or "", ensure_ascii=False)
    return f"{message['role']}: {one_line(text)}" + (f"  {json.dumps(others, ensure_ascii=False)}" if others else "")


def _happenings(happenings: Happenings) -> Iterator[str]:
    for slot, at, cause in happenings.opened:
        yield f"   + {slot} from {_place(at)}: {cause}"
    for slot, at, cause in happenings.closed:
        yield f"   - {slot} from {_place(at)}: {cause}"
    for slot, before, after, cause in happenings.changed:
        yield f"   ~ {slot} {before} -> {after}: {cause}"
    for call, index, cause in happenings.breaks:
        yield f"   break    call {call}, from message {index}: {cause}"


def _place(at: Any) -> str:
    """A turn bound is a number, a call bound the string ``#17``."""
    return f"call {at}" if isinstance(at, str) else f"turn {at}"


def one_line(text: str) -> str:
    """A text on one line, its ends of lines marked."""
    return " ⏎ ".join(text.splitlines())
