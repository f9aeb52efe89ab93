"""The recall index that a file keeps is the one that its events give, whatever happened to either."""

from __future__ import annotations

import os
import signal
import sqlite3
import struct
import tempfile
import zlib
from pathlib import Path

import pytest
from history import History, histories
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stored_driver import StoredDriver

from dcc.compiler.load import load_program
from dcc.runtime.recall.filing import file_births
from dcc.runtime.recall.index import Index, MemoryIndex
from dcc.runtime.session import Reply, Session
from dcc.runtime.store import buckets, postings
from dcc.runtime.store import recall as module
from dcc.runtime.store.buckets import bucket_of
from dcc.runtime.store.forking import fork_session
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.postings import forget_contents
from dcc.runtime.store.recall import StoredRecall
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.verifying import verify

_ALL = list(HealthCheck)

#: The content that a test purges.
SECRET = "the zebra crosses at midnight"

RULES = load_program({"life_cycle": {"user": ["born", "born"]}, "recall": {"type": "grep", "search_fields": ["user"]}})


#: The same, where nothing is looked for before a person asks.
RULES_THAT_ARE_ASKED = load_program(
    {
        "life_cycle": {"user": ["born", "born"]},
        "recall": {"type": "grep", "search_fields": ["user"], "trigger": {"type": "manual"}},
    }
)


def dump(index: Index) -> dict[str, list[tuple[str, str, int]]]:
    """For each token the documents that it finds, as the index orders them."""
    tokens: set[str] = set()
    if isinstance(index, StoredRecall):
        tokens.update(token for token, _ in index.holdings())
    elif isinstance(index, MemoryIndex):
        tokens.update(token for token, _ in index.postings())
    return {token: [tuple(found.document) for found in index.search([token], None)] for token in sorted(tokens)}


def rebuilt(store: SqliteStore) -> dict[str, list[tuple[str, str, int]]]:
    """The same of an index in memory, made from the events."""
    memory = MemoryStore()
    memory.append(0, list(store.rows()), dict(store.held()))
    return dump(file_births(memory))


def talk(session: Session, *texts: str) -> None:
    for text in texts:
        session.begin(text)
        session.request()
        session.add_reply(Reply("ok"))
        session.commit()


def begun(path: Path, *texts: str) -> None:
    with Session.create(RULES, store=SqliteStore(path, "s")) as session:
        talk(session, *texts)


def asked(path: Path, query: str) -> list[str]:
    with Session.open(SqliteStore(path, "s"), RULES) as session:
        return [hit.slot for hit in session.recall(query).hits]


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    assert connection.execute(statement).rowcount != 0
    connection.close()


class RecallingDriver(StoredDriver):
    """Compares the stored index, whenever a new process opens the file."""

    def compare(self) -> None:
        """See ``StoredDriver.compare``."""
        super().compare()
        self.compare_recall()

    def compare_recall(self) -> None:
        reading = SqliteStore(self.file.path, "random", read_only=True)
        assert dump(file_births(reading)) == rebuilt(reading)
        assert verify(reading).difference is None
        reading.close()


