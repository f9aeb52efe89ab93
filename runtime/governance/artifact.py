"""``artifact_get``: a look at stored content, whole or in parts. It changes nothing, and it never fails otherwise
than by saying why (spec/cpat.md section 2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from ...compiler.ops.tool_schema import MAX_CHARS
from ...grammar.linear import compiled
from ..errors import SessionError, StoreError, purged_content
from ..kernel.content import Content, Image, Text, Unusable, decode, require_object, text_of
from ..kernel.ledger import Ledger
from ..recorder import Recorder
from .wire import clean_id, whole

#: In the place of an address: every slot that an operation may name.
MANIFEST: Final = "manifest"

#: Characters of one answer at most.
MOST_CHARS: Final = 200_000

#: Images of one answer at most: each may cost as much as some thousand characters.
MOST_IMAGES: Final = 8

#: An address alone or in the stand-in that names it (kernel.md section 2).
_ADDRESS = re.compile(r"artifact://([0-9a-f]{16})(?![0-9a-f])")
_BARE = re.compile(r"[0-9a-f]{16}")


class Look(NamedTuple):
    """What a look gives: a part of a text, whether that is an error, and the images that stand in the part."""

    text: str
    is_error: bool = False
    images: tuple[Image, ...] = ()

    @property
    def content(self) -> Content:
        """All of it, as the result of a tool."""
        return (Text(self.text), *self.images) if self.images else self.text


def artifact_get(
    recorder: Recorder,
    uri: str,
    max_chars: int,
    offset: int,
    grep: str | None,
    manifest: Callable[[], str],
) -> Look:
    """A look at what is behind an address or at a slot; ``manifest`` stands for the whole manifest.

    ``max_chars`` characters from ``offset`` on, with the images whose names stand in them; ``grep``: only the lines
    that hold what an RE2 pattern describes (a text that is no pattern is looked for as it is), with their numbers.
    """
    try:
        asked = clean_id(uri) == MANIFEST
        content = manifest() if asked else decode(recorder.content(_digest(recorder, uri)))
    except SessionError as error:
        return Look(f"{error.message} ({error.help})" if error.help else error.message, True)
    except StoreError as error:
        lost = "was deleted by a redaction" if error.code == "purged" else "is lost"
        return Look(f"the content of {uri.strip()[:80]} {lost}", True)
    text, offset = text_of(content), max(0, offset)
    end = offset + max(1, min(max_chars, MOST_CHARS))
    if grep:
        return Look(_window(_matching(text, grep), end - offset, offset))
    images = [(at, image) for at, image in _images_of(content) if offset <= at < end]
    if len(images) > MOST_IMAGES:
        end = images[MOST_IMAGES][0]
    return Look(_window(text, end - offset, offset), images=tuple(image for _, image in images[:MOST_IMAGES]))


def serve_artifact(recorder: Recorder, arguments: str, manifest: Callable[[], str]) -> Look:
    """The answer to a tool call with these arguments (JSON text)."""
    try:
        fields: dict[str, Any] = require_object(arguments)
    except Unusable as fault:
        return Look(f"the arguments {fault.what} ({fault.help})", True)
    uri, grep = fields.get("uri"), fields.get("grep")
    if not isinstance(uri, str) or not uri.strip():
        return Look('artifact_get needs an address: {"uri": "artifact://…"}', True)
    numbers = {"max_chars": MAX_CHARS, "offset": 0}
    for name in numbers:
        number = whole(fields[name]) if fields.get(name) is not None else numbers[name]
        if number is None:
            return Look(f"{name} must be a whole number; left out it is {numbers[name]:,}", True)
        numbers[name] = number
    if grep is not None and not isinstance(grep, str):
        return Look("grep must be a text: a pattern that the lines to show match", True)
    return artifact_get(recorder, uri, numbers["max_chars"], numbers["offset"], grep, manifest)


def _images_of(content: Content) -> Iterator[tuple[int, Image]]:
    """The images of a content, each with the place of its name in the text."""
    at = 0
    for part in () if isinstance(content, str) else content:
        if isinstance(part, Image):
            yield at, part
        at += len(text_of((part,))) + 1


def _digest(recorder: Recorder, uri: str) -> bytes:
    """The digest that is meant. Raises SessionError, StoreError (``purged``)."""
    found = _ADDRESS.search(uri)
    name = clean_id(uri)
    if found is None and "://" in uri:
        raise SessionError(
            "bad_address", f"{uri.strip()[:80]!r} is no artifact address", help="expected artifact:// and 16 hex digits"
        )
    slot = _slot_named(recorder.ledger, name) if found is None else None
    if slot is not None:
        return slot
    if found is None and not _BARE.fullmatch(name):
        raise SessionError(
            "bad_address", f"{name[:80]!r} is no artifact address and no slot",
            help="expected artifact:// and 16 hex digits, or the id of a slot",
        )  # fmt: skip
    prefix = found[1] if found is not None else name
    digests = recorder.store.find(bytes.fromhex(prefix))
    if not digests:
        help = 'artifact_get {"uri": "manifest"} lists every slot'
        raise SessionError("unknown_artifact", f"this session has no artifact {prefix}", help=help)
    if len(digests) > 1:
        message = f"{len(digests)} contents share the address {prefix}"
        raise SessionError("ambiguous_artifact", message, help="name the slot that it stands for")
    return digests[0]


def _slot_named(ledger: Ledger, name: str) -> bytes | None:
    """The digest of a slot; None: there is none. Raises StoreError (``purged``), be its bytes another slot's by now."""
    slot = ledger.slots.get(name)
    if slot is not None and slot.is_purged:
        raise purged_content(slot.digest)
    return slot.digest if slot is not None else None


def _matching(text: str, grep: str) -> str:
    """The lines in which a pattern, or the text itself, is found."""
    import re2

    readable = text.encode("utf-8", "replace").decode("utf-8")
    lines = enumerate(readable.split("\n"), 1)
    try:
        pattern = compiled(grep)
        found = [f"{n}: {line}" for n, line in lines if pattern.search(line) is not None]
    except re2.error:
        found = [f"{n}: {line}" for n, line in lines if grep in line]
    return "\n".join(found) if found else f"no line holds {grep!r}"


def _window(text: str, max_chars: int, offset: int) -> str:
    """A part of a text, and what is left of it."""
    if offset >= len(text) > 0:
        return f"[nothing from {offset} on: there are {len(text)} characters]"
    end = min(len(text), offset + max_chars)
    part = text[offset:end]
    if end == len(text):
        return part
    return f"{part}\n[{len(text) - end} of {len(text)} characters left: offset {end} goes on]"
