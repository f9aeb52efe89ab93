"""Redaction: which fields of a JSON result go, and what of the store holds their values (kernel.md section 3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..kernel.containing import Finder

#: Values shorter than this are dropped where they stand and not looked for elsewhere: they would be everywhere.
SHORTEST: Final = 4

_GONE: Final = object()

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Redacted:
    """What a redaction leaves of a JSON object: its ``text``, None when no field was there to delete.

    ``values``: what was deleted and is nowhere in it any more. ``elsewhere``: the other fields that hold a deleted
    value too, in their names or as theirs, as dotted paths; what ``keep`` named is none of them. ``fields``: the names
    at the top of the object.
    """

    text: str | None
    values: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


def redacted(text: str, fields: Sequence[str], keep: Sequence[str]) -> Redacted:
    """The JSON object ``text`` without the named fields.

    A field is a name or a dotted path, at any depth; lists on the way do not count, and a name may hold dots of its
    own. What ``keep`` names stays, also inside of what goes. true, false, null and what is shorter than ``SHORTEST``
    are no values to look for; blanks around a value are none of it. Raises ValueError when ``text`` is no JSON.
    """
    dropped, kept = [_path(field) for field in fields], [_path(field) for field in keep]
    values: list[str] = []
    whole = json.loads(text)
    left = _without((), whole, False, dropped, kept, values)
    if left is _GONE:
        left = {}
    if left == whole:
        return Redacted(None, fields=tuple(whole))
    body = json.dumps(left, ensure_ascii=False)
    gone = tuple(dict.fromkeys(value for value in map(str.strip, values) if len(value) >= SHORTEST))
    elsewhere = tuple(dict.fromkeys(_holding((), left, kept, Finder(gone))))
    return Redacted(body, tuple(value for value in gone if not Finder((value,)).occurs(body)), elsewhere)


def _path(field: str) -> str:
    return ".".join(part for part in field.strip().split(".") if part)


def _names(path: Path, fields: Iterable[str]) -> bool:
    whole = "." + ".".join(path)
    return any(field and whole.endswith("." + field) for field in fields)


def _holding(path: Path, value: Any, kept: Sequence[str], gone: Finder) -> Iterator[str]:
    """The fields that hold one of the values that go, but for those that are to be kept."""
    if _names(path, kept):
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if gone.occurs(key) and not _names((*path, key), kept):
                yield ".".join((*path, key))
            yield from _holding((*path, key), inner, kept, gone)
    elif isinstance(value, list):
        for inner in value:
            yield from _holding(path, inner, kept, gone)
    else:
        said = value if isinstance(value, str) else json.dumps(value)
        if gone.occurs(said):
            yield ".".join(path)


def _without(path: Path, value: Any, goes: bool, dropped: Sequence[str], kept: Sequence[str], values: list[str]) -> Any:
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
        if goes and value is not None and not isinstance(value, bool):
            values.append(value if isinstance(value, str) else json.dumps(value))
        return _GONE if goes else value
    return left if left or not goes else _GONE
