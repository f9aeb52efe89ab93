"""Artifacts: the exact content behind an ``artifact://`` address (kernel.md sections 2 and 6, P6)."""

from __future__ import annotations

import re

from .errors import SessionError
from .kernel.content import Content, decode
from .store.interface import Store

#: ``artifact://`` and the first 16 hex digits of a content's SHA-256.
_ADDRESS = re.compile(r"(?:artifact://)?([0-9a-f]{16})")


def read_artifact(store: Store, address: str) -> Content:
    """The content of an address, byte for byte as it was born.

    Raises SessionError: ``bad_address``, ``unknown_artifact``, ``ambiguous_artifact``.
    """
    found = _ADDRESS.fullmatch(address.strip())
    if found is None:
        raise SessionError(
            "bad_address", f"{address!r} is no artifact address", help="expected artifact:// and 16 hex digits"
        )
    digests = store.find(bytes.fromhex(found[1]))
    if not digests:
        raise SessionError("unknown_artifact", f"this session has no artifact {found[1]}")
    if len(digests) > 1:
        raise SessionError("ambiguous_artifact", f"{len(digests)} contents share the address {found[1]}")
    return decode(store.content(digests[0]))
