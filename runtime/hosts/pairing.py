"""Results beside their calls: a foreign session may hold them apart (runtime spec, section 4.4). Pure.

A message that was typed while a tool ran may stand between a call and its result. Such a result is brought back to its
call. Whatever belongs to no call stays where it is, for the reader to count and leave out; a call without a result
gets one that says so when the session is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .recording import Recording, Reply, Step, ToolResult, Turn


def paired(recording: Recording) -> Recording:
    """The recording with every result in the turn of its call; the same one where nothing stands apart.

    A result belongs to the last reply before it, if that has a call of its id which is not answered yet: ids are not
    always unique in a session.
    """
    turns = [list(turn.steps) for turn in recording.turns]
    moved = False
    for number, steps in enumerate(turns):
        for call_id in _open_calls(steps):
            moved = _bring(turns, number, call_id) or moved
    if not moved:
        return recording
    made = (Turn(turn.user, tuple(steps)) for turn, steps in zip(recording.turns, turns, strict=True))
    return replace(recording, turns=tuple(made))


def _open_calls(steps: Sequence[Step]) -> list[str]:
    """The ids of the last reply's calls that its own turn does not answer, in order."""
    last = next((index for index in reversed(range(len(steps))) if isinstance(steps[index], Reply)), None)
    if last is None:
        return []
    reply = steps[last]
    waiting = [call.id for call in reply.calls] if isinstance(reply, Reply) else []
    for step in steps[last + 1 :]:
        if isinstance(step, ToolResult) and step.call_id in waiting:
            waiting.remove(step.call_id)
    return waiting


def _bring(turns: list[list[Step]], number: int, call_id: str) -> bool:
    """Bring the result of a call from a later turn, unless a reply stands before it; whether there is one."""
    for steps in turns[number + 1 :]:
        for index, step in enumerate(steps):
            if isinstance(step, Reply):
                return False
            if isinstance(step, ToolResult) and step.call_id == call_id:
                turns[number].append(steps.pop(index))
                return True
    return False
