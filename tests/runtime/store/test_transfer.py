"""Export, import and fork give the same session again (P7), and what is damaged is not taken in."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sessions import PROGRAM, file_session, store_of, turn

from dcc.grammar.errors import DccError
from dcc.runtime.errors import StoreError
from dcc.runtime.hosts.recorded_session import read_session
from dcc.runtime.kernel.events import Event, EventError
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.deleting import delete_session
from dcc.runtime.store.forking import fork_session
from dcc.runtime.store.reopening import program_of
from dcc.runtime.store.sessions import find_session, sessions_in
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.transfer import export_session, import_session, is_export
from dcc.runtime.store.verifying import verify

TURNS = 6


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session in which much has happened, texts that are no UTF-8 among it."""
    path = tmp_path / "sessions.db"
    with file_session(path, every=20) as session:
        for n in range(1, TURNS + 1):
            turn(session, f"/goal aim {n} remain 2\nhello {n} \ud83d torn", tool=f"{n % 3}.py")
        session.keep("toolResult@2")
        session.patch_rule("note", "born", "born+3", "add_row")
        session.queue_patch("goal", "later", "remain", 2)
        session.undo()
    return path


@pytest.fixture
def exported(path: Path, tmp_path: Path) -> Path:
    file = tmp_path / "one.jsonl"
    store = SqliteStore(path, "one", read_only=True)
    with file.open("wb") as out:
        export_session(store, "my session", out)
    store.close()
    return file


def hash_of(path: Path, id: str) -> str:
    store = SqliteStore(path, id, read_only=True)
    try:
        assert verify(store).difference is None
        return Session.open(store, program_of(store)).state_hash()
    finally:
        store.close()


def everything(path: Path, id: str) -> tuple[list[bytes], dict[bytes, bytes]]:
    store = SqliteStore(path, id, read_only=True)
    try:
        return list(store.rows()), dict(store.held())
    finally:
        store.close()


# Export and import


@pytest.mark.parametrize("elsewhere", [False, True])
def test_import_of_an_export_is_the_session(elsewhere: bool, path: Path, exported: Path, tmp_path: Path) -> None:
    target = tmp_path / "other.db" if elsewhere else path
    told = import_session(exported, target, None if elsewhere else "two")
    assert (told.id, told.name) == ("one" if elsewhere else "two", "my session")
    assert everything(target, told.id) == everything(path, "one")
    assert hash_of(target, told.id) == hash_of(path, "one") == told.state_hash


def test_export_of_an_import_is_the_export(exported: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    import_session(exported, other)
    store, out = SqliteStore(other, "one", read_only=True), io.BytesIO()
    export_session(store, "my session", out)
    store.close()
    assert out.getvalue() == exported.read_bytes()


def test_an_export_is_json_lines_in_utf8(exported: Path) -> None:
    lines = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["dcc_session"] == 1
    assert set(lines[-1]) == {"end"}
    assert {next(iter(line)) for line in lines[1:-1]} == {"content", "event"}
    assert is_export(exported)


def test_an_imported_session_goes_on(exported: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    import_session(exported, other)
    with file_session(other) as session:
        turn(session, "and now?", tool="1.py")
        assert session.turn == TURNS + 1
    hash_of(other, "one")


def test_a_session_is_not_imported_over_another(path: Path, exported: Path) -> None:
    before = everything(path, "one")
    with pytest.raises(StoreError) as error:
        import_session(exported, path)
    assert (error.value.code, bool(error.value.help)) == ("session_exists", True)
    assert everything(path, "one") == before


def _without_line(number: int) -> Callable[[list[str]], list[str]]:
    return lambda lines: lines[:number] + lines[number + 1 :]


def _first(prefix: str, change: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    def damage(lines: list[str]) -> list[str]:
        at = next(i for i, line in enumerate(lines) if line.startswith(prefix))
        return [*lines[:at], change(lines[at]), *lines[at + 1 :]]

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: lines[:-1],
        lambda lines: lines[: len(lines) // 2],
        _without_line(5),
        _without_line(-2),
        _first('{"event":', lambda line: line[:-3]),
        _first('{"event":', lambda line: line.replace('"session"', '"sessions"')),
        _first('{"event":', lambda line: '{"event":[1]}'),
        _first('{"content":', lambda line: line[:77] + line[77:].replace(':"', ':"x', 1)),
        _first('{"content":', lambda line: '{"content":"00"}'),
        _first('{"content":', lambda line: '{"content":"zz","text":"s"}'),
        _first('{"content":', lambda line: '{"cont":"00"}'),
        _first('{"end":', lambda line: line.replace('"state_hash":"', '"state_hash":"0')),
        lambda lines: [*lines, *lines],
        lambda lines: [*lines, '{"event":[1]}'],
        lambda lines: [*lines, "and more"],
        lambda lines: [lines[0], "[" * 100_000, *lines[1:]],
        _first('{"dcc_session":', lambda line: line.replace('"id":"one"', '"id":["one"]')),
        _first('{"dcc_session":', lambda line: line.replace('"name":"my session"', '"name":7')),
    ],
)  # fmt: skip
def test_a_damaged_export_is_not_taken_in(
    damage: Callable[[list[str]], list[str]], exported: Path, tmp_path: Path
) -> None:
    lines = exported.read_text(encoding="utf-8").splitlines()
    exported.write_text("\n".join(damage(lines)) + "\n", encoding="utf-8")
    with pytest.raises(StoreError) as error:
        import_session(exported, tmp_path / "other.db")
    assert (error.value.code, bool(error.value.help)) == ("damaged_export", True)
    assert not (tmp_path / "other.db").exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no_export"),
        ('{"type":"session","version":1}\n', "no_export"),
        ("hello\n", "damaged_export"),
        ('{"dcc_session":2}\n', "unknown_export"),
    ],
)
def test_what_is_no_export_is_not_taken_in(text: str, code: str, tmp_path: Path) -> None:
    file = tmp_path / "file.jsonl"
    file.write_text(text)
    with pytest.raises(StoreError) as error:
        import_session(file, tmp_path / "other.db")
    assert error.value.code == code


