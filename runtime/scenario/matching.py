"""Whether a value is what an expectation says it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def matches(expected: Any, got: Any) -> bool:
    """Whether ``got`` is what ``expected`` says.

    A text stands for a mapping by its ``slot``, ``code`` or ``rule``; a mapping asks for the keys that it gives. Of a
    text it asks what it ``contains`` and ``lacks`` (one text or several), of a number ``at_least`` and ``at_most``.
    """
    if _asks(expected, _TEXT) and isinstance(got, str):
        return all(_TEXT[key](got, part) for key, value in expected.items() for part in _several(value))
    if _asks(expected, NUMBERS) and _is_number(got):
        return all(NUMBERS[key](got, value) for key, value in expected.items())
    if isinstance(expected, Mapping) and not _TEXT.keys().isdisjoint(expected) and isinstance(got, Mapping):
        said = {key: value for key, value in expected.items() if key in _TEXT}
        rest = {key: value for key, value in expected.items() if key not in _TEXT}
        return matches(said, got.get("content")) and matches(rest, got)
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
        return bool(expected == short(got))
    return isinstance(expected, bool) == isinstance(got, bool) and bool(expected == got)


def short(value: Any) -> Any:
    """The text that stands for a mapping in an expectation, or the value itself."""
    if isinstance(value, Mapping):
        for key in ("slot", "code", "rule", "element"):
            if key in value:
                return value[key]
        return dict(value)
    return value


#: What an expectation may ask of a text and of a number.
_TEXT: Mapping[str, Callable[[str, str], bool]] = {
    "contains": lambda text, part: part in text,
    "lacks": lambda text, part: part not in text,
}
NUMBERS: Mapping[str, Callable[[float, float], bool]] = {
    "at_least": lambda number, bound: number >= bound,
    "at_most": lambda number, bound: number <= bound,
}


def _asks(expected: Any, questions: Mapping[str, Any]) -> bool:
    """Whether an expectation is made of such questions alone."""
    return isinstance(expected, Mapping) and bool(expected) and expected.keys() <= questions.keys()


def _several(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
