"""read, write, edit: text files of the workspace."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dcc.runtime.agent.tools import read as reading
from dcc.runtime.agent.tools import workspace as workspaces
from dcc.runtime.agent.tools.arguments import ToolError
from dcc.runtime.agent.tools.edit import EDIT
from dcc.runtime.agent.tools.read import READ
from dcc.runtime.agent.tools.replacing import replace_once
from dcc.runtime.agent.tools.store_files import StoreFiles
from dcc.runtime.agent.tools.tool import ToolContext, ToolOutput
from dcc.runtime.agent.tools.workspace import Workspace
from dcc.runtime.agent.tools.write import WRITE
from dcc.runtime.providers.abort import Abort


class Files:
    """A workspace ``inside`` a folder, with the tools as functions."""

    def __init__(self, folder: Path) -> None:
        self.outside = folder / "secret.txt"
        self.outside.write_text("outside\n")
        self.root = folder / "inside"
        self.root.mkdir()
        self.context = ToolContext(Workspace(self.root))

    def read(self, path: str, **arguments: Any) -> ToolOutput:
        return READ.run({"path": path, **arguments}, self.context)

    def write(self, path: str, content: str) -> ToolOutput:
        return WRITE.run({"path": path, "content": content}, self.context)

    def edit(self, path: str, old: str, new: str) -> ToolOutput:
        return EDIT.run({"path": path, "oldText": old, "newText": new}, self.context)


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Files]:
    made = Files(tmp_path)
    yield made
    made.context.workspace.close()
    assert made.outside.read_text() == "outside\n"


def refused(output: ToolOutput) -> str:
    assert output.is_error
    return str(output.content)


# Where tools reach


@pytest.mark.parametrize(
    "name", ["talk.db", "talk.db-wal", "talk.db-shm", "talk.db-journal", "talk.db.0123456789abcdef.lock", "health.json"]
)
@pytest.mark.parametrize("is_there", [True, False])
def test_no_tool_writes_what_the_session_is_kept_in(name: str, is_there: bool, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(".")
    kept = tmp_path / "sub" / name
    kept.parent.mkdir()
    if is_there:
        kept.write_text("the session")
    with Workspace(tmp_path, StoreFiles(tmp_path / "alias" / "sub" / "talk.db", ["health.json"])) as workspace:
        context = ToolContext(workspace)
        for path in (f"sub/{name}", f"{tmp_path}/sub/../sub/{name}", f"sub/{name}/below.txt"):
            assert "keeps this session in" in refused(WRITE.run({"path": path, "content": "x"}, context))
        if is_there:
            given = {"path": f"sub/{name}", "oldText": "the", "newText": "no"}
            assert "keeps this session in" in refused(EDIT.run(given, context))
            assert kept.read_text() == "the session"
        assert sorted(path.name for path in kept.parent.iterdir()) == [name] * is_there
        for path in (name, f"sub/{name}.txt", "sub/talk.dbx", "sub/talk.db-wal.d/x"):
            assert not WRITE.run({"path": path, "content": "x"}, context).is_error


def test_a_workspace_that_somebody_removes_is_told(files: Files) -> None:
    files.root.rmdir()
    for output in (files.write("a/b.txt", "x"), files.read("a.txt"), files.edit("a.txt", "x", "y")):
        assert refused(output).startswith(f"the workspace {files.root} was removed")


def test_another_name_of_the_store_is_not_written_either(tmp_path: Path) -> None:
    (tmp_path / "talk.db-wal").write_text("the session")
    os.link(tmp_path / "talk.db-wal", tmp_path / "notes.txt")
    with Workspace(tmp_path, StoreFiles(tmp_path / "talk.db")) as workspace:
        said = refused(WRITE.run({"path": "notes.txt", "content": "x"}, ToolContext(workspace)))
    assert said == "notes.txt is a file that dcc keeps this session in: no tool writes it\nname another file"


@pytest.mark.parametrize("path", ["a/b.txt", "./a//b.txt", "a/x/../b.txt", "{root}/a/b.txt", "{root}/a/./b.txt"])
def test_ways_to_name_a_file_inside(files: Files, path: str) -> None:
    assert files.write("a/b.txt", "text").content == "made a/b.txt: 4 bytes"
    assert files.read(path.format(root=files.root)).content == "text"


@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "a/../../secret.txt", "{root}/../secret.txt", "/etc/passwd", "{root}-other/x", "~/x", "~"],
)
def test_nothing_outside_is_reached(files: Files, path: str) -> None:
    (files.root / "a").mkdir()
    path = path.format(root=files.root)
    for output in (files.read(path), files.write(path, "x"), files.edit(path, "outside", "x")):
        assert "is outside the workspace" in refused(output)


def test_a_workspace_that_is_named_by_a_link_has_both_names(files: Files, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(files.root)
    (files.root / "a").write_text("text")
    with Workspace(tmp_path / "alias") as workspace:
        context = ToolContext(workspace)
        for path in (tmp_path / "alias" / "a", files.root / "a"):
            assert READ.run({"path": str(path)}, context).content == "text"


@pytest.mark.parametrize("target", ["../secret.txt", "real.txt", "nowhere"])
def test_a_link_in_the_place_of_a_file_is_not_followed(files: Files, target: str) -> None:
    (files.root / "real.txt").write_text("outside\n")
    (files.root / "link").symlink_to(target)
    for output in (files.read("link"), files.write("link", "x"), files.edit("link", "outside", "x")):
        assert "link is a link, and links are not followed" in refused(output)
    assert (files.root / "link").is_symlink()


def test_a_link_in_the_place_of_a_folder_is_not_followed(files: Files) -> None:
    (files.root / "up").symlink_to("..")
    for path in ("up/secret.txt", "up/new.txt", "up/inside/new/new.txt"):
        for output in (files.read(path), files.write(path, "x"), files.edit(path, "outside", "x")):
            assert "is a link" in refused(output)
    assert sorted(os.listdir(files.root.parent)) == ["inside", "secret.txt"]


def test_special_files_are_refused_without_waiting(files: Files) -> None:
    os.mkfifo(files.root / "pipe")
    (files.root / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        # The name of a socket may be short only.
        here = os.getcwd()
        os.chdir(files.root)
        try:
            listening.bind("socket")
        finally:
            os.chdir(here)
        for name, kind in (("pipe", "a pipe"), ("socket", "a socket"), ("folder", "a folder")):
            for output in (files.read(name), files.write(name, "x"), files.edit(name, "a", "b")):
                assert f"{name} is {kind}, no plain file" in refused(output)


def test_a_device_is_not_even_opened(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    (files.root / "device").write_text("")
    seen = os.stat

    def as_device(*args: Any, **more: Any) -> os.stat_result:
        found = list(seen(*args, **more))
        found[0] = stat.S_IFCHR | 0o600
        return os.stat_result(found)

    monkeypatch.setattr(workspaces.os, "stat", as_device)
    assert "device is a device, no plain file" in refused(files.read("device"))


def test_a_file_on_the_way_is_no_folder(files: Files) -> None:
    files.write("a", "text")
    for output in (files.read("a/b"), files.write("a/b", "x")):
        assert "a in a/b is a plain file, no folder" in refused(output)


@pytest.mark.parametrize("path", ["", " ", "a\0b", "x" * 300, "a/" * 3000 + "b", "\ud83d", ".", "folder/"])
def test_paths_that_name_no_file_are_told(files: Files, path: str) -> None:
    (files.root / "folder").mkdir()
    for output in (files.read(path), files.write(path, "x"), files.edit(path, "a", "b")):
        assert refused(output)
    assert os.listdir(files.root) == ["folder"]


def test_a_missing_file_is_told(files: Files) -> None:
    assert refused(files.read("a/b.txt")) == "there is no a/b.txt\nlook which files there are"
    assert os.listdir(files.root) == []


def test_a_workspace_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="cannot be opened"):
        Workspace(tmp_path / "nothing")


def test_a_closed_workspace_opens_nothing(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.close()
    assert "closed" in refused(READ.run({"path": "a"}, ToolContext(workspace)))


# Arguments


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "the argument 'path' is missing"),
        ({"path": None}, "the argument 'path' is missing"),
        ({"path": 3}, "path is 3, expected a text"),
        ({"path": "a", "offset": 0}, "offset is 0, expected at least 1"),
        ({"path": "a", "offset": "one"}, "offset is 'one', expected a whole number"),
        ({"path": "a", "offset": True}, "offset is True, expected a whole number"),
        ({"path": "a", "lines": 3}, "there is no argument 'lines'"),
    ],
)
def test_wrong_arguments_say_what_was_expected(files: Files, arguments: dict[str, Any], said: str) -> None:
    assert said in refused(READ.run(arguments, files.context))


def test_numbers_written_as_text_are_read_as_meant(files: Files) -> None:
    files.write("a", "1\n2\n3\n")
    assert files.read("a", offset="2", limit=1.0).content == "2\n[2 of 6 bytes are left: go on with offset=3]"


# read


def test_a_part_says_how_much_is_left_and_how_to_go_on(files: Files) -> None:
    files.write("a", "".join(f"line {n}\n" for n in range(1, 6)))
    assert files.read("a", limit=2).content == "line 1\nline 2\n[21 of 35 bytes are left: go on with offset=3]"
    assert files.read("a", offset=3).content == "line 3\nline 4\nline 5"
    assert files.read("a", offset=9).content == "[a has fewer than 9 lines]"


def test_going_on_gives_the_whole_of_a_large_file(files: Files) -> None:
    lines = [f"{n} " + "é" * (n % 200) for n in range(9_000)]
    files.write("large", "\n".join(lines) + "\n")
    offset, found = 1, []
    while True:
        *part, last = str(files.read("large", offset=offset).content).split("\n")
        found += part
        if not last.startswith("["):
            found.append(last)
            break
        assert len("\n".join(part).encode()) <= reading.MOST_BYTES
        assert len(part) <= reading.MOST_LINES
        offset = int(last.rpartition("=")[2][:-1])
    assert found == lines


def test_a_huge_file_is_not_read_whole(files: Files) -> None:
    with open(files.root / "huge", "wb") as file:
        file.write(b"first\n" * 3000)
        file.truncate(1 << 40)
    output = files.read("huge", limit=1)
    assert str(output.content).startswith("first\n[1099511627770 of 1099511627776 bytes are left")


def test_a_search_for_a_far_line_can_be_aborted(files: Files) -> None:
    with open(files.root / "huge", "wb") as file:
        file.write(b"first\n" * 3000)
        file.truncate(1 << 40)
    abort = Abort()
    abort.set()
    context = ToolContext(files.context.workspace, abort)
    assert "stopped" in refused(READ.run({"path": "huge", "offset": 1_000_000}, context))
    context = ToolContext(files.context.workspace, deadline_s=0)
    assert "stopped" in refused(READ.run({"path": "huge", "offset": 1_000_000}, context))


def test_a_line_longer_than_the_bound_is_cut_at_a_character(files: Files) -> None:
    files.write("wide", "é" * 40_000 + "\nnext\n")
    shown = str(files.read("wide").content)
    assert shown.startswith("é" * 25_000 + "\n[line 1 is longer")
    assert "the next line is offset=2" in shown
    assert files.read("wide", offset=2).content == "next"


def test_binary_files_are_named_not_shown(files: Files) -> None:
    (files.root / "early").write_bytes(b"\x89PNG\0\0")
    (files.root / "late").write_bytes(b"a\n" * 10_000 + b"\0\0")
    assert refused(files.read("early")) == "early is binary (6 bytes): it cannot be read as text"
    assert "late is binary" in refused(files.read("late", offset=9_990))
    assert "early is binary" in refused(files.edit("early", "PNG", "GIF"))


def test_what_is_not_utf8_is_shown_with_a_note(files: Files) -> None:
    (files.root / "latin").write_bytes(b"caf\xe9\n")
    assert files.read("latin").content == "caf\ufffd\n[some bytes are not UTF-8; \ufffd stands for them]"


def test_an_empty_file_and_a_byte_order_mark(files: Files) -> None:
    files.write("empty", "")
    assert files.read("empty").content == "[empty is empty]"
    (files.root / "marked").write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    assert files.read("marked").content == "a\r\nb\r"


# write


def test_a_write_replaces_the_file_and_keeps_its_mode(files: Files) -> None:
    (files.root / "run.sh").write_text("old")
    (files.root / "run.sh").chmod(0o751)
    assert files.write("run.sh", "new").content == "wrote run.sh: 3 bytes"
    assert stat.S_IMODE((files.root / "run.sh").stat().st_mode) == 0o751
    assert os.listdir(files.root) == ["run.sh"]


def test_a_new_file_has_the_mode_of_the_umask(files: Files) -> None:
    before = os.umask(0o027)
    try:
        files.write("deep/er/new", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((files.root / "deep/er/new").stat().st_mode) == 0o640


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write("a", "old")

    def full(*args: Any, **more: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(workspaces.os, "fsync", full)
    assert refused(files.write("a", "new")) == "a: no space left on device"
    assert os.listdir(files.root) == ["a"]
    assert (files.root / "a").read_text() == "old"


def test_a_hard_link_to_a_file_outside_does_not_carry_a_write_there(files: Files) -> None:
    os.link(files.outside, files.root / "hard")
    assert not files.write("hard", "inside").is_error
    assert (files.root / "hard").read_text() == "inside"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to everything")
def test_a_file_that_may_not_be_written_to_is_left(files: Files) -> None:
    files.write("a", "old")
    (files.root / "a").chmod(0o444)
    assert "its mode is 0444" in refused(files.write("a", "new"))


def test_half_a_character_cannot_be_written(files: Files) -> None:
    assert "half of a pair" in refused(files.write("a", "ok \ud83d"))
    assert os.listdir(files.root) == []


# edit


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\nb\nc\n", "b", "B", b"a\nB\nc\n"),
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\n", "a", "x\ny", b"x\r\ny\r\nb\r\n"),
        (b"a\nb\n", "a\r\nb", "x\r\ny", b"x\ny\n"),
        (b"one\r\ntwo\nthree\n", "two\nthree", "2\n3", b"one\r\n2\n3\n"),
        (b"\xef\xbb\xbfa\nb\n", "a", "x", b"\xef\xbb\xbfx\nb\n"),
        (b"\xef\xbb\xbfa\n", "\ufeffa", "x", b"\xef\xbb\xbfx\n"),
        (b"caf\xe9\nb\xff\nlast", "last", "é", b"caf\xe9\nb\xff\n\xc3\xa9"),
        (b"a.b\naxb\n", "a.b", r"\1 \g<0>", b"\\1 \\g<0>\naxb\n"),
        (b"a\r\n\r\nb\r\n", "\n\n", "\n", b"a\r\nb\r\n"),
        (b"gone", "gone", "", b""),
    ],
)
def test_an_edit_changes_what_was_asked_and_no_other_byte(
    files: Files, before: bytes, old: str, new: str, after: bytes
) -> None:
    (files.root / "a").write_bytes(before)
    output = files.edit("a", old, new)
    assert not output.is_error, output
    assert (files.root / "a").read_bytes() == after


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("x = 1", "x = 2", "stands more than once in a.py: at line 1, 3"),
        ("aa", "b", "stands more than once in a.py: at line 4"),
        ("    y = 2", "y", "oldText is not in a.py; line 2 is like it but for its blanks\nthe line is '  y = 2'"),
        ("def some_function():", "", "line 5 is the nearest to it\nthe line is 'def some_functions():'"),
        ("nothing like it", "", "oldText is not in a.py\nread the file"),
        ("", "x", "oldText is empty"),
        ("y = 2", "y = 2", "are the same"),
        ("\n\n\n\n\n", "", "oldText is not in a.py"),
    ],
)
def test_an_edit_that_cannot_be_made_says_why(files: Files, old: str, new: str, said: str) -> None:
    text = "x = 1\n  y = 2\nx = 1\naaa\ndef some_functions():\n"
    files.write("a.py", text)
    assert said in refused(files.edit("a.py", old, new))
    assert (files.root / "a.py").read_text() == text


@given(
    lines=st.lists(st.tuples(st.sampled_from(["a", "b", "ab", "", "é"]), st.sampled_from(["\n", "\r\n"])), max_size=8),
    cut=st.tuples(st.integers(0, 20), st.integers(1, 20)),
    new=st.text("xyz", max_size=3),
)
def test_a_piece_of_a_file_is_replaced_and_nothing_else(
    lines: list[tuple[str, str]], cut: tuple[int, int], new: str
) -> None:
    data = "".join(text + end for text, end in lines).encode()
    old = data[cut[0] : cut[0] + cut[1]]
    assume(old and not old.startswith(b"\n") and not old.endswith(b"\r"))
    places = [at for at in range(len(data)) if data.startswith(old, at)]
    plain, plain_old = data.replace(b"\r\n", b"\n"), old.replace(b"\r\n", b"\n")
    alike = sum(plain.startswith(plain_old, at) for at in range(len(plain)))
    if alike > 1:
        with pytest.raises(ToolError, match="more than once"):
            replace_once(data, old, new.encode(), "f")
    else:
        (at,) = places
        found, line = replace_once(data, old, new.encode(), "f")
        assert found == data[:at] + new.encode() + data[at + len(old) :]
        assert line == data[:at].count(b"\n") + 1


def test_an_edit_says_its_line_and_keeps_the_mode(files: Files) -> None:
    files.write("a", "1\n2\n3\n")
    (files.root / "a").chmod(0o600)
    assert files.edit("a", "3", "4").content == "edited a at line 3"
    assert stat.S_IMODE((files.root / "a").stat().st_mode) == 0o600


def test_an_edit_of_a_file_that_changes_meanwhile_is_refused(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write("a", "one two")
    synced: Callable[[int], None] = os.fsync

    def change(descriptor: int) -> None:
        monkeypatch.setattr(workspaces.os, "fsync", synced)
        (files.root / "a").write_text("somebody else's")

    monkeypatch.setattr(workspaces.os, "fsync", change)
    assert "was changed by somebody else" in refused(files.edit("a", "one", "1"))
    assert (files.root / "a").read_text() == "somebody else's"
    assert os.listdir(files.root) == ["a"]


def test_a_file_too_large_to_edit_is_refused(files: Files) -> None:
    with open(files.root / "huge", "wb") as file:
        file.truncate(1 << 40)
    assert "can be edited" in refused(files.edit("huge", "a", "b"))
