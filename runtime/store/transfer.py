"""Export and import: a session as one file of JSON lines, the same on any machine.

The first line says what the file is, then come the contents, then the events in order, and a last line that tells
whether all of it is there. What is no UTF-8 travels in base64, so that every byte comes back.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from ...compiler.reading import refuse_pipe
from ...compiler.reason import reason_of
from ...grammar.errors import DccError
from ..errors import StoreError
from ..folding import fold
from ..kernel.clock import Clock
from ..kernel.events import Event, damaged
from ..saving import Saving
from .claim import claimed
from .deleting import delete_session
from .memory import MemoryStore
from .sessions import checked_id
from .sqlite import SqliteStore

EXPORT_VERSION: Final = 1

#: The key of the first line that tells an export of dcc from other JSON lines; its value is the version.
MARK: Final = "dcc_session"

_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Transferred:
    """What went out or came in: the session's id and name, how much, and the state hash."""

    id: str
    name: str
    events: int
    contents: int
    state_hash: str


def export_session(store: SqliteStore, name: str, out: BinaryIO) -> Transferred:
    """Write the session of a store to ``out``. Raises StoreError, SessionError (``empty_store``)."""
    ledger, hash, _ = fold(store)
    _put(out, {MARK: EXPORT_VERSION, "id": store.session, "name": name, "events": ledger.seq})
    contents = 0
    for digest, data in store.held():
        contents += 1
        _put(out, {"content": digest.hex(), **_carried(data)})
    for digest in sorted(store.purged):
        _put(out, {"purged": digest.hex()})
    rows = hashlib.sha256()
    for row in store.rows():
        rows.update(row + b"\n")
        _put(out, {"event": _values(row)} if _is_text(row) else {"event": _carried(row)})
    value = hash.value()
    _put(out, {"end": {"contents": contents, "rows": rows.hexdigest(), "state_hash": value}})
    return Transferred(store.session, name, ledger.seq, contents, value)


def is_export(source: Path | str) -> bool:
    """Whether a file begins as an export of dcc does."""
    try:
        with _opened(Path(source)) as file:
            first = json.loads(file.readline(1 << 16))
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and MARK in first


def import_session(
    source: Path | str,
    path: Path | str,
    session: str | None = None,
    *,
    name: str | None = None,
    clock: Clock | None = None,
) -> Transferred:
    """Write an exported session, plain or gzip, into the file ``path``, under its own id or another one.

    All of it is checked before anything is written. Raises StoreError: ``no_export``, ``unknown_export`` (a
    version that this dcc does not know), ``damaged_export``, ``session_exists``, ``session_in_use``,
    ``bad_id``.
    """
    memory, path = MemoryStore(), Path(path)
    try:
        with _opened(Path(source)) as file:
            header, state_hash = _read(file, memory)
    except (EOFError, zlib.error) as error:
        raise _damaged(f"its gzip cannot be unpacked ({error})") from None
    except OSError as error:
        raise StoreError("no_export", f"{source} cannot be read: {reason_of(error)}") from None
    return bring_in(memory, path, session or checked_id(header["id"]), name or header["name"], state_hash, clock)


def bring_in(
    memory: MemoryStore, path: Path, session: str, name: str, state_hash: str | None, clock: Clock | None = None
) -> Transferred:
    """Write a session in memory into the file ``path``.

    ``state_hash``: what its events must fold to (None: whatever they do). Raises StoreError: ``damaged_export``,
    ``session_exists``, ``session_in_use``.
    """
    try:
        ledger, hash, _ = fold(memory)
        found = hash.value()
    except (DccError, KeyError, TypeError, ValueError, IndexError) as error:
        raise _damaged(f"its events cannot be folded ({error})") from None
    if state_hash is not None and found != state_hash:
        raise _damaged(f"its events fold to the state {found[:16]}…, it says {state_hash[:16]}…")
    with claimed(path, session, "import"), closing(SqliteStore(path, session, name=name, clock=clock)) as store:
        if store.last:
            raise StoreError("session_exists", f"there is a session {session} already", help="give another id")
        contents = dict(memory.held())
        store.append(0, list(memory.rows()), contents, purge=memory.purged)
        try:
            Saving(store, ledger, hash, None).save()
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            # Values that fold, and of which no snapshot can be made: what was just written is taken away.
            store.close()
            delete_session(path, session)
            raise _damaged(f"its slots cannot be stored ({error})") from None
    return Transferred(session, name, ledger.seq, len(contents), found)


