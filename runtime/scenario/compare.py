"""Compares what was played with what was expected (contracts.md): lists whole, maps on the keys given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...compiler.problem import KeyPath
from ..kernel.content import parse_object
from .document import call_document, step_document
from .matching import matches, short
from .model import Expect, Scenario, Step
from .played import Played, PlayedCall, PlayedStep

#: In place of a value that is not there at all.
ABSENT = "(nothing)"

#: The expectation that the state is the same as after an earlier step.
SAME_HASH = "same_hash_as"


@dataclass(frozen=True, slots=True)
class Difference:
    """An expectation that does not hold: its place in the file, the step, what was expected and got."""

    path: KeyPath
    title: str
    expected: Any
    got: Any


def compare(scenario: Scenario, played: Played) -> tuple[Difference, ...]:
    """Every expectation of ``scenario`` that ``played`` does not meet, in file order."""
    return tuple(
        difference
        for number, (step, done) in enumerate(zip(scenario.steps, played.steps, strict=True))
        for difference in _step_differences(step, done, _hashes(scenario, played, number))
    )


def _hashes(scenario: Scenario, played: Played, before: int) -> dict[int | str, str]:
    """The state hashes after the steps before a step, by number (from 1) and by name."""
    found: dict[int | str, str] = {}
    if (expect := scenario.steps[before].expect) is not None and SAME_HASH in expect.fields:
        for number, (step, done) in enumerate(zip(scenario.steps[:before], played.steps, strict=False), 1):
            found[number] = done.state_hash
            if step.name is not None:
                found[step.name] = done.state_hash
    return found


def _step_differences(step: Step, done: PlayedStep, hashes: Mapping[int | str, str]) -> Iterator[Difference]:
    # An item that holds results only is no call of its own.
    written = [item for item in step.calls if item.answers]
    for index, item in enumerate(written):
        if item.expect is None:
            continue
        title = f"{done.title} · call {index + 1}"
        if index >= len(done.calls):
            yield Difference(item.expect.path, title, "a call", "no call was made")
        else:
            yield from _differences(item.expect, _call_fields(done.calls[index]), title)
    if step.expect is not None:
        fields = step_document(done) | (_call_fields(done.calls[-1]) if done.calls else {})
        fields["ranges"] = _lists(done.ranges)
        fields[SAME_HASH] = _same(step.expect.fields.get(SAME_HASH), done, hashes)
        yield from _differences(step.expect, fields, done.title)


def _same(wanted: Any, done: PlayedStep, hashes: Mapping[int | str, str]) -> int | str:
    """The step after which the state was the same: the one that is wanted if it was, else any."""
    same = [name for name, hash in hashes.items() if hash == done.state_hash]
    return wanted if wanted in same else same[0] if same else ABSENT


def _call_fields(call: PlayedCall) -> dict[str, Any]:
    fields = call_document(call, with_system=True)
    fields["texts"] = [[message["role"], text_of_message(message)] for message in fields["messages"]]
    return fields


def text_of_message(message: Mapping[str, Any]) -> str:
    """What a person would read of a rendered message of any format: its text parts, joined by newlines."""
    content = message.get("content")
    if not isinstance(content, list):
        return content or ""
    parts = (part.get("text", part.get("content")) for part in content if isinstance(part, Mapping))
    return "\n".join(part for part in parts if isinstance(part, str))


def _differences(expect: Expect, got: Mapping[str, Any], title: str) -> Iterator[Difference]:
    for name, expected in expect.fields.items():
        value = got.get(name, ABSENT)
        if name == "results" and isinstance(expected, Mapping):
            value = {result["id"]: _answered(result) for result in value}
        if name == "breaks" and not isinstance(expected, list):
            value = len(value)
        if name == "notices":
            missing = [notice for notice in expected if not any(matches(notice, one) for one in value)]
            if missing:
                yield Difference((*expect.path, name), title, missing, [one["code"] for one in value])
        elif isinstance(expected, Mapping) and isinstance(value, Mapping):
            for key, inner in expected.items():
                if not matches(inner, value.get(key, ABSENT)):
                    yield Difference((*expect.path, name, key), title, inner, value.get(key, ABSENT))
        elif not matches(expected, value):
            yield Difference((*expect.path, name), title, expected, _like(expected, value))


def _answered(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result of a tool call with what its text says, where that is a JSON object: the outcome of operations."""
    return (parse_object(result.get("content") or "") or {}) | dict(result)


def _like(expected: Any, got: Any) -> Any:
    """``got`` in the form in which ``expected`` is written, so that the two can be read side by side."""
    if isinstance(expected, list) and isinstance(got, list) and not any(isinstance(x, dict) for x in expected):
        return [short(item) for item in got]
    return got


def _lists(ranges: Mapping[str, Any]) -> dict[str, Any]:
    return {slot: [list(segment) for segment in segments] for slot, segments in ranges.items()}
