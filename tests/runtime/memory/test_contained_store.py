"""A store that came with somebody else's project: whatever links lie in it, nothing outside of it is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from canon_project import Project

from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.linting import lint
from dcc.runtime.memory.store.files import LARGEST
from dcc.runtime.memory.store.lock import locked
from dcc.runtime.memory.store.store import Store


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "proj")
    made.write("src/a", capsule="C.", body="one")
    return made


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder of the user, in which nothing may change."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.txt").write_text(f"my text {number}")
    (folder / "note.md").write_text("---\ncapsule: hunter2\n---\nhunter2\n")
    return folder


def content(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def replace(path: Path, target: Path) -> None:
    """Put a link in the place of a file or of a folder."""
    if path.exists():
        path.rename(path.with_name(f"{path.name}.moved"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize(
    "name", ["articles", "journal", ".dcc", ".dcc/tmp", ".dcc/lock", ".dcc/replaced", ".dcc/replaced/src/a.md"]
)
def test_a_part_of_the_store_that_is_a_link_is_not_written_through(project: Project, mine: Path, name: str) -> None:
    replace(project.root / name, mine / "made-by-lock" if name == ".dcc/lock" else mine)
    before = content(mine)
    canon = Canon(str(project.folder))
    reply = canon.call({"action": "write", "path": "src/a", "body": "two"})
    assert (reply.code, name.rpartition("/")[2] in reply.text) == ("outside_store", True)
    if not name.endswith("a.md"):
        assert canon.call({"action": "journal", "body": "Event."}).code == "outside_store"
    assert content(mine) == before


@pytest.mark.parametrize("name", [".dcc", ".dcc/tmp"])
def test_what_lies_behind_a_link_is_never_swept(project: Project, mine: Path, name: str) -> None:
    (mine / "tmp").mkdir()
    (mine / "tmp" / "thesis.txt").write_text("mine")
    replace(project.root / name, mine)
    before = content(mine)
    Store(str(project.root))
    assert content(mine) == before


@pytest.mark.parametrize("name", ["articles", "journal"])
def test_linked_articles_and_entries_are_nobodys(project: Project, mine: Path, name: str) -> None:
    project.call("journal", body="Event.", subject=["src/a"])
    replace(project.root / name, mine)
    canon = Canon(str(project.folder), read_only=True)
    for call in ({"action": "map"}, {"action": "search", "query": "hunter2", "journal": True}):
        assert "hunter2" not in canon.call(call).text.replace('"hunter2"', "")
    assert canon.call({"action": "read", "path": "note"}).code in ("outside_store", "no_article")
    assert "hunter2" not in str(canon.call({"action": "read", "path": "src/a"}).data)
    found = {one.path: one.message for one in lint(canon.desk).diagnostics if one.name == "unreadable-article"}
    assert {Path(path).name: message for path, message in found.items()} == {
        name: "the file cannot be used: it is a link out of the store"
    }


def test_versions_of_others_are_not_listed_and_files_of_others_not_taken_for_any(project: Project, mine: Path) -> None:
    folder = project.root / ".dcc/replaced/src/a.md"
    folder.mkdir(parents=True)
    for number in range(30):
        (folder / f"{number}.txt").write_text("not dcc's")
    project.write("src/a", body="two")
    assert len([path for path in folder.iterdir() if path.suffix == ".txt"]) == 30
    assert len(project.canon.versions("src/a").data["versions"]) == 1
    replace(folder, mine)
    assert project.canon.versions("src/a").code == "nothing_to_restore"
    assert project.canon.restore("src/a").code == "nothing_to_restore"


def test_a_version_that_is_a_link_is_not_restored(project: Project, mine: Path) -> None:
    project.write("src/a", body="two")
    name = project.canon.versions("src/a").data["versions"][0]["name"]
    replace(project.root / ".dcc/replaced/src/a.md" / name, mine / "note.md")
    assert project.canon.restore("src/a").code == "nothing_to_restore"
    assert "hunter2" not in project.file("src/a").read_text()


def test_an_index_that_is_a_link_is_replaced_and_not_written_through(project: Project, mine: Path) -> None:
    replace(project.root / ".journal-index.jsonl", mine / "0.txt")
    before = content(mine)
    name = project.call("journal", body="Event.", subject=["src/a"]).data["name"]
    assert content(mine) == before
    assert name in (project.root / ".journal-index.jsonl").read_text()


@pytest.mark.parametrize("made", [os.mkfifo, os.mkdir])
def test_an_index_that_is_no_file_holds_nobody_up(project: Project, made: object) -> None:
    assert callable(made)
    made(project.root / ".journal-index.jsonl")
    name = project.call("journal", body="Event.", subject=["src/a"]).data["name"]
    assert project.call("read", "src/a").data["journal"] == [name]


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000 + "\n", '{"n": ' + "9" * 5_000 + "}\n", "<<<<<<< HEAD\n", "\0\n", "x" * (LARGEST + 1), '{"n":"a"}'],
    ids=range(6),
)
def test_an_index_that_holds_anything_is_made_anew(project: Project, text: str) -> None:
    name = project.call("journal", body="Event.", subject=["src/a"]).data["name"]
    (project.root / ".journal-index.jsonl").write_text(text)
    assert Canon(str(project.folder)).call({"action": "read", "path": "src/a"}).data["journal"] == [name]
    assert name in (project.root / ".journal-index.jsonl").read_text()


def test_a_lock_is_taken_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to("elsewhere")
    with pytest.raises(OSError, match="lock"), locked(str(tmp_path / "lock")):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_among_what_died_does_not_stop_a_write(project: Project) -> None:
    (project.root / ".dcc/tmp/folder").mkdir(parents=True)
    assert project.call("write", "src/a", body="two").code == "wrote"


def test_a_store_that_is_a_link_as_a_whole_is_used(project: Project, tmp_path: Path) -> None:
    other = Project(tmp_path / "worktree")
    other.root.symlink_to(project.root)
    assert other.call("read", "src/a").data["body"] == "one"
    assert other.call("write", "src/a", body="two").code == "wrote"
    assert project.call("read", "src/a").data["body"] == "two"
