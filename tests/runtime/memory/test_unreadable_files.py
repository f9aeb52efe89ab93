"""What cannot be read is told of and in nobody's way: no rights, too large, too deep, names that no address has."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from canon_project import Project
from unprivileged import unprivileged

from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.graph.gather import graph_of
from dcc.runtime.memory.linting import lint
from dcc.runtime.memory.reply import Reply
from dcc.runtime.memory.search.indexes import Indexes
from dcc.runtime.memory.store.files import LARGEST

CONFIG = "src/core/config"
LINE = "src/core/config: Env wins."


@pytest.fixture
def project() -> Iterator[Project]:
    """In a folder that everybody may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    made = Project(folder)
    made.write(CONFIG, capsule="Env wins.", body="# Config")
    made.call("journal", body="It happened.", subject=[CONFIG])
    yield made
    shutil.rmtree(folder)


def reader(project: Project) -> Canon:
    """A session that reads, with an index of its own."""
    canon = Canon(str(project.folder), read_only=True)
    canon.desk.indexes = Indexes("/dev/null/nowhere")
    return canon


def flaws(project: Project) -> dict[str, str]:
    found = lint(reader(project).desk).diagnostics
    return {Path(one.path).name: one.message for one in found if one.name == "unreadable-article"}


def everything(project: Project) -> dict[str, Reply]:
    """What every verb that reads answers; each gives the one article that is sound, and a graph is drawn."""
    calls: dict[str, dict[str, Any]] = {
        "read": {"path": f"{CONFIG}.ts"}, "map": {}, "search": {"query": "config", "journal": True},
    }  # fmt: skip
    replies = {action: reader(project).call({"action": action, **call}) for action, call in calls.items()}
    replies["status"] = reader(project).status()
    assert replies["read"].data["body"] == "# Config"
    assert LINE in replies["map"].text.splitlines()
    assert LINE in replies["search"].text.splitlines()
    assert not any(reply.is_error for reply in replies.values())
    assert graph_of(reader(project).desk).nodes
    return replies


@pytest.mark.skipif(not hasattr(os, "fork"), reason="permissions of Unix")
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("articles/b.md", True),
        ("articles/private", True),
        ("journal/2025-01-01-entry.md", True),
        (".journal-index.jsonl", False),  # It is derived: nothing is lost.
    ],
)
def test_what_may_not_be_read_hides_nothing_else(project: Project, name: str, told: bool) -> None:
    (project.root / "articles/private").mkdir()
    for article in ("b", "private/c"):
        project.put(article, "---\ncapsule: C.\n---\nx\n")
    if name.startswith("journal/"):
        (project.root / ".journal-index.jsonl").unlink()
    everything(project)  # What is imported late is imported now.
    flaws(project)
    closed = project.root / name
    closed.chmod(0o000)

    def act() -> None:
        everything(project)
        assert flaws(project) == ({closed.name: "the file cannot be used: permission denied"} if told else {})

    assert unprivileged(act) == 0
    closed.chmod(0o755)


def test_a_file_that_is_not_read_is_named_in_a_map(project: Project) -> None:
    (project.root / "articles/huge.md").touch()
    os.truncate(project.root / "articles/huge.md", LARGEST + 1)
    assert everything(project)["map"].text == f"huge: (not read: it is too large)\n{LINE}"


@pytest.mark.parametrize("name", ["articles/huge.md", "journal/2025-01-02-huge.md"])
def test_a_file_of_a_gigabyte_is_not_read(project: Project, name: str) -> None:
    (project.root / name).touch()
    os.truncate(project.root / name, 1 << 30)
    everything(project)
    assert flaws(project) == {Path(name).name: "the file cannot be used: it is too large"}
    assert project.call("journal", body="Event.", subject=["huge"]).code == "logged"
    if name.startswith("articles"):
        for action in ("read", "write"):
            assert project.call(action, "huge", body="x").code == "too_large"


@pytest.mark.parametrize("action", ["write", "journal"])
def test_what_could_not_be_read_again_is_not_written(project: Project, action: str) -> None:
    before = {path for path in project.root.rglob("*") if ".dcc" not in path.parts}
    reply = project.call(action, "new", body="x" * LARGEST)
    assert (reply.code, f"more than {LARGEST} bytes" in reply.text) == ("too_large", True)
    assert {path for path in project.root.rglob("*") if ".dcc" not in path.parts} == before