@settings(max_examples=30, derandomize=True, database=None, deadline=None, suppress_health_check=_ALL)
@given(histories(), st.integers(2, 40))
def test_a_stored_index_is_the_one_of_the_events(history: History, block: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for file in (module, postings, buckets):
            patch.setattr(file, "BLOCK", block * 8)
        for file in (module, buckets):
            patch.setattr(file, "WIDTH", block)
        patch.setattr(buckets, "BUCKETS", 3)
        patch.setattr(postings, "RUNS", 2)
        driver = RecallingDriver(history, Path(folder) / "sessions.db")
        driver.run()
        driver.compare()
        driver.session.__exit__(None, None, None)
        driver.compare_recall()


def test_an_opened_session_reads_what_was_stored_and_not_the_events(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples", "green apples", "tea")
    with Session.open(SqliteStore(path, "s"), RULES) as session:
        store = session._recorder.store
        assert store.recall().seq == store.last
        assert session.recall("apples").lines == (
            "[retired] 第2轮 user：green apples", "[retired] 第1轮 user：red apples",
        )  # fmt: skip


def test_what_was_written_since_is_caught_up(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples", "tea")
    session = Session.open(SqliteStore(path, "s"), RULES)
    talk(session, "green apples", "well then")  # and it is never closed
    assert asked(path, "apples") == ["user@3", "user@1"]
    assert asked(path, "apples") == ["user@3", "user@1"]


def test_a_killed_process_leaves_an_index_that_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples")
    child = os.fork()
    if not child:
        session = Session.open(SqliteStore(path, "s", every=5), RULES)
        talk(session, *(f"green apples {n}" for n in range(7)))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    store = SqliteStore(path, "s")
    assert 0 < store.recall().seq < store.last
    assert dump(file_births(store)) == rebuilt(store)
    store.close()


def test_a_reader_searches_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples", "tea")
    session = Session.open(SqliteStore(path, "s"), RULES)
    talk(session, "green apples", "well then")
    before = (path.read_bytes(), Path(f"{path}-wal").read_bytes())
    reader = SqliteStore(path, "s", read_only=True)
    with Session.open(reader, RULES) as reading:
        assert [hit.slot for hit in reading.recall("apples").hits] == ["user@3", "user@1"]
    assert before == (path.read_bytes(), Path(f"{path}-wal").read_bytes())


DAMAGE = [
    "UPDATE recall SET version = 99",
    "UPDATE recall SET seq = seq - 3",
    "UPDATE recall SET documents = 1",
    "UPDATE recall SET newest = 'x'",
    "DELETE FROM recall",
    "DELETE FROM recall_documents",
    "UPDATE recall_postings SET numbers = X'0700'",
    "UPDATE recall_postings SET numbers = 'x', documents = 1",
    "UPDATE recall_postings SET documents = 7",
    "UPDATE recall_postings SET checksum = 1",
    "DROP TABLE recall_documents",
    "ALTER TABLE recall_postings RENAME COLUMN numbers TO bits",
]


@pytest.mark.parametrize("statement", DAMAGE)
def test_what_is_damaged_or_unknown_is_made_anew_in_silence(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples", "green apples", "tea")
    change(path, statement)
    assert asked(path, "apples") == ["user@2", "user@1"]
    with Session.open(SqliteStore(path, "s"), RULES) as session:
        talk(session, "blue apples", "well")
        assert [hit.slot for hit in session.recall("apples").hits] == ["user@4", "user@2", "user@1"]
    assert asked(path, "apples") == ["user@4", "user@2", "user@1"]


def test_an_index_that_was_made_anew_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples", "green apples", "tea")
    change(path, "UPDATE recall_postings SET checksum = 1")
    asked(path, "apples")
    store = SqliteStore(path, "s")
    assert store.recall().seq == store.last
    assert dump(store.recall()) == rebuilt(store)


def test_a_damaged_index_is_found_while_it_is_saved_and_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples", "green apples", "tea")
    change(path, "UPDATE recall_postings SET checksum = 1")
    with Session.open(SqliteStore(path, "s"), RULES_THAT_ARE_ASKED) as session:
        talk(session, "blue apples")
    store = SqliteStore(path, "s")
    assert store.recall().seq == store.last
    assert dump(store.recall()) == rebuilt(store)


@pytest.mark.parametrize("is_stored", [True, False], ids=["stored", "not yet stored"])
def test_a_purge_takes_the_slot_out_of_what_is_found(tmp_path: Path, is_stored: bool) -> None:
    path = tmp_path / "sessions.db"
    begun(path, *(("red apples", SECRET, "tea and apples") if is_stored else ("red apples",)))
    store = SqliteStore(path, "s")
    with Session.open(store, RULES) as session:
        if not is_stored:
            talk(session, SECRET, "tea and apples")
        index = file_births(store)
        index.purge("user@2")
        assert not session.recall("zebra").hits
        assert [hit.slot for hit in session.recall("apples").hits] == ["user@3", "user@1"]
        index.save()
        assert not session.recall("zebra").hits
    assert b"zebra" not in words(path)
    assert b"apples" in words(path)


def test_the_contents_that_a_store_purges_leave_the_index_in_the_same_step(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples", SECRET, "tea")
    with Session.open(SqliteStore(path, "s"), RULES) as session:
        digest = session._recorder.ledger.slots["user@2"].digest
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    forget_contents(connection, [digest])
    connection.execute("COMMIT")
    assert b"zebra" not in words(path)
    assert not connection.execute("SELECT 1 FROM recall_documents WHERE slot = 'user@2'").fetchall()
    connection.close()
    assert asked(path, "zebra") == []
    assert asked(path, "red") == ["user@1"]


def test_a_fork_finds_what_its_source_found(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples", "green apples", "tea")
    fork_session(path, "s", "whole")
    fork_session(path, "s", "part", at=1)
    for name, slots in (("whole", ["user@2", "user@1"]), ("part", ["user@1"])):
        store = SqliteStore(path, name)
        assert store.recall().seq == store.last
        assert dump(store.recall()) == rebuilt(store)
        with Session.open(store, RULES) as session:
            assert [hit.slot for hit in session.recall("apples").hits] == slots


def test_many_words_and_many_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "_ASKED", 3)
    path = tmp_path / "sessions.db"
    begun(path, *(" ".join(f"w{n % m}" for m in range(2, 40)) for n in range(60)))
    store = SqliteStore(path, "s")
    memory = MemoryStore()
    memory.append(0, list(store.rows()), dict(store.held()))
    query = [f"w{n}" for n in range(400)]
    ours, theirs = (list(file_births(s).search(query, ("user",))) for s in (store, memory))
    assert ours == theirs


def words(path: Path) -> bytes:
    """All that the file keeps of tokens."""
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT numbers FROM recall_postings").fetchall()
    connection.close()
    return b" ".join(data for (data,) in found)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            f"DELETE FROM recall_postings WHERE token = '{bucket_of('apples')}'",
            "lacks 'apples' in user@1, whose content holds it",
        ),
        ("UPDATE recall_documents SET slot = 'user@0' WHERE slot = 'user@2'", "finds 'apples' in user@0"),
        ("UPDATE recall_postings SET checksum = 1", "the recall index is damaged: bucket '"),
        ("DELETE FROM recall_documents WHERE slot = 'user@1'", "the recall index is damaged: a document of"),
    ],
)
def test_verifying_compares_the_index_with_the_events(tmp_path: Path, statement: str, told: str) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples", "green apples", "tea")
    asked(path, "apples")
    assert verified(path) is None
    change(path, statement)
    difference = verified(path)
    assert difference is not None
    assert told in difference


@pytest.mark.parametrize("statement", ["DELETE FROM recall", "UPDATE recall SET version = 99"])
def test_an_index_that_will_be_made_anew_differs_in_nothing(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "sessions.db"
    begun(path, "red apples")
    asked(path, "apples")
    change(path, statement)
    assert verified(path) is None


def verified(path: Path) -> str | None:
    store = SqliteStore(path, "s", read_only=True)
    try:
        return verify(store).difference
    finally:
        store.close()


def test_many_words_are_saved_in_few_statements(tmp_path: Path) -> None:
    """One large result has more words than a statement each could be carried out for."""
    path = tmp_path / "sessions.db"
    begun(path, "tea")
    store = SqliteStore(path, "s")
    asked: list[str] = []
    with Session.open(store, RULES) as session:
        talk(session, " ".join(f"w{n:x}" for n in range(40_000)))
        index = file_births(store)
        store._connection.set_trace_callback(asked.append)
        index.save()
        store._connection.set_trace_callback(None)
        assert [hit.slot for hit in session.recall("w9c3f").hits] == ["user@2"]
    assert len(asked) < 5_000


def test_what_an_earlier_version_stored_is_forgotten_before_its_words_are_deleted(tmp_path: Path) -> None:
    """Version 1 had a row for each token. A redaction of another process must not leave its words."""
    path = tmp_path / "sessions.db"
    begun(path, SECRET)
    with Session.open(SqliteStore(path, "s"), RULES) as session:
        digest = session._recorder.ledger.slots["user@1"].digest
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE recall SET version = 1")
    connection.execute("DELETE FROM recall_postings WHERE session = 1")
    first = struct.pack("<H", 0)
    row = ("zebra", 1, zlib.crc32(first, zlib.crc32(b"zebra:1")), first)
    connection.execute("INSERT INTO recall_postings VALUES (1, 0, ?, ?, ?, ?)", row)
    connection.execute("BEGIN IMMEDIATE")
    forget_contents(connection, [digest])
    connection.execute("COMMIT")
    assert not connection.execute("SELECT 1 FROM recall_postings").fetchall()
    connection.close()