def test_an_export_may_be_packed_and_end_in_blank_lines(exported: Path, path: Path, tmp_path: Path) -> None:
    packed = tmp_path / "one.bin"
    packed.write_bytes(gzip.compress(exported.read_bytes() + b"\n  \n"))
    assert is_export(packed)
    import_session(packed, tmp_path / "other.db")
    assert everything(tmp_path / "other.db", "one") == everything(path, "one")


def test_an_export_whose_gzip_is_cut_off_is_damaged(exported: Path, tmp_path: Path) -> None:
    packed = tmp_path / "one.gz"
    packed.write_bytes(gzip.compress(exported.read_bytes())[:-9])
    with pytest.raises(StoreError) as error:
        import_session(packed, tmp_path / "other.db")
    assert error.value.code == "damaged_export"


@pytest.mark.parametrize("shown_from", [10**30, "x"])
def test_values_that_no_slot_can_have_leave_nothing_behind(shown_from: object, tmp_path: Path) -> None:
    """An export whose sums are right, and its values wrong: somebody wrote it."""
    with file_session(tmp_path / "talk.db") as session:
        turn(session, "hello", tool="a.py")
    store = SqliteStore(tmp_path / "talk.db", "one", read_only=True)
    out = io.BytesIO()
    export_session(store, "", out)
    store.close()
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    born = next(line["event"][-1] for line in lines if "slot_born" in line.get("event", ()))
    born["from"] = shown_from
    rows = [Event(*line["event"]).to_row() for line in lines if "event" in line]
    lines[-1]["end"]["rows"] = hashlib.sha256(b"".join(row + b"\n" for row in rows)).hexdigest()
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(StoreError) as error:
        import_session(wrong, tmp_path / "other.db")
    assert error.value.code == "damaged_export"
    assert sessions_in(tmp_path / "other.db") == []


def test_an_id_of_two_lines_is_not_taken_in(exported: Path, tmp_path: Path) -> None:
    text = exported.read_text(encoding="utf-8").replace('"id":"one"', '"id":"one\\ntwo"', 1)
    exported.write_text(text, encoding="utf-8")
    with pytest.raises(StoreError) as error:
        import_session(exported, tmp_path / "other.db")
    assert error.value.code == "bad_id"
    assert import_session(exported, tmp_path / "other.db", "three").id == "three"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert not is_export(tmp_path / "none.jsonl")
    with pytest.raises(StoreError) as error:
        import_session(tmp_path / "none.jsonl", tmp_path / "other.db")
    assert error.value.code == "no_export"


