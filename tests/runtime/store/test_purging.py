"""What is purged is in no file of the store any more, and all else goes on (kernel.md section 3)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sessions import PROGRAM, file_session, store_of, turn

from dcc.runtime.errors import StoreError
from dcc.runtime.kernel.content import Call, Content, Image, Opaque, Text, encode
from dcc.runtime.purging import purge
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.forking import fork_session
from dcc.runtime.store.interface import Store
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.reopening import program_of
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.transfer import export_session, import_session
from dcc.runtime.store.verifying import verify

SECRET = "hunter2-swordfish-9914"
#: Longer than a page of the file, so that it lies in several; and short, beside others in one page.
BODIES = (f"password: {SECRET}\n" * 2_000, f"password: {SECRET}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


def with_result(session: Session, text: str) -> str:
    """A turn whose tool gave a text; the id of the slot that holds it."""
    session.begin("look")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "ls", {"path": "."}),)))
    slot = session.add_result("c1", text)
    session.request()
    session.add_reply(Reply("seen"))
    session.commit()
    return slot


def redact(session: Session, slot_ids: Sequence[str]) -> None:
    """Put ``{}`` in the place of each slot, and delete what they held."""
    recorder = session._recorder
    slots = [recorder.ledger.slots[slot_id] for slot_id in slot_ids]

    with recorder.transaction("op") as emit:
        purge(recorder, emit, [slot.digest for slot in slots])
        for slot in slots:
            session._births.replace(emit, slot, "{}")
    recorder.write()


def files_with(text: str, folder: Path) -> list[str]:
    """The files of a folder in which a text can be read."""
    return [file.name for file in folder.iterdir() if text.encode() in file.read_bytes()]


@pytest.mark.parametrize("body", BODIES, ids=["long", "short"])
@pytest.mark.parametrize("every", [20, 2_000], ids=["snapshots", "none"])
def test_no_byte_of_it_is_left(body: str, every: int, path: Path) -> None:
    with file_session(path, every=every) as session:
        for n in range(30):
            turn(session, f"hello {n}", tool=f"{n}.py")
        slots = [with_result(session, body), with_result(session, f"again: {body}")]
        for n in range(30):
            turn(session, f"later {n}", tool=f"{n}.py")
        session.recall("hunter2")
        assert files_with(SECRET, path.parent)
        for slot in slots:
            redact(session, [slot])
            assert files_with("swordfish-9914" if slot is slots[-1] else f"again: {SECRET}", path.parent) == [] or (
                slot is slots[0]
            )
        turn(session, "and on")
    assert files_with(SECRET, path.parent) == []
    assert files_with("swordfish", path.parent) == []


def test_the_session_is_whole(path: Path) -> None:
    with file_session(path) as session:
        slot = with_result(session, BODIES[1])
        held = session.projection(2)
        redact(session, [slot])
        state, stage = session.state_hash(), session.stage()
        digest = session._recorder.ledger.slots[slot].digest
    store = SqliteStore(path, "one", read_only=True)
    assert verify(store).difference is None
    with pytest.raises(StoreError) as error:
        store.content(digest)
    assert error.value.code == "purged"
    store.close()
    with file_session(path) as again:
        assert (again.state_hash(), again.stage()) == (state, stage)
        assert [v.slot for v in again.projection(2)] == [v.slot for v in held]
        assert [v.how for v in again.projection(2) if v.slot == slot] == ["stub"]
        again.begin("go on")
        assert "[purged]" not in str(again.request().messages)


def test_a_content_that_no_one_purged_is_missing_as_before(path: Path) -> None:
    with file_session(path) as session, pytest.raises(StoreError) as error:
        store_of(session).content(b"\0" * 32)
    assert error.value.code == "missing_content"


def test_the_same_text_may_be_born_again(path: Path) -> None:
    with file_session(path) as session:
        redact(session, [with_result(session, BODIES[1])])
        newer = with_result(session, BODIES[1])
    with file_session(path) as again:
        again.begin("go on")
        assert str(again.request().messages).count(SECRET) == 1
        assert [v.how for v in again.projection(2) if v.slot == "toolResult@1"] == ["stub"]
        assert newer in again.stage()
    store = SqliteStore(path, "one", read_only=True)
    assert verify(store).difference is None
    store.close()


def test_export_and_import(path: Path, tmp_path: Path) -> None:
    with file_session(path) as session:
        redact(session, [with_result(session, BODIES[1])])
        state = session.state_hash()
    store = SqliteStore(path, "one", read_only=True)
    file = tmp_path / "one.jsonl"
    with file.open("wb") as out:
        export_session(store, "", out)
    store.close()
    assert SECRET not in file.read_text()
    other = tmp_path / "other.db"
    assert import_session(file, other).state_hash == state
    brought = SqliteStore(other, "one", read_only=True)
    assert verify(brought).difference is None
    assert Session.open(brought, PROGRAM).projection(2)
    # What was purged stays known as purged, however often it travels.
    again = io.BytesIO()
    export_session(brought, "", again)
    brought.close()
    assert again.getvalue() == file.read_bytes()


@pytest.mark.parametrize("forked_first", [True, False])
def test_forks(forked_first: bool, path: Path) -> None:
    """Contents are shared: what one session purges is gone in a fork, too, and does not make it a damaged one."""
    with file_session(path) as session:
        slot = with_result(session, BODIES[1])
        turn(session, "on")
    if forked_first:
        fork_session(path, "one", "two")
    with file_session(path) as session:
        redact(session, [slot])
    if not forked_first:
        fork_session(path, "one", "two", at=2)
    assert files_with(SECRET, path.parent) == []
    store = SqliteStore(path, "two")
    assert verify(store).difference is None
    with Session.open(store, program_of(store)) as fork:
        assert [v.how for v in fork.projection(2) if v.slot == slot] == ["stub"]
        fork.begin("go on")
        assert "[purged]" in str(fork.request().messages), "its call is still there"
        fork.add_reply(Reply("fine"))
        fork.commit()


def test_while_another_process_reads_it_is_gone_with_the_next_write_after_that(path: Path) -> None:
    with file_session(path) as session:
        slot = with_result(session, BODIES[1])
        reader = SqliteStore(path, "one", read_only=True)
        redact(session, [slot])
        turn(session, "on")
        reader.close()
        turn(session, "on")
        assert files_with(SECRET, path.parent) == []


def test_a_purge_that_cannot_be_written_purges_nothing(path: Path) -> None:
    with file_session(path) as session:
        slot = with_result(session, BODIES[1])
        store_of(session)._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreError):
            redact(session, [slot])
    store = SqliteStore(path, "one", read_only=True)
    assert store.holding(SECRET)
    assert store.purged == frozenset()
    store.close()


# What holds a text


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[Store]:
    store: Store = MemoryStore() if request.param == "memory" else SqliteStore(path, "one")
    yield store
    store.close()


VALUE = 'a "quoted" \\ é value\n2'
HOLDING: dict[str, Content] = {
    "text": f"before {VALUE} after",
    "JSON": json.dumps({"key": VALUE}),
    "JSON with other characters": json.dumps({"key": VALUE}, ensure_ascii=False),
    "part": (Text("x"), Text(VALUE)),
    "arguments": (Call("c1", "write", {"text": VALUE}),),
    "JSON in arguments": (Call("c1", "write", {"text": json.dumps({"key": VALUE})}),),
    "call id": (Call(VALUE, "write", "{}"),),
    "opaque": (Opaque(json.dumps({"type": "thinking", "thinking": VALUE, "signature": "s"})),),
}
OTHERS: dict[str, Content] = {"other text": "a quoted value", "image": (Image("image/png", "AAAA"),)}


def test_what_holds_a_text(store: Store) -> None:
    import hashlib

    encoded = {name: encode(content) for name, content in (HOLDING | OTHERS).items()}
    digests = {hashlib.sha256(data).digest(): name for name, data in encoded.items()}
    store.append(0, [b"[]"], {digest: encoded[name] for digest, name in digests.items()})
    assert {digests[digest] for digest in store.holding(VALUE)} == set(HOLDING)


def test_purged_contents_are_told_apart(store: Store) -> None:
    store.append(0, [b"[]"], {b"1" * 32: b"sone", b"2" * 32: b"stwo"})
    store.append(1, [b"[]"], {b"3" * 32: b"sthree"}, purge=[b"1" * 32])
    assert store.holding("one") == []
    for digest, code in ((b"1" * 32, "purged"), (b"4" * 32, "missing_content")):
        with pytest.raises(StoreError) as error:
            store.content(digest)
        assert error.value.code == code
    assert store.find(b"1") == [b"1" * 32], "an address that is asked for is told to be purged"


def test_a_process_that_dies_behind_the_deletion_leaves_the_wiping_to_the_next(
    path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path_factory.mktemp("killed")
    with file_session(path) as session, monkeypatch.context() as dying:
        dying.setattr("dcc.runtime.store.sqlite.wipe", lambda connection, *, again: False)
        redact(session, [with_result(session, BODIES[0])])
        for file in path.parent.iterdir():
            (left / file.name).write_bytes(file.read_bytes())
    path = left / path.name
    assert files_with(SECRET, left)
    SqliteStore(path, "one", read_only=True).close()
    assert files_with(SECRET, left), "who only reads changes nothing"
    SqliteStore(path, "another").close()
    assert files_with(SECRET, left) == []
    with file_session(path) as again:
        turn(again, "and on")