def _read(file: BinaryIO, memory: MemoryStore) -> tuple[dict[str, Any], str]:
    """The first line of an export, and its state hash; events and contents go into ``memory``."""
    lines = _lines(file)
    header = next(lines, {})
    if header.get(MARK) != EXPORT_VERSION:
        if MARK not in header:
            raise StoreError("no_export", "this is no session that dcc exported", help="dcc sessions export makes one")
        raise StoreError(
            "unknown_export", f"the export has version {header[MARK]!r}, this dcc knows version {EXPORT_VERSION}",
            help="install the dcc that wrote it, or a newer one",
        )  # fmt: skip
    contents: dict[bytes, bytes] = {}
    rows: list[bytes] = []
    purged: set[bytes] = set()
    end: dict[str, Any] = {}
    for line in lines:
        try:
            match line:
                case {"content": str(digest)}:
                    contents[bytes.fromhex(digest)] = _bytes_of(line)
                case {"purged": str(digest)}:
                    purged.add(bytes.fromhex(digest))
                case {"event": list(values)}:
                    rows.append(Event(*values).to_row())
                case {"event": dict(carried)}:
                    rows.append(_bytes_of(carried))
                case {"end": dict(end)}:
                    break
                case _:
                    raise _damaged("it holds a line of an unknown kind")
        except (KeyError, TypeError, ValueError) as error:
            raise _damaged(f"a content or an event cannot be read ({error})") from None
    if next(lines, None) is not None:
        raise _damaged("it goes on after its last line")
    if not end:
        raise _damaged("its last line is missing: it was cut off")
    wrong = [digest for digest, data in contents.items() if hashlib.sha256(data).digest() != digest]
    if wrong:
        raise _damaged(f"the content {wrong[0].hex()[:16]} does not have its digest")
    found = hashlib.sha256(b"".join(row + b"\n" for row in rows)).hexdigest()
    if (found, len(contents), len(rows)) != (end.get("rows"), end.get("contents"), header.get("events")):
        raise _damaged("events or contents are missing or changed")
    match header:
        case {"id": str(id), "name": str(name)}:
            memory.append(0, rows, contents, purge=purged)
            return {"id": id, "name": name}, str(end.get("state_hash"))
    raise _damaged("its first line does not say the session's id and name")


@contextmanager
def _opened(source: Path) -> Iterator[BinaryIO]:
    """A file for reading, unpacked if it is gzip: its first bytes tell, not its name."""
    refuse_pipe(source)
    with source.open("rb") as file:
        is_packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if is_packed else file


def _lines(file: BinaryIO) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise _damaged(f"line {number} is no JSON object")
        yield value


def _put(out: BinaryIO, line: dict[str, Any]) -> None:
    out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def _values(row: bytes) -> Any:
    try:
        return json.loads(row)
    except ValueError as error:
        raise damaged(error) from error


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _carried(data: bytes) -> dict[str, str]:
    """Bytes as JSON: as text if they are UTF-8."""
    return {"text": data.decode()} if _is_text(data) else {"base64": base64.b64encode(data).decode()}


def _bytes_of(carried: dict[str, Any]) -> bytes:
    """The bytes of :func:`_carried`."""
    text = carried.get("text")
    return text.encode() if isinstance(text, str) else base64.b64decode(carried["base64"], validate=True)


def _damaged(what: str) -> StoreError:
    return StoreError("damaged_export", f"the export is damaged: {what}", help="export the session again")
