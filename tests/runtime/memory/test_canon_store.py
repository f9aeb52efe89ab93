"""The store beyond the gates: lost updates, restoring, links out of it, forms of Unicode, mounts, reading only."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from canon_project import TODAY, Project, advice

from dcc.grammar.canon.articles import Change
from dcc.grammar.canon.entries import Entry
from dcc.runtime.kernel.clock import MANUAL_START
from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.desk import Provenance
from dcc.runtime.memory.errors import CanonError
from dcc.runtime.memory.options import Options
from dcc.runtime.memory.store.store import Store


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "proj")


class Wavering:
    """A clock that goes on by ``step`` seconds whenever it is asked, or back."""

    def __init__(self, step: float) -> None:
        self._step, self._now = step, MANUAL_START

    def now(self) -> float:
        self._now += self._step
        return self._now


def other(project: Project) -> Canon:
    """Another session in the same project."""
    return Canon(str(project.folder), clock=project.clock)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# Lost updates.


def test_a_write_over_a_text_that_was_not_seen_is_stale(project: Project) -> None:
    project.write("a", capsule="C.", body="Mine.")
    other(project).call({"action": "write", "path": "a", "body": "Theirs."})
    reply = project.call("write", "a", body="Mine, again.")
    assert (reply.code, reply.data["body"], reply.data["capsule"]) == ("stale", "Theirs.", "C.")
    assert "Theirs." in project.file("a").read_text()
    # The reply has shown what is there, so the next write knows it.
    assert project.call("write", "a", body="Both.").code == "wrote"


def test_an_address_that_was_seen_empty_is_guarded_too(project: Project) -> None:
    assert project.call("read", "a/b").code == "no_article"
    other(project).call({"action": "write", "path": "a/b", "body": "Theirs."})
    assert project.call("write", "a/b", body="Mine.").code == "stale"


def test_an_article_that_is_gone_is_stale(project: Project) -> None:
    project.write("a", body="x")
    project.file("a").unlink()
    reply = project.call("write", "a", body="y")
    assert (reply.code, reply.data["base"]) == ("stale", "none")
    assert project.call("write", "a", body="y").code == "wrote"


def test_a_write_of_what_somebody_else_wrote_already_is_current(project: Project) -> None:
    project.write("a", body="x")
    other(project).call({"action": "write", "path": "a", "body": "y"})
    assert project.call("write", "a", body="y").code == "current"


def test_a_base_guards_a_client_without_a_memory(project: Project) -> None:
    base = project.write("a", body="x").data["base"]
    assert other(project).call({"action": "write", "path": "a", "body": "y", "base": "none"}).code == "stale"
    assert other(project).call({"action": "write", "path": "a", "body": "y", "base": base}).code == "wrote"
    assert other(project).call({"action": "write", "path": "a", "body": "z", "base": base}).code == "stale"


def test_what_a_session_never_saw_is_written_over_and_can_be_restored(project: Project) -> None:
    project.put("a", "---\nowner: me\n---\r\nBy hand.\n")
    before = project.file("a").read_bytes()
    assert project.call("write", "a", body="By tool.").code == "wrote"
    assert project.canon.restore("a").code == "restored"
    assert project.file("a").read_bytes() == before
    assert project.canon.restore("a").code == "restored"
    assert project.call("read", "a").data["body"] == "By tool."


def test_a_version_is_restored_by_name(project: Project) -> None:
    for text in ("one", "two", "three"):
        project.write("a", body=text)
        project.clock.advance(1)
    versions = project.canon.versions("a").data["versions"]
    assert len(versions) == 2
    assert project.canon.restore("a", versions[-1]["name"]).code == "restored"
    assert project.call("read", "a").data["body"] == "one"
    assert project.canon.restore("a", "never").code == "nothing_to_restore"
    assert project.canon.restore("b").code == "nothing_to_restore"


@pytest.mark.parametrize("step", [0, -3_600, 0.0001])
def test_the_last_replaced_text_is_the_last_whatever_the_clock_does(project: Project, step: float) -> None:
    canon = Canon(str(project.folder), clock=Wavering(step))
    for number in range(25):
        canon.call({"action": "write", "path": "a", "body": f"text {number}"})
    versions = [one["name"] for one in canon.versions("a").data["versions"]]
    assert (len(versions), versions) == (20, sorted(versions, reverse=True))
    canon.restore("a")
    assert project.call("read", "a").data["body"] == "text 23"


def test_writes_that_fail_push_no_version_out(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("one", "two", "three"):
        project.write("a", body=text)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("dcc.runtime.memory.store.store.put", full)
        for number in range(30):
            reply = project.call("write", "a", body=f"text {number}")
            assert (reply.code, "no space left on device" in reply.text) == ("store_failed", True)
    assert len(project.canon.versions("a").data["versions"]) == 3
    assert project.call("read", "a").data["body"] == "three"
    assert project.canon.restore("a").code == "restored"
    assert project.call("read", "a").data["body"] == "two"


def test_a_version_of_the_end_of_time_stops_no_write(project: Project) -> None:
    project.write("a", body="one")
    folder = project.root / ".dcc/replaced/a.md"
    folder.mkdir(parents=True)
    for name in ("99991231T235959.999Z-0", "00000000T000000.000Z-0"):
        (folder / name).touch()
    assert project.call("write", "a", body="two").code == "wrote"
    assert any("T000000.000Z-" in one["name"] for one in project.canon.versions("a").data["versions"])


def test_old_versions_go(project: Project) -> None:
    for number in range(30):
        project.write("a", body=f"text {number}")
        project.clock.advance(1)
    assert len(project.canon.versions("a").data["versions"]) == 20


# Nothing is touched that need not be.


def test_a_refused_a_stale_and_a_current_write_leave_the_disk_alone(project: Project) -> None:
    project.put("a", "---\ncapsule: C.\n---\nBody.\n")
    project.schema({"article": {"title": {"required": True}}})
    before = tree(project.root)
    assert project.call("write", "a", body="No heading.").code == "rejected"
    assert project.call("write", "a", body="# T", base="0000").code == "stale"
    assert project.call("write", "a", capsule="C.").code == "current"
    assert project.call("read", "a").code == "article"
    assert tree(project.root) == before


def test_reading_only_writes_nothing(project: Project) -> None:
    project.write("a", body="x")
    (project.root / ".journal-index.jsonl").write_text("broken")
    (project.root / "journal").mkdir()
    (project.root / "journal" / "2025-01-01-x.md").write_text("---\nsubject: [a]\n---\nx\n")
    before = tree(project.folder)
    canon = Canon(str(project.folder), read_only=True)
    for call in ({"action": "write", "body": "y"}, {"action": "journal", "body": "z"}):
        assert canon.call({"path": "a", **call}).code == "read_only"
    assert canon.restore("a").code == canon.init().code == "read_only"
    assert canon.call({"action": "read", "path": "a"}).data["journal"] == ["2025-01-01-x.md"]
    assert canon.call({"action": "map"}).code == "articles"
    assert tree(project.folder) == before
    with pytest.raises(CanonError):
        canon.mounts.project.store.write("a", Change(body="y"))


def test_what_a_dead_writer_left_is_swept_at_the_next_opening(project: Project) -> None:
    project.write("a", body="x")
    left = project.root / ".dcc" / "tmp" / "1-dead"
    left.write_text("half")
    assert Store(str(project.root), read_only=True)
    assert left.exists()
    assert Store(str(project.root))
    assert not left.exists()


def test_the_folder_of_dcc_is_kept_out_of_git(project: Project) -> None:
    project.write("a", body="x")
    assert (project.root / ".dcc" / ".gitignore").read_text() == "*\n"


def test_init_makes_an_empty_store_once(project: Project) -> None:
    assert project.canon.init().code == "initialised"
    assert (project.root / "articles").is_dir()
    assert (project.root / "schema.json").is_file()
    assert project.canon.init().code == "exists"


# Containment.


def test_a_link_out_of_the_store_is_not_followed(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    project.write("a", body="x")
    (project.root / "articles" / "out").symlink_to(outside)
    (project.root / "articles" / "file.md").symlink_to(outside / "secret.md")
    for path in ("out/secret", "file"):
        assert project.call("read", path).code == "outside_store"
        assert project.call("write", path, body="y").code == "outside_store"
    assert project.call("write", "out/new", body="y").code == "outside_store"
    assert tree(outside) == {"secret.md": b"secret"}
    assert "out/secret" not in project.store.articles.paths()


def test_a_link_within_the_store_stays_a_link(project: Project) -> None:
    project.write("real", body="x")
    project.file("alias").symlink_to(project.file("real"))
    project.write("alias", body="y")
    assert project.file("alias").is_symlink()
    assert "y" in project.file("real").read_text()


@pytest.mark.parametrize("path", ["a\0b", "a\nb", "x" * 300, "\ud800", 7, None, ["a"]])
def test_no_path_raises(project: Project, path: object) -> None:
    for action in ("read", "write", "map", "journal"):
        reply = project.canon.call({"action": action, "path": path, "body": "b", "subject": [path]})
        assert reply.code in {"no_path", "no_article", "bad_address", "no_articles", "articles", "logged"}


@pytest.mark.parametrize("arguments", [{}, {"action": None}, {"action": ["read"]}, {"action": "write", "body": 3}])
def test_no_arguments_raise(project: Project, arguments: dict[str, object]) -> None:
    assert project.canon.call(arguments).is_error


# Forms of Unicode.


def test_a_name_that_is_kept_decomposed_is_found_and_written(project: Project) -> None:
    address = "docs/Résumé/über"
    project.put(unicodedata.normalize("NFD", address), "---\ncapsule: C.\n---\nx\n")
    assert project.call("read", f"{address}/deep.md").address == address
    assert project.call("write", unicodedata.normalize("NFD", address), body="y").address == address
    assert list(project.store.articles.paths()) == [address]
    assert len(list((project.root / "articles").rglob("*.md"))) == 1


def test_of_two_spellings_everything_takes_the_same_one(project: Project) -> None:
    for form in ("NFD", "NFC"):
        for address in ("é", "ö/a"):
            project.put(unicodedata.normalize(form, address), f"---\ncapsule: {form}.\n---\n{form}\n")
    project.put(unicodedata.normalize("NFD", "ö/b"), "---\ncapsule: Alone.\n---\nx\n")
    if len(list((project.root / "articles").rglob("*.md"))) < 5:
        pytest.skip("a system that does not tell them apart")
    assert project.call("map").text == "é: NFC.\nö/a: NFC.\nö/b: Alone."
    read = [project.call("read", address).data["capsule"] for address in ("é", "ö/a", "ö/b")]
    assert read == ["NFC.", "NFC.", "Alone."]
    assert project.store.articles.children("ö") == ["ö/a", "ö/b"]
    assert project.call("search", query="nfc").text.splitlines()[:2] == ["é: NFC.", "ö/a: NFC."]
    assert "NFD" not in project.call("search", query="nfd").text.replace('"nfd"', "").upper()


def test_a_subject_is_compared_in_nfc(project: Project) -> None:
    project.write("docs/é", body="x")
    project.call("journal", body="x", subject=["docs/e\u0301.md"], slug="é")
    assert project.call("read", "docs/é").data["journal"] == [f"{TODAY}-é.md"]


def test_addresses_are_ordered_as_the_original_orders_them(project: Project) -> None:
    for address in ("b", "a", "\uff5e", "\U0001f3af", "Z"):
        project.write(address, body="x")
    # By UTF-16 code units: an emoji is a pair of surrogates, which stand before U+FF5E.
    assert list(project.store.articles.paths()) == ["Z", "a", "b", "\U0001f3af", "\uff5e"]


# Mounts.


def test_two_mounts_of_one_name_can_both_be_reached(tmp_path: Path) -> None:
    # In the original the first wins, and the other's articles cannot be addressed (section 13.12).
    folders = [tmp_path / "x" / "lake", tmp_path / "y" / "lake"]
    for folder in folders:
        folder.mkdir(parents=True)
    project = Project(tmp_path / "proj", mounts=[str(folder) for folder in folders])
    project.write("lake:a", body="first")
    project.write("lake-2:a", body="second")
    assert [project.call("read", str(folder / "a.csv")).data["body"] for folder in folders] == ["first", "second"]


def test_listings_and_misses_name_the_mount(tmp_path: Path) -> None:
    # In the original they print the bare address, which leads to the project (section 13.7).
    (tmp_path / "数据湖").mkdir()
    project = Project(tmp_path / "proj", mounts=["../数据湖"])
    project.write("数据湖:a/b", capsule="C.")
    assert [one["address"] for one in project.call("map", "数据湖:").data["articles"]] == ["数据湖:a/b"]
    assert project.call("map").code == "no_articles"
    assert project.call("read", "数据湖:x").data["requested"] == "数据湖:x"


def test_a_mount_that_is_none_is_told(project: Project) -> None:
    # In the original the article of the project, with a colon in its name, is made without a word (section 13.7).
    reply = project.write("nope:x/y.md", body="x")
    assert (reply.address, reply.data["unknown_mount"]) == ("nope:x/y", "nope")
    assert "nope" in project.call("read", "nope:other").text
    assert project.write("C:\\x\\y.ts", body="x").data["unknown_mount"] is None


def test_a_link_may_name_a_mount_and_none_looks_outside(tmp_path: Path) -> None:
    # In the original a link to a mount is always dead, and one with .. looks outside the store (section 13.6).
    (tmp_path / "lake").mkdir()
    project = Project(tmp_path / "proj", mounts=["../lake"])
    project.write("lake:prices", capsule="C.")
    (project.root / "articles").mkdir(parents=True)
    (project.root / "outside.md").write_text("x")
    reply = project.write("a", capsule="C.", body="[[lake:prices]] `[[code]]` [[../outside]]")
    assert [one["link"] for one in reply.data["advice"] if one["name"] == "dead-link"] == ["../outside"]


def test_the_journal_is_the_projects_with_mounted_subjects(tmp_path: Path) -> None:
    (tmp_path / "lake").mkdir()
    project = Project(tmp_path / "proj", mounts=["../lake"])
    project.write("lake:a", body="x")
    reply = project.call("journal", body="It was 42.", subject=["lake:a", "lake:a.csv"])
    assert reply.data["subjects"] == ["lake:a"]
    assert reply.data["missing"] == {"lake:a": ["42"]}
    assert project.call("read", "lake:a").data["journal"] == [reply.data["name"]]


# The journal.


def test_an_entry_says_who_wrote_it(project: Project) -> None:
    canon = Canon(str(project.folder), clock=project.clock, provenance=Provenance("codex", "s-1"))
    name = canon.call({"action": "journal", "body": " Event. ", "subject": ["a", "b,c"]}).data["name"]
    text = (project.root / "journal" / name).read_text()
    head = '---\nsubject: [a, "b,c"]\nlogged: 2025-01-01T00:00:00.000Z\nharness: codex\nsession: s-1\n---\n'
    assert text == head + "Event.\n"


def test_a_subject_in_the_body_is_none(project: Project) -> None:
    # The original reads it as one (section 13.9).
    name = project.call("journal", body="subject: [a]\nlogged: never").data["name"]
    assert project.store.journal.mentions("a") == ()
    entry = project.store.journal.read(name)
    assert entry == Entry("subject: [a]\nlogged: never", (), "2025-01-01T00:00:00.000Z")


def test_a_subject_that_is_no_list_is_ignored_and_told(project: Project) -> None:
    data = project.call("journal", body="x", subject="a").data
    assert (data["subjects"], data["subject_ignored"]) == ([], True)


def test_an_index_that_the_original_tore_is_made_anew(project: Project) -> None:
    name = project.call("journal", body="x", subject=["a", "b,c"]).data["name"]
    index = project.root / ".journal-index.jsonl"
    index.write_text(f'{{"n":"{name}","a":"2025-01-01T00:00:00.000Z","s":["a","\\"b","c\\""]}}\n')
    assert Store(str(project.root)).journal.mentions("b,c") == (name,)


def test_an_index_of_the_right_length_for_other_files_is_made_anew(project: Project) -> None:
    project.call("journal", body="x", subject=["a"], slug="one")
    (project.root / "journal" / f"{TODAY}-one.md").rename(project.root / "journal" / f"{TODAY}-two.md")
    assert project.store.journal.mentions("a") == (f"{TODAY}-two.md",)


def test_a_name_that_another_program_took_is_stepped_over(project: Project) -> None:
    project.call("journal", body="x", slug="a")
    (project.root / "journal" / f"{TODAY}-a-7.md").write_text("theirs")
    assert project.call("journal", body="y", slug="a").data["name"] == f"{TODAY}-a-8.md"


def test_entries_made_by_hand_are_read(project: Project) -> None:
    folder = project.root / "journal"
    folder.mkdir(parents=True)
    listed = "---\nsubject:\n  - a\n  - 'b c'\nlogged: 2024-01-01T00:00:00Z\n---\nx\n"
    (folder / "2024-01-01-list.md").write_text(listed)
    (folder / "2024-01-02-one.md").write_text("---\nsubject: b c\n---\nx\n")
    (folder / "2024-01-03-none.md").write_text("just text\n")
    assert project.store.journal.mentions("a") == ("2024-01-01-list.md",)
    assert project.store.journal.mentions("b c") == ("2024-01-01-list.md", "2024-01-02-one.md")


# The schema and the graph.


def test_a_body_of_exactly_the_limit_is_not_long(project: Project) -> None:
    # The original counts the stored line end when only the capsule changes (section 13.13).
    project.write("a", capsule="C.", body="x" * 8000)
    assert "body-long" not in advice(project.write("a", capsule="D."))
    assert "body-long" in advice(project.write("a", body="x" * 8001))
    project.write("b", body="🎯" * 4001)
    assert "body-long" in advice(project.write("b", capsule="D."))


def test_an_article_that_nothing_links_to_is_told(project: Project) -> None:
    project.write("a", capsule="C.", body="See [[b]].")
    project.schema({"relations": {"orphan": {"warn": True}}})
    assert [one["carrier"] for one in project.write("a", capsule="D.").data["violations"]] == ["orphan"]
    assert project.write("b", capsule="C.").data["violations"] == []
    project.write("a", body="See nothing.")
    assert "links to this" in project.call("read", "b").text


def test_children_are_listed(project: Project) -> None:
    project.schema({"relations": {"children": {"listed": True}}})
    project.write("a/b", capsule="C.")
    project.write("a/c", capsule="C.")
    project.write("a/c/d", capsule="C.")
    reply = project.write("a", capsule="C.", body="See [[a/b]].")
    assert [(one["carrier"], "a/c" in one["message"]) for one in reply.data["violations"]] == [("children", True)]
    assert project.write("a", body="See [[a/b]] and [[a/c.md]].").data["violations"] == []


def test_options_place_the_root(tmp_path: Path) -> None:
    canon = Canon(str(tmp_path), Options(root="docs/canon"))
    canon.call({"action": "write", "path": "a", "body": "x"})
    assert (tmp_path / "docs/canon/articles/a.md").is_file()
    assert not os.path.exists(tmp_path / ".canon")


def test_bytes_that_are_no_text_are_shown_and_kept(project: Project) -> None:
    project.put("a", "")
    project.file("a").write_bytes(b"---\ncapsule: C.\n---\n\xff body\n")
    reply = project.call("read", "a")
    assert reply.data["body"] == "\ufffd body"
    reply.text.encode()
    project.write("a", capsule="D.")
    assert project.file("a").read_bytes().endswith(b"---\n\xff body\n")


def test_a_mount_may_be_named_by_its_store(tmp_path: Path) -> None:
    (tmp_path / "lake" / ".canon").mkdir(parents=True)
    project = Project(tmp_path / "proj", mounts=["../lake/.canon"])
    project.write("lake:a", body="x")
    assert (tmp_path / "lake/.canon/articles/a.md").is_file()


def test_the_children_of_a_decomposed_name_are_found(project: Project) -> None:
    project.put(unicodedata.normalize("NFD", "é/ö"), "x\n")
    assert project.store.articles.children("é") == ["é/ö"]
    assert project.store.articles.children("none") == []


def test_who_wrote_an_entry_is_one_line(project: Project) -> None:
    canon = Canon(str(project.folder), clock=project.clock, provenance=Provenance("a\nsubject: [x]"))
    canon.call({"action": "journal", "body": "x"})
    assert project.store.journal.mentions("x") == ()
