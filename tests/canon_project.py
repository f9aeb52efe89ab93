"""A small project with a store, as the gates of canon use it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.options import read_options
from dcc.runtime.memory.reply import Reply
from dcc.runtime.memory.store.store import Store

#: The date of the clock's start.
TODAY = "2025-01-01"


class Project:
    """A folder with `src/core/config.ts` and `src/core/other.ts`, and canon opened in it."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.clock = ManualClock()
        for name in ("src/core/config.ts", "src/core/other.ts"):
            self.asset(name)
        self.canon = Canon(str(folder), read_options(options), clock=self.clock)

    @property
    def root(self) -> Path:
        """The folder of the store."""
        return self.folder / ".canon"

    @property
    def store(self) -> Store:
        """The project's store."""
        return self.canon.mounts.project.store

    def asset(self, name: str) -> None:
        """Make an empty file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def file(self, address: str) -> Path:
        """The file of an article."""
        return self.root / "articles" / f"{address}.md"

    def put(self, address: str, text: str) -> None:
        """Make an article by hand; the session has not seen it."""
        path = self.file(address)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def schema(self, value: Mapping[str, Any] | str) -> None:
        """Write the schema."""
        self.root.mkdir(exist_ok=True)
        (self.root / "schema.json").write_text(value if isinstance(value, str) else json.dumps(value))

    def call(self, action: str, path: str | None = None, **arguments: Any) -> Reply:
        """Call the tool."""
        given = {} if path is None else {"path": path}
        return self.canon.call({"action": action, **given, **arguments})

    def write(self, path: str, **arguments: Any) -> Reply:
        """Write an article; whatever happens, it must land."""
        reply = self.call("write", path, **arguments)
        assert reply.code in ("wrote", "current"), reply
        return reply


def advice(reply: Reply) -> list[str]:
    """The names of the advice that a write came with."""
    return [one["name"] for one in reply.data["advice"]]


def broken(reply: Reply) -> list[tuple[str, str]]:
    """The rules of the schema that a write broke: carrier and rule."""
    return [(one["carrier"], one["rule"]) for one in reply.data["violations"]]
