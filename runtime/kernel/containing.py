"""Containing: whether a text occurs in a content, also where the content is JSON and has it escaped. Pure."""

from __future__ import annotations

import json

from .content import Call, Image, Opaque, Text, decode

#: How deep JSON may lie in JSON: a file's text in a result, in a call's arguments.
_LEVELS = 3


def contains(data: bytes, value: str) -> bool:
    """Whether ``value`` occurs in an encoded content: in its texts, its calls (id, name, arguments) or its data."""
    content = decode(data)
    texts = [content] if isinstance(content, str) else [text for part in content for text in _texts(part)]
    return any(spelling in text for spelling in spellings(value) for text in texts)


def spellings(value: str) -> frozenset[str]:
    """A text as it is, and as JSON writes it, once or several times over."""
    found = newest = {value}
    for _ in range(_LEVELS):
        newest = {json.dumps(text, ensure_ascii=ascii)[1:-1] for text in newest for ascii in (True, False)}
        found = found | newest
    return frozenset(found)


def _texts(part: Text | Image | Opaque | Call) -> tuple[str, ...]:
    match part:
        case Text(text):
            return (text,)
        case Image(media_type, data):
            return (media_type, data)
        case Opaque(data):
            return (data,)
        case Call(id, name, arguments):
            return (id, name, arguments)
