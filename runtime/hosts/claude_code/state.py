"""What a hook remembers between its processes: what was shown in the session, and what is owed (specification, 8)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

VERSION: Final = 2

#: What is raised where a file holds no state.
UNREADABLE: Final = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


@dataclass(slots=True)
class State:
    """``seen``: addresses that were shown. ``pending``: by address the version that was there when its asset changed.

    None: it is not known which (state of version 1).
    """

    seen: list[str] = field(default_factory=list)
    pending: dict[str, str | None] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The state as its file holds it."""
        pending = [{"path": path, "fingerprint": base} for path, base in self.pending.items()]
        return {"version": VERSION, "seen": self.seen, "pending": pending}

    @classmethod
    def from_json(cls, data: Any) -> State:
        """The state that a file holds. Raises what ``UNREADABLE`` names for what is none."""
        pending: dict[str, str | None] = {}
        for one in data.get("pending", ()):
            if isinstance(one, str):
                pending[one] = None
            else:
                pending[str(one["path"])] = one.get("fingerprint")
        return cls([str(one) for one in data.get("seen", ())], pending)


def state_file(caller: str, session: str, cwd: str, environ: Mapping[str, str]) -> str:
    """The file of a session's state: in the folder that the host gives to its plugin, else in the user's cache."""
    named = environ.get("PLUGIN_DATA") or environ.get("CLAUDE_PLUGIN_DATA")
    cache = environ.get("XDG_CACHE_HOME", "")
    home = environ.get("HOME") or os.path.expanduser("~")
    folder = named or os.path.join(cache if cache.startswith("/") else os.path.join(home, ".cache"), "dcc", "canon")
    digest = hashlib.sha256(f"{caller}\0{session}\0{cwd}".encode("utf-8", "surrogatepass")).hexdigest()
    return os.path.join(folder, "sessions", f"{digest}.json")


def read_state(path: str) -> State:
    """The state in a file; a new one when there is none, or none that can be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return State.from_json(json.load(file))
    except UNREADABLE:
        return State()
