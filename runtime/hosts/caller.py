"""Which program calls, and in which of its sessions: told by the environment (specification of canon, section 12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: Variables that name the session, and the caller that each is a sign of (None: of none).
_SESSIONS: Final = (
    ("DCC_CANON_SESSION_ID", None),
    ("PI_CANON_SESSION_ID", None),
    ("CODEX_THREAD_ID", "codex"),
    ("CLAUDE_CODE_SESSION_ID", "claude-code"),
)


def caller_of(environ: Mapping[str, str], otherwise: str) -> str:
    """The program that calls: as it is named, else told by the variables that it sets, else ``otherwise``."""
    named = environ.get("DCC_CANON_CALLER") or environ.get("PI_CANON_CALLER")
    signs = (caller for name, caller in _SESSIONS if caller is not None and environ.get(name))
    return named or next(signs, otherwise)


def session_of(environ: Mapping[str, str]) -> str:
    """The id of its session; empty when nothing tells."""
    return next((environ[name] for name, _ in _SESSIONS if environ.get(name)), "")
