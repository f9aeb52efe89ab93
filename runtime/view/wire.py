"""What may go over the wire: ids, tool names and texts that a provider accepts, from any that a host gave."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from ..kernel.content import Call, Opaque, Part, parse_object, text_of

_LEGAL = re.compile(r"[A-Za-z0-9_-]+")
_ILLEGAL_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")

#: Hex digits that keep a changed id unique.
_HASH_DIGITS = 10
#: Longest tool name, in characters (OpenAI and Anthropic: ``^[a-zA-Z0-9_-]{1,64}$``).
_NAME_LIMIT = 64


def wire_id(id: str, limit: int) -> str:
    """``id`` when it is legal and at most ``limit`` characters, else its legal rest and a short hash of it.

    The hash keeps two ids apart that differ only in what was changed.
    """
    if len(id) <= limit and _LEGAL.fullmatch(id):
        return id
    digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    return f"{_ILLEGAL_CHARACTER.sub('_', id)[: limit - _HASH_DIGITS - 1]}_{digest}"


def wire_name(name: str) -> str:
    """A tool name made legal: blanks around it go, other characters become ``_``; no name at all is ``tool``."""
    return _ILLEGAL_CHARACTER.sub("_", name.strip())[:_NAME_LIMIT] or "tool"


def wire_text(text: str) -> str:
    """``text`` as valid Unicode: surrogate pairs joined, a lone surrogate becomes U+FFFD.

    A request is UTF-8 and UTF-8 has no surrogates; what the ledger stores is not touched.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def wire_arguments(call: Call) -> dict[str, Any]:
    """The arguments of a call as an object; null is none, what else is no JSON object is kept under ``_raw``."""
    if call.arguments.strip() in ("", "null"):
        return {}
    arguments = parse_object(call.arguments)
    if arguments is None:
        return {"_raw": wire_text(call.arguments)}
    # An escape such as "\ud800" is legal JSON and no legal text.
    written = json.dumps(arguments, ensure_ascii=False)
    legal = wire_text(written)
    return arguments if legal is written else dict(json.loads(legal))


def wire_parts_text(parts: tuple[Part, ...]) -> str:
    """The parts as one text, for a place that takes no other; images are named in brackets."""
    return wire_text(text_of(parts))


def provider_part(part: Opaque, types: frozenset[str]) -> dict[str, Any] | None:
    """The provider's own part, when it is of one of ``types``; None when this format cannot take it."""
    value = parse_object(part.data)
    return value if value is not None and value.get("type") in types else None
