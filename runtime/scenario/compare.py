"""Compares what was played with what was expected (contracts.md): lists exactly, maps on the keys given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...compiler.problem import KeyPath
from .document import call_document, step_document
from .model import Expect, Scenario, Step
from .played import Played, PlayedCall, PlayedStep

#: In place of a value that is not there at all.
ABSENT = "(nothing)"


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
        for step, done in zip(scenario.steps, played.steps, strict=True)
        for difference in _step_differences(step, done)
    )


def _step_differences(step: Step, done: PlayedStep) -> Iterator[Difference]:
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
        yield from _differences(step.expect, fields, done.title)


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


def matches(expected: Any, got: Any) -> bool:
    """Whether ``got`` is what ``expected`` says.

    A text stands for a mapping by its ``slot`` or ``code``; a mapping asks for the keys that it gives.
    """
    if isinstance(expected, Mapping):
        return isinstance(got, Mapping) and all(
            key in got and matches(value, got[key]) for key, value in expected.items()
        )
    if isinstance(expected, list | tuple):
        return (
            isinstance(got, list | tuple)
            and len(expected) == len(got)
            and all(matches(one, other) for one, other in zip(expected, got, strict=True))
        )
    if isinstance(expected, str) and isinstance(got, Mapping):
        return bool(expected == _short(got))
    return isinstance(expected, bool) == isinstance(got, bool) and bool(expected == got)


def _short(value: Any) -> Any:
    """The text that stands for a mapping in an expectation, or the value itself."""
    if isinstance(value, Mapping):
        return value.get("slot", value.get("code", value.get("element", dict(value))))
    return value


def _like(expected: Any, got: Any) -> Any:
    """``got`` in the form in which ``expected`` is written, so that the two can be read side by side."""
    if isinstance(expected, list) and isinstance(got, list) and not any(isinstance(x, dict) for x in expected):
        return [_short(item) for item in got]
    return got


def _lists(ranges: Mapping[str, Any]) -> dict[str, Any]:
    return {slot: [list(segment) for segment in segments] for slot, segments in ranges.items()}
