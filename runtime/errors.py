"""Errors of the runtime: a session used wrongly or answered with an error, and a store that fails."""

from __future__ import annotations

from ..grammar.errors import DccError


class SessionError(DccError):
    """What was asked of a session cannot be done; nothing was changed."""


class StoreError(DccError):
    """A ledger that cannot be read or written."""


def purged_content(digest: bytes) -> StoreError:
    """What is said of a content that was deleted (``purged``); ``digest``: 32 bytes."""
    return StoreError("purged", f"the content {digest.hex()[:16]} was purged: a redaction deleted it")


def with_help(message: str, help: str | None) -> str:
    """What is wrong and how to mend it, as the answer to a command."""
    return message if help is None else f"{message} ({help})"
