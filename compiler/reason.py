"""Why the system refused something, as messages say it."""

from __future__ import annotations


def reason_of(error: Exception) -> str:
    """Why a file, a folder or a program cannot be used, in words that go behind its name: ``permission denied``."""
    said = error.strerror if isinstance(error, OSError) else None
    return (said or str(error) or "it failed").lower()
