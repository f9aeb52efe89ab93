"""Redaction: which fields of a JSON result go, and what of the store holds their values (kernel.md section 3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

#: Values shorter than this are dropped where they stand and not looked for elsewhere: they would be everywhere.
SHORTEST: Final = 4

_GONE: Final = object()

Path = tuple[str, ...]


def redacted(text: str, fields: Sequence[str], keep: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The JSON object ``text`` without the named fields, and the values that are nowhere in it any more.

    A field is a name or a dotted path, at any depth; lists on the way do not count. What ``keep`` names stays, also
    inside of what goes. Raises ValueError when ``text`` is no JSON.
    """
    dropped, kept = [_path(field) for field in fields], [_path(field) for field in keep]
    values: list[str] = []
    left = _without((), json.loads(text), False, dropped, kept, values)
    body = json.dumps({} if left is _GONE else left, ensure_ascii=False)
    gone = dict.fromkeys(value for value in values if len(value) >= SHORTEST)
    return body, tuple(value for value in gone if not any(form in body for form in spellings(value)))


def spellings(value: str) -> Iterator[str]:
    """A value as stored content may spell it: bare, in JSON, and in JSON inside of JSON."""
    seen = {value}
    yield value
    for ascii in (False, True):
        form = value
        for _ in range(2):
            form = json.dumps(form, ensure_ascii=ascii)[1:-1]
            if form not in seen:
                seen.add(form)
                yield form


def _path(field: str) -> Path:
    return tuple(part for part in field.strip().split(".") if part)


def _names(path: Path, fields: Iterable[Path]) -> bool:
    return any(field and path[-len(field) :] == field for field in fields)


def _without(path: Path, value: Any, goes: bool, dropped: list[Path], kept: list[Path], values: list[str]) -> Any:
    """A value without what goes of it, or ``_GONE``."""
    if _names(path, kept):
        return value
    goes = goes or _names(path, dropped)
    if isinstance(value, dict):
        inner = {k: _without((*path, k), v, goes, dropped, kept, values) for k, v in value.items()}
        left: Any = {k: v for k, v in inner.items() if v is not _GONE}
    elif isinstance(value, list):
        left = [v for one in value if (v := _without(path, one, goes, dropped, kept, values)) is not _GONE]
    else:
        if goes:
            values.append(value if isinstance(value, str) else json.dumps(value))
        return _GONE if goes else value
    return left if left or not goes else _GONE
