"""Whether off-loaded content comes back byte for byte from the store (kernel.md section 6, P6)."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from ..artifacts import read_artifact
from ..errors import SessionError, StoreError
from ..kernel.content import Call, Content, encode, parse_object, text_of
from ..store.interface import Store

_ADDRESS = re.compile(r"artifact://[0-9a-f]{16}")


def comes_back(store: Store, recorded: Content, shown: Content) -> bool:
    """Whether what a request showed as ``shown`` leads back to the ``recorded`` content.

    A ref by its address, each argument of a call by its own; a stub has none, and the ledger must hold it.
    """
    try:
        call, reduced = _call(recorded), _call(shown)
        if call is not None and reduced is not None:
            return _same(store, parse_object(call.arguments), parse_object(reduced.arguments))
        address = _ADDRESS.match(text_of(shown))
        if address is not None:
            return encode(read_artifact(store, address[0])) == encode(recorded)
        data = encode(recorded)
        return store.content(hashlib.sha256(data).digest()) == data
    except (SessionError, StoreError):
        return False


def _call(content: Content) -> Call | None:
    parts = () if isinstance(content, str) else content
    return next((part for part in parts if isinstance(part, Call)), None)


def _same(store: Store, recorded: Any, shown: Any) -> bool:
    """Whether two arguments are equal once every address in ``shown`` is read."""
    match recorded, shown:
        case dict(), dict():
            return recorded.keys() == shown.keys() and all(_same(store, recorded[k], shown[k]) for k in recorded)
        case list(), list():
            return len(recorded) == len(shown) and all(_same(store, a, b) for a, b in zip(recorded, shown, strict=True))
        case str(), str() if recorded != shown and _ADDRESS.fullmatch(shown):
            return read_artifact(store, shown) == recorded
        case _:
            return bool(recorded == shown)
