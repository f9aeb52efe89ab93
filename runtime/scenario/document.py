"""What ``dcc play --format json`` prints (contracts.md): one document for a played scenario."""

from __future__ import annotations

from typing import Any

from ..view.tail import tail_text
from .played import Played, PlayedCall, PlayedResult, PlayedStep


def document(played: Played) -> dict[str, Any]:
    """The whole document; requests in the format that the scenario was played in."""
    with_system = played.format == "anthropic"
    return {
        "schema_version": 1,
        "ruleset": played.ruleset,
        "steps": [step_document(step, with_system=with_system) for step in played.steps],
        "ranges": {slot: [list(pair) for pair in pairs] for slot, pairs in played.session.ranges().items()},
    }


def step_document(step: PlayedStep, *, with_system: bool = False) -> dict[str, Any]:
    """One step."""
    happenings = step.happenings
    return {
        "turn": step.turn,
        "committed": step.committed,
        "text": step.text,
        "calls": [call_document(call, with_system=with_system) for call in step.calls],
        "opened": [{"slot": slot, "at": at, "cause": cause} for slot, at, cause in happenings.opened],
        "closed": [{"slot": slot, "at": at, "cause": cause} for slot, at, cause in happenings.closed],
        "changed": [
            {"slot": slot, "from": before, "to": after, "cause": cause}
            for slot, before, after, cause in happenings.changed
        ],
        "breaks": [{"call": call, "index": index, "cause": cause} for call, index, cause in happenings.breaks],
        "stage": list(step.stage),
        "queue": [
            {
                "element": patch.element,
                "content": patch.content,
                "mode": patch.mode,
                "turns": patch.turns,
                "at": patch.at,
            }
            for patch in step.queue
        ],
        "notices": [{"code": code, "message": message} for code, message in step.notices],
        "state_hash": step.state_hash,
        "error": step.error,
        "output": step.output,
        "prompt": step.prompt,
        "transactions": [entry.document() for entry in step.transactions],
        "band": step.band,
        "archived": list(step.archived),
        "hidden": list(step.hidden),
    }


def _result(result: PlayedResult) -> dict[str, Any]:
    shown = {"id": result.id, "slot": result.slot, "is_error": result.is_error}
    return shown if result.content is None else shown | {"content": result.content}


def call_document(call: PlayedCall, *, with_system: bool = False) -> dict[str, Any]:
    """One call; ``with_system`` adds the top field that Anthropic's requests have."""
    request = call.request
    shown: dict[str, Any] = {
        "call": request.call,
        "ordinal": request.ordinal,
        "visible": [
            {
                "slot": slot.slot,
                "element": slot.element,
                "refined": slot.refined,
                "born": slot.born,
                "as": slot.how,
                "on_stage": slot.on_stage,
                "tokens": slot.tokens,
            }
            for slot in request.visible
        ],
        "messages": list(request.messages),
        "tokens": request.tokens,
        "prefix_kept": request.prefix_kept,
        "results": [_result(result) for result in call.results],
        "tail": None if request.tail is None else tail_text(request.tail),
    }
    if with_system:
        shown["system"] = list(request.system)
    if call.failed is not None:
        shown["failed"] = call.failed
    return shown
