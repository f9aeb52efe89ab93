"""Compactions that pi recorded: from which message on its later requests held the session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dcc.runtime.hosts.pi_session import read_pi_session
from dcc.runtime.hosts.recording import Compaction

SESSION = {"type": "session", "cwd": "/home/ada/tide"}


def typed(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": "user", "content": text}, **more}


def compactions(folder: Path, *records: dict[str, Any]) -> tuple[Compaction, ...]:
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return read_pi_session(path).compactions


def test_version_1_counts_the_lines_of_the_file(tmp_path: Path) -> None:
    change = {"type": "model_change"}
    cut = {"type": "compaction", "summary": "s", "tokensBefore": 9, "firstKeptEntryIndex": 3}
    # Lines: 0 session, 1 a, 2 model change, 3 b; one message lies before line 3.
    assert compactions(tmp_path, SESSION, typed("a"), change, typed("b"), cut, typed("c")) == (Compaction(2, 1),)


def test_later_versions_name_the_entry(tmp_path: Path) -> None:
    cut = {"type": "compaction", "summary": "s", "firstKeptEntryId": "b", "id": "x", "parentId": "c"}
    records = typed("a", id="a"), typed("b", id="b", parentId="a"), typed("c", id="c", parentId="b"), cut
    assert compactions(tmp_path, SESSION, *records) == (Compaction(3, 1),)


def test_a_place_that_the_file_lacks_is_left_out(tmp_path: Path) -> None:
    cut = {"type": "compaction", "summary": "s", "firstKeptEntryIndex": 99}
    assert compactions(tmp_path, SESSION, typed("a"), cut, {"type": "compaction", "summary": "s"}) == ()
