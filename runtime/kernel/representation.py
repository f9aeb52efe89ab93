"""Representation: the text that stands for content on stage as ``ref`` or ``stub`` (kernel.md section 2)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

from ...compiler.ops.tool_schema import ARTIFACT_GET
from .content import Call, Content, Image, Opaque, Text, parse_object, text_of
from .tokens import MESSAGE_OVERHEAD, count_tokens

#: Characters from which on a string argument of a retired call is replaced (language.md section 2, retire).
LONG_ARGUMENT = 200

#: Hex digits of a content hash that name an artifact in a request.
ADDRESS_DIGITS = 16

#: The head's share of a preview, in percent; the rest is the tail's (spec/cpat.md section 7: 60 to 20).
_HEAD_SHARE = 75

#: Of the room that a head or a tail has, the part that whole lines must fill; else it ends within a line.
_FILLED = 0.5


#: What stands for a result off stage that a stub with its size would be longer than: the first that is not longer.
_BARE_STUBS = ("[off stage]", "-", "")


def address(digest: str) -> str:
    """The address under which a request names off-loaded content: ``artifact://`` and 16 hex digits."""
    return f"artifact://{digest[:ADDRESS_DIGITS]}"


def stand_in(
    content: Content, how: Literal["ref", "stub"], digest: str, *, note: str = "", preview: int = 0, images: int = 0
) -> str | None:
    """The text that stands for ``content``; None when it would not be shorter in tokens and in characters.

    ``ref`` names the artifact ``digest`` (hex) and may show ``preview`` characters of the text, most of them from the
    head; ``note`` is a text that stands before the address. A note or a preview that would make the ref too long is
    left out. ``images``: the first so many stay beside it (:func:`with_images`), and are no part of what it must be
    shorter than. ``stub`` names no artifact.
    """
    tokens = count_tokens(content)
    if how == "stub":
        candidates = [f"[left out: {tokens} tokens]"]
    else:
        candidates = [ref_text(digest, tokens)]
        if note:
            candidates[:0] = [f"{note}\n{candidates[0]}"]
        if preview > 0:
            candidates[:0] = [f"{candidates[0]}\n{preview_of(text_of(content), preview)}"]
    length = _length(content)
    if kept := _first_images(content, images):
        tokens -= count_tokens(kept) - MESSAGE_OVERHEAD
        length -= _length(kept)
    for text in candidates:
        if len(text) < length and count_tokens(text) < tokens:
            return text
    return None


def ref_text(digest: str, tokens: int, shown: str = "") -> str:
    """The text of a ref: the address of what has so many tokens, and below it what is shown of that."""
    line = f"{address(digest)} ({tokens} tokens)"
    return f"{line}\n{shown}" if shown else line


def with_images(text: str, content: Content, images: int) -> Content:
    """A ref with the first so many images of the content that it stands for."""
    kept = _first_images(content, images)
    return (Text(text), *kept) if kept else text


def off_stage(content: Content) -> str:
    """The text of a result that is off stage while its call is not: a stub that is longer than ``content`` in neither
    tokens nor characters (kernel.md section 6, P4).
    """
    stub = stand_in(content, "stub", "")
    if stub is not None:
        return stub
    tokens, length = count_tokens(content), _length(content)
    return next(text for text in _BARE_STUBS if len(text) <= length and count_tokens(text) <= tokens)


def stand_in_call(call: Call, key_arg: str | None, digest_of: Callable[[str], str]) -> Call:
    """The call with each string argument longer than 200 characters, nested ones too, as its address.

    ``key_arg``: dotted path (inside the arguments) of the argument that is the slot's key and stays.
    ``digest_of`` stores a string and gives its hex digest. The JSON keeps its shape; a call with nothing to
    replace, or whose arguments are no JSON object, comes back as it is.
    """
    arguments = parse_object(call.arguments)
    if arguments is None or len(call.arguments) <= LONG_ARGUMENT:
        return call
    replaced = _replace(arguments, tuple(key_arg.split(".")) if key_arg else None, digest_of)
    if replaced == arguments:
        return call
    text = json.dumps(replaced, ensure_ascii=False, separators=(",", ":"))
    return Call(call.id, call.name, text) if len(text) < len(call.arguments) else call


def _replace(value: Any, key: tuple[str, ...] | None, digest_of: Callable[[str], str]) -> Any:
    """``value`` with long strings replaced; ``key`` is what is left of the key's path, None off that path."""
    if key == ():
        return value
    match value:
        case str() if len(value) > LONG_ARGUMENT:
            return address(digest_of(value))
        case dict():
            return {
                name: _replace(item, key[1:] if key and key[0] == name else None, digest_of)
                for name, item in value.items()
            }
        case list():
            return [
                _replace(item, key[1:] if key and key[0] == str(index) else None, digest_of)
                for index, item in enumerate(value)
            ]
        case _:
            return value


def preview_of(text: str, characters: int) -> str:
    """Head and tail of ``text`` and a line between that says how much is left out; all of a text that is no longer.

    They end and begin at line ends, where these lie near enough.
    """
    head = characters * _HEAD_SHARE // 100
    head_end = text.rfind("\n", 0, head) + 1
    if head_end < _FILLED * head:
        head_end = head
    tail = characters - head_end
    tail_start = _first_line_start(text, max(head_end, len(text) - tail))
    if len(text) - tail_start < _FILLED * tail:
        tail_start = max(head_end, len(text) - tail)
    if tail_start <= head_end:
        return text
    shown, lines, left_out = text[:head_end], text.count("\n", head_end, tail_start), tail_start - head_end
    if shown and not shown.endswith("\n"):
        shown += "\n"
    much = f"{lines} {'line' if lines == 1 else 'lines'}, " if lines else ""
    between = f"[... {much}{left_out} characters left out: {ARTIFACT_GET} reads them ...]"
    return f"{shown}{between}\n{text[tail_start:]}".rstrip("\n")


def _first_line_start(text: str, at: int) -> int:
    """The first place from ``at`` on at which a line starts; the end of the text when none does."""
    if at == 0 or text[at - 1 : at] == "\n":
        return at
    found = text.find("\n", at)
    return found + 1 if found >= 0 else len(text)


def _first_images(content: Content, images: int) -> tuple[Image, ...]:
    return () if isinstance(content, str) else tuple(part for part in content if isinstance(part, Image))[:images]


def _length(content: Content) -> int:
    """Characters that the content itself takes up: what a stand-in must be shorter than."""
    if isinstance(content, str):
        return len(content)
    total = 0
    for part in content:
        match part:
            case Text(body) | Image(_, body) | Opaque(body):
                total += len(body)
            case Call(_, name, arguments):
                total += len(name) + len(arguments)
    return total