@pytest.mark.parametrize("number", [None, 0, 1])
def test_a_file_that_says_nothing_of_its_size_is_read_whole(tmp_path: Path, number: int | None) -> None:
    from dcc.runtime.memory.store.files import read_file

    path = tmp_path / "file" if number is not None else Path("/proc/self/status")
    if number is None and not path.exists():
        pytest.skip("no /proc")
    if number is not None:
        path.write_bytes(b"x" * number)
    assert (read_file(str(path)) or b"")[:4] == (b"Name" if number is None else b"x" * number)


def test_folders_deeper_than_any_path_hide_nothing_else(project: Project) -> None:
    made = [os.open(project.root / "articles", os.O_RDONLY)]
    for _ in range(30):
        os.mkdir("d" * 200, dir_fd=made[-1])
        made.append(os.open("d" * 200, os.O_RDONLY, dir_fd=made[-1]))
    for handle in made:
        os.close(handle)
    everything(project)
    assert [message for name, message in flaws(project).items()] == ["the file cannot be used: file name too long"]


@pytest.mark.parametrize("name", [b"new\nsrc: Injected", b"esc\x1b[31m", b"c1\xc2\x9b31m", b"\xff\xfe"])
@pytest.mark.parametrize("folder", ["articles", "journal"])
def test_a_name_that_no_address_has_is_told_of_and_never_shown(project: Project, folder: str, name: bytes) -> None:
    file = os.fsencode(project.root / folder) + b"/2025-01-02-" + name + b".md"
    try:
        Path(os.fsdecode(file)).write_text(f"---\nsubject: [{CONFIG}]\ncapsule: C.\n---\nconfig\n")
    except (OSError, UnicodeError):
        pytest.skip("a name that this system does not take")
    replies = everything(project)
    assert replies["map"].text == LINE
    assert "Injected" not in "".join(reply.text for reply in replies.values())
    assert replies["read"].data["journal"] == ["2025-01-01-entry.md"]
    assert "1 article, 1 journal entry" in replies["status"].text
    assert list(flaws(project).values()) == ["the file cannot be used: it holds a control character"]


@pytest.mark.parametrize("made", [Path.touch, Path.mkdir])
@pytest.mark.parametrize("name", ["articles", "journal"])
def test_a_file_in_the_place_of_a_folder_is_told_of(
    tmp_path: Path, name: str, made: Callable[[Path], None]
) -> None:
    (tmp_path / ".canon").mkdir()
    made(tmp_path / ".canon" / name)
    canon = Canon(str(tmp_path), read_only=True)
    assert canon.status().code == "status"
    found = [one.message for one in lint(canon.desk).diagnostics]
    assert found == (["the file cannot be used: not a directory"] if made is Path.touch else [])


@pytest.mark.parametrize("closed", [".canon", ".canon/articles", ".canon/articles/src"])
def test_what_cannot_be_looked_into_is_not_said_to_be_empty(closed: str) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        store = Canon(str(folder))
        for path in ("src/config.ts", "docs/a.md"):
            assert store.call({"action": "write", "path": path, "capsule": "C."}).code == "wrote"
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o777)
        (folder / closed).chmod(0)
        why = f"{folder / closed}: permission denied"

        def act() -> None:
            canon = Canon(str(folder), read_only=True)
            reply = canon.call({"action": "read", "path": "src/config.ts"})
            assert (reply.code, why in reply.text) == ("store_failed", True)
            mapped = canon.call({"action": "map"}).text.splitlines()
            if closed.endswith("src"):
                assert mapped == ["docs/a: C.", f"(not looked into: {why})"]
            else:
                assert mapped == [f"The store cannot be used: {why}."]
                assert canon.call({"action": "search", "query": "c"}).code == "store_failed"
                assert f"{folder / closed} cannot be looked into: permission denied." in canon.status().text

        assert unprivileged(act) == 0
    finally:
        for path in (folder, folder / ".canon", folder / ".canon/articles", folder / ".canon/articles/src"):
            path.chmod(0o777)
        shutil.rmtree(folder)


def test_articles_that_cannot_be_read_are_not_said_to_be_none(tmp_path: Path) -> None:
    Canon(str(tmp_path)).init()
    (tmp_path / ".canon/articles/a.md").write_bytes(b"x" * ((16 << 20) + 1))
    text = Canon(str(tmp_path)).call({"action": "search", "query": "x"}).text
    assert text == "No article can be read: `dcc canon lint` says why."
