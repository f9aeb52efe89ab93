"""Content: what a slot holds. A string, or parts; never changed after birth, stored by hash."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = [
    "Call", "Content", "Image", "Opaque", "Part", "Text", "Thought",
    "Unusable", "content_hash", "decode", "encode", "parse_object", "require_object", "signed_thought", "simplest",
    "text_of", "thought_of",
]  # fmt: skip


#: Levels of nesting up to which JSON is read as an object; Python's own JSON writer gives up near 1,000.
DEEPEST = 200


class Unusable(ValueError):
    """A text that holds no JSON object that can be sent on. ``what`` is wrong with the arguments, ``help`` mends it."""

    def __init__(self, what: str, help: str) -> None:
        super().__init__(what)
        self.what = what
        self.help = help


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """An image: its media type (``image/png``) and its bytes in base64."""

    media_type: str
    data: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A provider's own part (signed thinking, a document) as JSON text, kept byte for byte."""

    data: str


@dataclass(frozen=True, slots=True, init=False)
class Call:
    """One tool call. ``arguments`` is JSON text, byte-exact as received.

    A mapping given as ``arguments`` becomes compact JSON in its own key order.
    """

    id: str
    name: str
    arguments: str

    def __init__(self, id: str, name: str, arguments: str | Mapping[str, object]) -> None:
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "name", name)
        text = arguments if isinstance(arguments, str) else _compact(arguments)
        object.__setattr__(self, "arguments", text)


Part = Text | Image | Opaque | Call
Content = str | tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Thought:
    """What an opaque thinking part says: its readable text (empty when redacted) and its signature."""

    text: str
    signature: str
    redacted: bool = False


def encode(content: Content) -> bytes:
    """The bytes that are stored and hashed. One byte tells a string from parts; ``decode`` is the inverse.

    Lone surrogates survive (``surrogatepass``): a file name or a torn emoji must not lose a slot.
    """
    if isinstance(content, str):
        return b"s" + content.encode("utf-8", "surrogatepass")
    return b"p" + _compact([_row(part) for part in content]).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> Content:
    """The content that ``encode`` turned into ``data``.

    Raises ValueError when ``data`` was not made by ``encode``.
    """
    body = data[1:].decode("utf-8", "surrogatepass")
    match data[:1]:
        case b"s":
            return body
        case b"p":
            return tuple(_part(row) for row in json.loads(body))
        case tag:
            raise ValueError(f"content starts with {tag!r}; expected b's' (a string) or b'p' (parts)")


def content_hash(content: Content) -> str:
    """Hex SHA-256 of ``encode(content)``: its name in the artifact table (kernel.md section 3)."""
    return hashlib.sha256(encode(content)).hexdigest()


def simplest(parts: Sequence[Part]) -> Content:
    """Parts as the simplest content that says the same: no part is an empty string, one text that text."""
    match parts:
        case []:
            return ""
        case [Text(text)]:
            return text
        case _:
            return tuple(parts)


def text_of(content: Content) -> str:
    """Plain text for people and for search: parts one under the other, what is not text named in brackets."""
    if isinstance(content, str):
        return content
    return "\n".join(_plain(part) for part in content)


def parse_object(text: str) -> dict[str, Any] | None:
    """The JSON object that ``text`` holds; None when it is none, or none that can be sent on.

    NaN and numbers out of range are no JSON; nesting deeper than ``DEEPEST`` levels breaks writers.
    """
    try:
        return require_object(text)
    except Unusable:
        return None


def require_object(text: str) -> dict[str, Any]:
    """The JSON object that ``text`` holds (see ``parse_object``). Raises Unusable."""
    try:
        value = json.loads(text, parse_float=_finite, parse_int=_whole, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        where = "end too early" if error.pos >= len(text.rstrip()) else f"are no JSON at character {error.pos + 1}"
        raise Unusable(f"{where}: {error.msg[:1].lower()}{error.msg[1:]}", "send the call again, whole") from None
    except RecursionError:
        raise _deep() from None
    if not isinstance(value, dict):
        raise Unusable("are no JSON object", 'send each by its name: {"name": value}')
    if _too_deep(value):
        raise _deep()
    return value


def signed_thought(text: str, signature: str) -> Opaque:
    """A thinking part with the provider's signature, in the shape in which ``thought_of`` reads it back."""
    return Opaque(_compact({"type": "thinking", "thinking": text, "signature": signature}))


def thought_of(part: Opaque) -> Thought | None:
    """What a thinking or redacted_thinking part says; None for any other opaque part."""
    match parse_object(part.data):
        case {"type": "thinking", "thinking": str(text), "signature": str(signature)}:
            return Thought(text, signature)
        case {"type": "thinking", "thinking": str(text), "thinkingSignature": str(signature)}:
            return Thought(text, signature)
        case {"type": "redacted_thinking", "data": str(data)}:
            return Thought("", data, redacted=True)
        case _:
            return None


def _plain(part: Part) -> str:
    match part:
        case Text(text):
            return text
        case Image(media_type):
            return f"[{media_type}]"
        case Call(_, name, arguments):
            return f"{name} {arguments}"
        case Opaque(data):
            thought = thought_of(part)
            if thought is not None:
                return thought.text
            return f"[{(parse_object(data) or {}).get('type', 'opaque')}]"


def _row(part: Part) -> list[str]:
    match part:
        case Text(text):
            return ["text", text]
        case Image(media_type, data):
            return ["image", media_type, data]
        case Opaque(data):
            return ["opaque", data]
        case Call(id, name, arguments):
            return ["call", id, name, arguments]


def _part(row: list[str]) -> Part:
    match row:
        case ["text", text]:
            return Text(text)
        case ["image", media_type, data]:
            return Image(media_type, data)
        case ["opaque", data]:
            return Opaque(data)
        case ["call", id, name, arguments]:
            return Call(id, name, arguments)
        case _:
            raise ValueError(f"unknown part {row[:1]}; expected text, image, opaque or call")


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _deep() -> Unusable:
    return Unusable(f"are nested deeper than {DEEPEST} levels", "send them flatter, or what is deep as a text")


def _finite(literal: str) -> float:
    number = float(literal)
    if math.isinf(number):
        raise _out_of_range(literal)
    return number


def _whole(literal: str) -> int:
    try:
        return int(literal)
    except ValueError:  # Python reads no number with so many digits (sys.set_int_max_str_digits).
        raise _out_of_range(literal) from None


def _out_of_range(literal: str) -> Unusable:
    shown = literal if len(literal) <= 40 else f"{literal[:20]}… with {len(literal):,} characters"
    return Unusable(f"hold the number {shown}, which is out of range", "send a smaller one, or send it as a text")


def _too_deep(value: object) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [item for container in level for item in _items(container)]
        if not level:
            return False
    return True


def _items(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _refuse(literal: str) -> NoReturn:
    raise Unusable(f"hold {literal}, which is no number in JSON", "send null, or a text, in its place")
