"""Reading a session that Claude Code recorded: JSONL, one record for each part of a message (contracts.md).

Records name the one before (``parentUuid``): the session is the path from the root to the last record. The records of
one reply have the same message id and are one call; results of parallel calls hang beside the path and belong to it.
What subagents said (``isSidechain``) is another conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..message_list import content_of, message_items
from ..recording import Entry, Header, Item, Note, Recording, Skipped, gather
from ..session_file import Damaged, Record, read_records

_TALK = frozenset({"user", "assistant"})

#: Records of the host's own state: they never reach a model.
_HOST_STATE = frozenset({"summary", "system", "file-history-snapshot", "queue-operation", "progress", "attachment"})


def read_claude_code_session(path: Path | str) -> Recording:
    """The recorded session in the file ``path``, whole. Raises SessionFileError for a file that cannot be read."""
    return gather(Path(path), _items(Path(path)))


def _items(path: Path) -> Iterator[Item]:
    records: list[Record] = []
    damaged: list[int] = []
    for record in read_records(path):
        if not isinstance(record, Damaged):
            records.append(record)
        elif record.torn:
            yield Note("torn_line", f"the last line ({record.line}) is torn: it is left out")
        else:
            damaged.append(record.line)
    if damaged:
        yield Note("damaged_lines", f"lines that hold no JSON object are left out: {', '.join(map(str, damaged[:10]))}")
    skipped: Counter[tuple[str, bool]] = Counter()
    names: dict[str, str] = {}
    for record in _whole_replies(list(_on_path(records, skipped))):
        for item in _of_record(record, names):
            if isinstance(item, Skipped):
                skipped[item.type, item.unknown] += item.count
            else:
                yield item
    for (type, unknown), count in skipped.items():
        yield Skipped(type, count, unknown)


def _on_path(records: Sequence[Record], skipped: Counter[tuple[str, bool]]) -> Iterator[Record]:
    """The records of the conversation in order; the others are counted."""
    talk: list[Record] = []
    for record in records:
        type = record.get("type")
        if record.get("isSidechain") is True:
            skipped["record of a subagent", False] += 1
        elif type in _TALK:
            talk.append(record)
        else:
            skipped[str(type), type not in _HOST_STATE] += 1
    path = _path(records, talk)
    by_id = {record["uuid"]: record for record in talk if _has_id(record)}
    replies = {id for record in talk if record.get("uuid") in path and (id := _reply_id(record)) is not None}
    for record in talk:
        asked = by_id.get(record.get("parentUuid"), {}) if _is_result(record) else record
        if record.get("uuid") in path or _reply_id(asked) in replies:
            yield record
        else:
            skipped["record of another branch", False] += 1


def _path(records: Sequence[Record], talk: Sequence[Record]) -> set[str]:
    """Ids of the records from the root to the last one of the conversation; past a compaction by its logical parent."""
    parents = {r["uuid"]: r.get("parentUuid") or r.get("logicalParentUuid") for r in records if _has_id(r)}
    found: set[str] = set()
    at = next((record["uuid"] for record in reversed(talk) if _has_id(record)), None)
    while isinstance(at, str) and at in parents and at not in found:
        found.add(at)
        at = parents[at]
    return found


def _has_id(record: Record) -> bool:
    return isinstance(record.get("uuid"), str)


def _is_result(record: Record) -> bool:
    return any(part.get("type") == "tool_result" for part in _parts(record))


def _reply_id(record: Record) -> str | None:
    match record:
        case {"type": "assistant", "message": {"id": str(id)}}:
            return id
        case _:
            return None


def _parts(record: Record) -> list[dict[str, Any]]:
    match record:
        case {"message": {"content": list(parts)}}:
            return [part for part in parts if isinstance(part, dict)]
        case {"message": {"content": str(text)}}:
            return [{"type": "text", "text": text}]
        case _:
            return []


def _whole_replies(records: Sequence[Record]) -> Iterator[Record]:
    """The records with those of one reply as one, where the first stands; the last one knows the usage of all."""
    later: dict[str, list[Record]] = {}
    for record in records:
        if (id := _reply_id(record)) is not None:
            later.setdefault(id, []).append(record)
    for record in records:
        id = _reply_id(record)
        if id is None:
            yield record
        elif parts := later.pop(id, []):
            message = {**parts[-1]["message"], "content": [part for one in parts for part in _parts(one)]}
            yield {**record, "message": message}


def _of_record(record: Record, names: dict[str, str]) -> Iterator[Item]:
    if isinstance(cwd := record.get("cwd"), str):
        yield Header(cwd, 1)
    message = record.get("message")
    if record.get("isCompactSummary") is True:
        yield Note("compaction", "a recorded compaction is left out")
    elif record.get("isMeta") is True and isinstance(message, dict):
        yield Entry("user", "custom_message", content_of(message.get("content")))
    else:
        yield from message_items(message, names)
