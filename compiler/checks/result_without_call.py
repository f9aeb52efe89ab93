"""A result answers a call of its reply.

## What it finds

A result whose id no tool call of the same item has, a second result for one call, two calls with one id.

## Why it matters

A provider refuses such a request, so no recorded session can hold it.

## Example

    steps:
      - user: look
        calls:
          - {assistant: {tool_calls: [{id: c1, name: read}]}, results: [{id: c2, content: text}]}
          - {assistant: done}

## Instead

    steps:
      - user: look
        calls:
          - {assistant: {tool_calls: [{id: c1, name: read}]}, results: [{id: c1, content: text}]}
          - {assistant: done}

## Fix

Use the id of the call that the result answers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check
from ..diagnostics import Diagnostic
from ..ir.scenario import CallItem
from ..problem import quote
from ..scenarios import ScenarioContext

CHECK = Check("DCC902", "result-without-call", "error", kind="scenario")


def run(context: ScenarioContext) -> Iterator[Diagnostic]:
    for at, step in enumerate(context.scenario.steps):
        for index, call in enumerate(step.calls):
            ids = _ids(call)
            if ids is None:
                continue
            path = ("steps", at, "calls", index)
            answered: set[str] = set()
            for n, result in enumerate(call.results):
                if result.id not in ids:
                    message = f"no tool call of this reply has the id {quote(result.id)}"
                    help = f"its calls are {', '.join(ids)}" if ids else "add the call under assistant.tool_calls"
                elif result.id in answered:
                    message, help = f"a second result for the tool call {quote(result.id)}", "leave one out"
                else:
                    answered.add(result.id)
                    continue
                yield from context.report(CHECK, (*path, "results", n, "id"), message, help=help)
            for n, name in enumerate(ids):
                if name in ids[:n]:
                    message = f"two tool calls of one reply have the id {quote(name)}"
                    where = (*path, "assistant", "tool_calls", n, "id")
                    yield from context.report(CHECK, where, message, help="rename one")


def _ids(call: CallItem) -> list[str] | None:
    """The ids of a reply's tool calls; None when it has no reply, or one that cannot be read."""
    if "assistant" not in call.model_fields_set:
        return None
    calls = call.assistant.get("tool_calls") if isinstance(call.assistant, dict) else []
    if not isinstance(calls, list) or not all(isinstance(one, dict) for one in calls):
        return None
    return [one["id"] for one in calls if isinstance(one.get("id"), str)]
