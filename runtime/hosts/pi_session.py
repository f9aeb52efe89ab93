"""Reading a session that pi recorded (contracts.md, ``dcc replay``).

Version 1 files are linear. Later versions give entries ``id`` and ``parentId``: the session is then the path
from the root to the last entry, and what lies on other branches is left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..kernel.content import Call, Content, Image, Opaque, Part, Text, signed_thought, simplest
from .recording import (
    Compaction,
    Entry,
    Header,
    Item,
    Note,
    Recording,
    Reply,
    Skipped,
    Step,
    ToolResult,
    Turn,
    Usage,
    UserMessage,
    gather,
)
from .session_file import Damaged, Record, SessionFileError, read_records

__all__ = [
    "Compaction", "Entry", "Header", "Item", "Note", "Recording", "Reply", "SessionFileError", "Skipped", "ToolResult",
    "Turn", "Usage", "UserMessage", "iter_pi_session", "read_pi_session",
]  # fmt: skip

#: Records that are the host's own state: they never reach a model.
_HOST_STATE = frozenset({"model_change", "thinking_level_change", "custom", "label", "session_info"})

#: Stop reasons of replies that broke off; one without content is no call.
_BROKEN_OFF = frozenset({"aborted", "error"})

#: How pi names the tokens of a reply.
_USAGE = ("input", "output", "cacheRead", "cacheWrite")


def read_pi_session(path: Path | str) -> Recording:
    """The recorded session in the file ``path``, whole.

    Raises SessionFileError for a file that is missing, empty, binary or holds no pi session.
    """
    return gather(Path(path), iter_pi_session(path))


def iter_pi_session(path: Path | str) -> Iterator[Item]:
    """The items of the session in ``path`` in order, one record in memory at a time; counts come last.

    Raises SessionFileError for a file that is missing, empty, binary or holds no pi session.
    """
    path = Path(path)
    branch, lost = _branch(path)
    if lost is not None:
        yield Note("lost_parent", f"entry {lost} is not in the file: the session begins after it")
    skipped: Counter[tuple[str, bool]] = Counter()
    damaged: list[int] = []
    known = False
    places: dict[int | str, int] = {}
    held = 0
    for record in read_records(path):
        if isinstance(record, Damaged):
            if record.torn:
                yield Note("torn_line", f"the last line ({record.line}) is torn: it is left out")
            else:
                damaged.append(record.line)
            continue
        if branch is not None and record.get("type") != "session" and record.get("id") not in branch:
            skipped["entry of another branch", False] += 1
            continue
        places[str(record.get("id")) if branch is not None else len(places)] = held
        item = _item(record)
        if isinstance(item, Skipped):
            skipped[item.type, item.unknown] += item.count
        else:
            yield item
            held += isinstance(item, UserMessage | Step)
        if record.get("type") == "compaction" and (kept := _first_kept(record)) in places:
            yield Compaction(held, places[kept])
        known = known or not (isinstance(item, Skipped) and item.unknown)
    if not known:
        raise SessionFileError(
            "not_a_session",
            f"{path} holds no record of a pi session",
            help="expected one JSON object a line, of types such as session and message",
        )
    if damaged:
        numbers = ", ".join(map(str, damaged[:10])) + (", ..." if len(damaged) > 10 else "")
        yield Note("damaged_lines", f"{len(damaged)} lines hold no JSON object and are left out: {numbers}")
    for (type, unknown), count in skipped.items():
        yield Skipped(type, count, unknown)


def _branch(path: Path) -> tuple[frozenset[str] | None, str | None]:
    """Ids of the entries from the root to the last one, and the parent that the file lacks, if any.

    (None, None) for a version 1 file, whose entries have no ids: known at its first entry.
    """
    parents: dict[str, str | None] = {}
    leaf: str | None = None
    for record in read_records(path):
        if isinstance(record, Damaged) or record.get("type") == "session":
            continue
        if isinstance(id := record.get("id"), str):
            parent = record.get("parentId")
            parents[id] = parent if isinstance(parent, str) else None
            leaf = id
        elif leaf is None:
            return None, None
    branch: set[str] = set()
    while leaf is not None and leaf in parents and leaf not in branch:
        branch.add(leaf)
        leaf = parents[leaf]
    return frozenset(branch), leaf if leaf not in branch else None


def _first_kept(record: Record) -> int | str | None:
    """The first entry that a compaction kept: its id; in version 1 its place among the lines of the file."""
    kept = record.get("firstKeptEntryId", record.get("firstKeptEntryIndex"))
    return kept if isinstance(kept, int | str) else None


def _item(record: Record) -> Item:
    match record:
        case {"type": "session"}:
            cwd, version = record.get("cwd"), record.get("version")
            return Header(cwd if isinstance(cwd, str) else None, version if isinstance(version, int) else 1)
        case {"type": "message", "message": {"role": str(role)} as message}:
            return _message(role, message)
        case {"type": "compaction"}:
            before = record.get("tokensBefore")
            return Note("compaction", f"a recorded compaction at {before} tokens is left out")
        case {"type": "custom_message"}:
            return Entry("user", "custom_message", _content(record.get("content")))
        case {"type": "branch_summary"}:
            return Entry("user", "branch_summary", _content(record.get("summary")))
        case {"type": str(type)}:
            return Skipped(type, 1, unknown=type not in _HOST_STATE)
        case _:
            return Skipped("record without a type", 1, unknown=True)


def _message(role: str, message: Record) -> Item:
    match role:
        case "user":
            return UserMessage(_content(message.get("content")))
        case "assistant":
            return _reply(message)
        case "toolResult":
            return ToolResult(
                str(message.get("toolCallId") or message.get("toolUseId") or ""),
                str(message.get("toolName") or ""),
                _content(message.get("content")),
                message.get("isError") is True,
            )
        case "bashExecution" if message.get("excludeFromContext") is True:
            return Skipped("bashExecution kept out of the context", 1)
        case "bashExecution":
            return Entry("user", "bashExecution", _bash(message))
        case "custom":
            return Entry("user", "custom_message", _content(message.get("content")))
        case _:
            return Skipped(f"message of role {role}", 1, unknown=True)


def _reply(message: Record) -> Item:
    texts: list[str] = []
    thoughts: list[Part] = []
    calls: list[Call] = []
    content = message.get("content")
    for part in content if isinstance(content, list) else [{"type": "text", "text": content or ""}]:
        match part:
            case {"type": "text", "text": str(text)} if text:
                texts.append(text)
            case {"type": "thinking"}:
                thoughts += _thought(part)
            case {"type": "toolCall" | "toolUse" | "functionCall"}:
                calls.append(_call(part))
    stop = str(message.get("stopReason") or "")
    if stop in _BROKEN_OFF and not (texts or thoughts or calls):
        return Skipped(f"reply without content ({stop})", 1)
    usage = Usage.reported(message.get("usage"), _USAGE)
    return Reply("\n".join(texts), simplest(thoughts), tuple(calls), usage, stop)


def _call(part: Record) -> Call:
    """A tool call, whatever it lacks: what a provider would refuse is written as it takes it when it is sent."""
    name, arguments = part.get("name"), part.get("arguments", part.get("input"))
    text = "{}" if arguments is None else arguments
    return Call(str(part.get("id") or ""), name if isinstance(name, str) else "", text)


def _thought(part: Record) -> list[Part]:
    """A thinking part; one with a signature is kept as it must go back to its provider."""
    text, signature = str(part.get("thinking") or ""), part.get("thinkingSignature")
    if not isinstance(signature, str) or not signature:
        return [Text(text)] if text else []
    if part.get("redacted") is True:
        return [_opaque({"type": "redacted_thinking", "data": signature})]
    return [signed_thought(text, signature)]


def _bash(message: Record) -> str:
    """A command that a person ran, as text: the command line, what it printed, and how it ended."""
    lines = [f"$ {message.get('command') or ''}", str(message.get("output") or "").rstrip("\n")]
    code = message.get("exitCode")
    if message.get("cancelled") is True:
        lines.append("[cancelled]")
    elif isinstance(code, int) and code != 0:
        lines.append(f"[exit code {code}]")
    return "\n".join(line for line in lines if line)


def _content(value: Any) -> Content:
    """pi content (a string or a list of parts) as content; a part of unknown type is kept as opaque."""
    if isinstance(value, str):
        return value
    return simplest([_part(part) for part in value]) if isinstance(value, list) else ""


def _part(part: Any) -> Part:
    match part:
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "image", "data": str(data), "mimeType": str(media_type)}:
            return Image(media_type, data)
        case _:
            return _opaque(part)


def _opaque(value: Any) -> Opaque:
    return Opaque(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