# Fork


def test_a_fork_is_the_session_as_it_is(path: Path) -> None:
    assert fork_session(path, "one", "two") == hash_of(path, "two") == hash_of(path, "one")
    assert everything(path, "two") == everything(path, "one")


@pytest.mark.parametrize("at", range(1, TURNS + 1))
def test_a_fork_at_a_turn_is_the_session_after_that_turn(at: int, path: Path, tmp_path: Path) -> None:
    with file_session(tmp_path / "short.db") as short:
        for n in range(1, at + 1):
            turn(short, f"/goal aim {n} remain 2\nhello {n} \ud83d torn", tool=f"{n % 3}.py")
        expected = short.state_hash()
    assert fork_session(path, "one", "two", at=at) == expected == hash_of(path, "two")
    rows, contents = everything(path, "two")
    assert rows == everything(path, "one")[0][: len(rows)]
    assert contents.keys() == everything(tmp_path / "short.db", "one")[1].keys()


def test_a_fork_and_its_origin_go_their_own_ways(path: Path) -> None:
    before = hash_of(path, "one")
    fork_session(path, "one", "two", at=3)
    with file_session(path, "two") as session:
        turn(session, "elsewhere", tool="9.py")
        assert session.turn == 4
    assert hash_of(path, "one") == before
    hash_of(path, "two")


def test_a_fork_of_an_open_turn_is_open(path: Path) -> None:
    session = file_session(path)
    session.begin("look")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "read", {"path": "a"}), ToolCall("c2", "read", {"path": "b"}))))
    session.start_tool("c1")
    store_of(session).close()
    fork_session(path, "one", "two")
    with file_session(path, "two") as fork:
        ahead = fork.resume()
        assert ([call.id for call in ahead.pending], ahead.interrupted) == (["c2"], ("c1",))
    with pytest.raises(StoreError, match="turn 7 is not over") as error:
        fork_session(path, "one", "three", at=TURNS + 1)
    assert error.value.help == "its last turn is 6"


@pytest.mark.parametrize(
    ("source", "new", "at", "code"),
    [
        ("none", "two", None, "unknown_session"),
        ("one", "one", None, "session_exists"),
        ("one", "two", 0, "no_such_turn"),
        ("one", "two", 99, "no_such_turn"),
    ],
)
def test_forks_that_cannot_be(source: str, new: str, at: int | None, code: str, path: Path) -> None:
    before = everything(path, "one")
    with pytest.raises(StoreError) as error:
        fork_session(path, source, new, at=at)
    assert (error.value.code, bool(error.value.help)) == (code, True)
    assert everything(path, "one") == before


# The program that a session keeps


def test_a_session_keeps_its_program(path: Path) -> None:
    store = SqliteStore(path, "one", read_only=True)
    assert program_of(store) == PROGRAM
    store.close()


def test_a_session_without_a_program_says_so(path: Path) -> None:
    store = SqliteStore(path, "empty")
    with pytest.raises(StoreError) as error:
        program_of(store)
    assert (error.value.code, bool(error.value.help)) == ("no_program", True)
    store.close()


def test_a_damaged_session_is_not_copied(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP TRIGGER events_stay_as_they_are")
    connection.execute("UPDATE events SET row = X'00' WHERE seq = 20")
    connection.close()
    before = [session.id for session in sessions_in(path)]
    with pytest.raises(EventError) as caught:
        fork_session(path, "one", "two")
    assert caught.value.code == "damaged_events"
    assert [session.id for session in sessions_in(path)] == before


def test_paths_may_be_texts(path: Path, exported: Path) -> None:
    file = str(path)
    fork_session(file, find_session(file, "one"), "two")
    assert import_session(str(exported), file, "three").id == "three"
    assert is_export(str(exported))
    delete_session(file, "two")
    assert {found.id for found in sessions_in(file)} == {"one", "three"}


def test_what_the_system_says_stands_in_one_case(tmp_path: Path) -> None:
    asked: list[Callable[[Path], object]] = [
        lambda file: import_session(file, tmp_path / "a.db"), read_session, lambda file: SqliteStore(file, "a"),
    ]  # fmt: skip
    for ask in asked:
        with pytest.raises(DccError, match="no such file or directory"):
            ask(tmp_path / "nowhere" / "a")
