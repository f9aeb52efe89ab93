"""The derived index: whatever others do to the files, it is what one made from nothing is."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import canon_writers
import pytest
from canon_project import Project

from dcc.runtime.memory.search import index as index_module
from dcc.runtime.memory.search import saved
from dcc.runtime.memory.search.documents import ArticleFiles, Document
from dcc.runtime.memory.search.index import Index
from dcc.runtime.memory.search.indexes import Indexes
from dcc.runtime.memory.search.location import cache_folder, index_file
from dcc.runtime.memory.store.store import Store


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "proj")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def opened(project: Project, cache: Path) -> Index:
    """The index of a process that has just begun."""
    return Indexes(str(cache)).articles(project.canon.mounts.project)


def rebuilt(project: Project) -> Index:
    """An index made from nothing, and kept nowhere."""
    index = Index(ArticleFiles(project.store.articles), None)
    index.refresh()
    return index


def fill(project: Project, count: int) -> None:
    for n in range(count):
        project.put(f"part{n % 7}/n{n}", f"---\ncapsule: Number {n}.\n---\nWritten by hand, 第{n}号。\n")


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as settled at once, as if each had been written long ago."""
    monkeypatch.setattr(index_module, "YOUNG", -(10**18))


class Reads:
    """Counts the files that are read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: list[str] = []
        real = index_module.read_file

        def read(path: str) -> bytes | None:
            self.paths.append(path)
            return real(path)

        monkeypatch.setattr(index_module, "read_file", read)


@pytest.mark.usefixtures("settled")
def test_a_kept_index_is_opened_without_reading_an_article(
    project: Project, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(project, 80)
    first = opened(project, cache)
    reads = Reads(monkeypatch)
    second = opened(project, cache)
    assert reads.paths == []
    assert second.content() == first.content() == rebuilt(project).content()
    assert len(second.known) == 80


@pytest.mark.usefixtures("settled")
def test_only_what_changed_is_read_again(project: Project, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(project, 80)
    opened(project, cache)
    project.put("part1/n1", "Changed.")
    project.file("part2/n2").unlink()
    reads = Reads(monkeypatch)
    index = opened(project, cache)
    assert reads.paths == [str(project.file("part1/n1"))]
    assert "part2/n2" not in index.known
    assert index.content() == rebuilt(project).content()


class CoarseClock:
    """The articles of a store on a file system whose clock stands still: every file has the same times."""

    def __init__(self, project: Project, seconds: float) -> None:
        self._files = ArticleFiles(project.store.articles)
        self._time = int(seconds * 1e9)

    def listed(self) -> Iterator[tuple[str, Any]]:
        """Each file with the same number, size and times."""
        found = SimpleNamespace(st_ino=1, st_size=1, st_mtime_ns=self._time, st_ctime_ns=self._time)
        for key, entry in self._files.listed():
            yield key, SimpleNamespace(path=entry.path, stat=lambda: found)

    def document(self, key: str, data: bytes) -> Document:
        """The article."""
        return self._files.document(key, data)


@pytest.mark.parametrize(("age", "seen"), [(0, True), (3_600, False)])
def test_a_second_write_within_one_tick_of_the_clock_is_seen(
    project: Project, cache: Path, age: int, seen: bool
) -> None:
    fill(project, 80)
    source = CoarseClock(project, time.time() - age)
    file = index_file(str(cache), project.store.layout.articles)
    for time_of in ("once", "twice"):
        index = Index(source, file)
        index.refresh()
        project.put("part1/n1", f"Altered {time_of}.")
        index.refresh()
        # What looks the same for an hour is taken to be the same.
        assert (index.content() == rebuilt(project).content()) is seen


@pytest.mark.usefixtures("settled")
def test_a_file_that_is_gone_is_noticed_with_nothing_else(project: Project, cache: Path) -> None:
    fill(project, 3)
    index = opened(project, cache)
    project.file("part1/n1").unlink()
    index.refresh()
    assert index.content() == rebuilt(project).content()


@pytest.mark.usefixtures("settled")
def test_a_file_that_is_touched_changes_nothing(project: Project, cache: Path) -> None:
    fill(project, 3)
    index = opened(project, cache)
    generation = index.generation
    os.utime(project.file("part1/n1"))
    index.refresh()
    assert index.generation == generation


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"[1]\n", b"no json", b"\xff\xfe"])
@pytest.mark.usefixtures("settled")
def test_a_damaged_index_is_made_anew(project: Project, cache: Path, damage: bytes) -> None:
    fill(project, 80)
    whole = opened(project, cache).content()
    (file,) = cache.iterdir()
    file.write_bytes(damage)
    assert opened(project, cache).content() == whole
    assert saved.read(str(file)) is not None


@pytest.mark.usefixtures("settled")
def test_an_index_cut_off_or_altered_anywhere_is_none(project: Project, cache: Path) -> None:
    fill(project, 80)
    opened(project, cache)
    (file,) = cache.iterdir()
    data = file.read_bytes()
    for at in range(0, len(data), max(1, len(data) // 200)):
        file.write_bytes(data[:at])
        assert saved.read(str(file)) is None
        file.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert saved.read(str(file)) is None
    file.write_bytes(data)
    assert saved.read(str(file)) is not None


@pytest.mark.usefixtures("settled")
def test_another_version_is_made_anew(project: Project, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(project, 80)
    opened(project, cache)
    monkeypatch.setattr(saved, "VERSION", saved.VERSION + 1)
    reads = Reads(monkeypatch)
    opened(project, cache)
    assert len(reads.paths) == 80


@pytest.mark.usefixtures("settled")
def test_a_cache_that_cannot_be_written_is_done_without(project: Project, tmp_path: Path) -> None:
    fill(project, 80)
    (tmp_path / "cache").write_text("a file, not a folder")
    assert opened(project, tmp_path / "cache").content() == rebuilt(project).content()


@pytest.mark.usefixtures("settled")
def test_the_index_is_for_its_owner_and_leaves_nothing_else(project: Project, cache: Path) -> None:
    fill(project, 80)
    cache.mkdir()
    abandoned, running = cache / "x.index.1-a.making", cache / "x.index.2-b.making"
    for path in (abandoned, running):
        path.touch()
    os.utime(abandoned, (time.time() - 2 * saved.ABANDONED,) * 2)
    opened(project, cache)
    assert sorted(path.suffix for path in cache.iterdir()) == [".index", ".making"]
    assert running.exists()
    (file,) = cache.glob("*.index")
    if os.name == "posix":
        assert file.stat().st_mode & 0o077 == 0


def test_a_store_that_is_only_read_has_nothing_written_to_it(project: Project, cache: Path) -> None:
    fill(project, 80)
    before = sorted(project.root.rglob("*"))
    store = Store(str(project.root), read_only=True)
    index = Index(ArticleFiles(store.articles), index_file(str(cache), store.layout.articles))
    index.refresh()
    assert len(index.known) == 80
    assert sorted(project.root.rglob("*")) == before


def test_the_words_of_what_is_deleted_go_with_the_next_save(
    project: Project, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(project, 80)
    project.put("secret", "hunter2hunter2")
    monkeypatch.setattr(index_module, "UNSAVED", 0)
    opened(project, cache)
    project.file("secret").unlink()
    for n in range(5):
        project.put(f"more{n}", "x")
    opened(project, cache)
    (file,) = cache.iterdir()
    assert b"hunter2" not in file.read_bytes()


def test_where_the_index_lies(tmp_path: Path) -> None:
    home = {"HOME": "/home/ada"}
    assert cache_folder(home, "linux") == os.path.join("/home/ada", ".cache", "dcc", "canon")
    assert cache_folder({**home, "XDG_CACHE_HOME": "/c"}, "linux") == os.path.join("/c", "dcc", "canon")
    assert cache_folder({**home, "XDG_CACHE_HOME": "c"}, "linux") == os.path.join("/home/ada", ".cache", "dcc", "canon")
    assert cache_folder(home, "darwin") == os.path.join("/home/ada", "Library", "Caches", "dcc", "canon")
    assert cache_folder({**home, "LOCALAPPDATA": "L"}, "win32") == os.path.join("L", "dcc", "cache", "canon")
    assert cache_folder({**home, "DCC_CACHE": "/d"}, "linux") == os.path.join("/d", "canon")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert index_file("c", str(tmp_path / "real")) == index_file("c", str(tmp_path / "link"))


def write_somehow(random: Random, project: Project) -> None:
    """One thing that another program may do to an article."""
    path = project.file(f"{random.choice(['a', 'b/c', '文'])}/{random.randint(0, 3)}")
    other = project.file(f"b/{random.randint(0, 3)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    other.parent.mkdir(parents=True, exist_ok=True)
    text = f"word{random.randint(0, 9)} 限额{random.randint(0, 9)}"
    match random.randint(0, 6):
        case 0 | 1:
            path.write_text(text, encoding="utf-8")
        case 2:
            path.unlink(missing_ok=True)
        case 3 if path.exists():
            path.replace(other)
        case 4:
            made = path.with_suffix(".tmp")
            made.write_text(text, encoding="utf-8")
            made.replace(path)
        case 5 if path.exists():
            with path.open("a", encoding="utf-8") as file:
                file.write(" more")
        case 6 if not other.exists() and path.exists():
            other.hardlink_to(path)


@pytest.mark.parametrize("seed", range(12))
def test_after_any_writes_of_others_it_equals_a_rebuild(
    project: Project, cache: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    random = Random(seed)
    monkeypatch.setattr(index_module, "UNSAVED", random.choice([0, 2, 5, 1_000]))
    lasting = opened(project, cache)
    for _ in range(12):
        for _ in range(random.randint(0, 6)):
            write_somehow(random, project)
        index = lasting if random.random() < 0.5 else opened(project, cache)
        index.refresh()
        assert index.content() == rebuilt(project).content()


def test_processes_that_write_are_followed(project: Project, cache: Path) -> None:
    script = canon_writers.__file__
    command = [sys.executable, script, str(project.folder)]
    processes = [subprocess.Popen([*command, str(n), "8", "many"], stdout=subprocess.DEVNULL) for n in range(3)]
    index = opened(project, cache)
    while any(process.poll() is None for process in processes):
        index.refresh()
    assert [process.returncode for process in processes] == [0, 0, 0]
    index.refresh()
    assert index.content() == rebuilt(project).content()
    indexes = Indexes(str(cache))
    entries = indexes.entries(project.canon.mounts.project)
    assert entries.known.keys() == project.store.journal.names()
