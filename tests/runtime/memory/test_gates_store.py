"""The gates of the original that concern the store: articles, journal, map. One test each, by number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from canon_project import TODAY, Project

from dcc.grammar.canon.articles import Article, Change
from dcc.grammar.canon.entries import Entry
from dcc.runtime.memory.store.store import Store

HAND_MADE = "---\ncapsule: Hand written.\ntags:\n  - a\n  - b\nowner: shane\n---\nBody stays.\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def article(project: Project, address: str) -> Article:
    found = project.store.articles.read(address)
    assert found is not None
    return found.article


def entry(*subjects: str, body: str = "It happened.") -> Entry:
    return Entry(body, subjects)


def test_gate_7_what_is_written_is_read(project: Project) -> None:
    project.store.write("src/core/config", Change(capsule="Env beats file.", body="# Config\n\nOrder.\n"))
    found = article(project, "src/core/config")
    assert (found.capsule, found.body) == ("Env beats file.", "# Config\n\nOrder.")


def test_gate_8_a_write_is_dated(project: Project) -> None:
    project.store.write("a", Change(body="x"))
    assert article(project, "a").updated == TODAY


@pytest.mark.parametrize(
    "capsule",
    [
        pytest.param("[[src/core]] parent; env beats file.", id="gate 9: a link"),
        pytest.param("[deprecated] superseded by [[src/core/config]].", id="gate 10: brackets"),
        pytest.param("Config: env wins; keep # comments current.", id="gate 11: colon and hash"),
    ],
)
def test_gates_9_to_11_a_capsule_survives_writes(project: Project, capsule: str) -> None:
    project.store.write("a", Change(capsule=capsule, body="x"))
    project.store.write("a", Change(body="y"))
    assert article(project, "a").capsule == capsule


def test_gate_11_as_it_stands_in_the_file(project: Project) -> None:
    project.store.write("a", Change(capsule="Config: env wins; keep # comments current.", body="x"))
    assert 'capsule: "Config: env wins; keep # comments current."' in project.file("a").read_text().splitlines()


def test_gate_12_a_crlf_article_keeps_its_line_ends(project: Project) -> None:
    project.put("a", "---\r\ncapsule: Old.\r\nowner: shane\r\n---\r\nLine one.\r\nLine two.\r\n")
    project.store.write("a", Change(capsule="New."))
    text = project.file("a").read_bytes().decode()
    assert text.count("---\r\n") == 2
    assert "owner: shane\r\n" in text
    assert text.endswith("---\r\nLine one.\r\nLine two.\r\n")
    assert article(project, "a").capsule == "New."


def test_gate_14_foreign_keys_are_no_error(project: Project) -> None:
    project.put("a", HAND_MADE)
    assert (article(project, "a").capsule, article(project, "a").body) == ("Hand written.", "Body stays.")


def test_gate_15_foreign_keys_survive_a_write(project: Project) -> None:
    project.put("a", HAND_MADE)
    project.store.write("a", Change(body="New body."))
    text = project.file("a").read_text()
    assert "tags:\n  - a\n  - b\nowner: shane\n" in text
    assert "capsule: Hand written.\n" in text


def test_gate_16_a_traversal_is_contained(project: Project) -> None:
    written = project.store.write("../../journal/clobber", Change(body="x"))
    assert written.stored is not None
    assert written.stored.address == "journal/clobber"
    assert project.file("journal/clobber").is_file()


def test_gate_17_and_18_resolution_is_exact_then_upwards(project: Project) -> None:
    project.write("src/core/config.ts", body="x")
    assert project.call("read", "src/core/config.ts").address == "src/core/config"
    deep = project.call("read", "src/core/config/deep/child.ts")
    assert (deep.code, deep.address) == ("governed", "src/core/config")
    assert project.call("read", "no/such/thing").code == "no_article"


def test_gate_19_and_20_entries_never_share_a_file(project: Project) -> None:
    first = project.store.log(entry("src/core/config", body="First."), "inception")
    second = project.store.log(entry("src/core/config", body="Second."), "inception")
    assert first == f"{TODAY}-inception.md"
    assert second != first
    text = (project.root / "journal" / first).read_text()
    assert "subject: [src/core/config]\n" in text
    assert "First." in text
    assert "Second." in (project.root / "journal" / second).read_text()


def test_gate_21_entries_are_found_by_subject(project: Project) -> None:
    name = project.store.log(entry("src/core/config"), "inception")
    assert project.store.journal.mentions("src/core/config") == (name,)
    assert project.store.journal.mentions("src/core") == ()


def test_gate_22_the_journal_is_ordered_by_when(project: Project) -> None:
    names = [project.store.log(entry("a"), "same") for _ in range(11)]
    assert project.store.journal.mentions("a") == tuple(names)
    assert names[-1] == f"{TODAY}-same-11.md"


def test_gate_23_a_subject_may_hold_a_comma(project: Project) -> None:
    # With several subjects too, also after the index was made anew: the original loses those (section 13.1).
    project.store.log(entry("x", "src/a,b/thing", "lake:y"), "one")
    (project.root / ".journal-index.jsonl").unlink()
    journal = Store(str(project.root)).journal
    assert [len(journal.mentions(a)) for a in ("src/a,b/thing", "lake:y", "x", "src/a")] == [1, 1, 1, 0]


def test_gate_24_map_lists_addresses_with_capsules(project: Project) -> None:
    project.write("src/core/config", capsule="Loads layered config.")
    reply = project.call("map")
    assert reply.data["articles"] == [{"address": "src/core/config", "capsule": "Loads layered config."}]
    assert "src/core/config: Loads layered config." in reply.text
    assert project.call("map", "absent").code == "no_articles"


def test_gate_101_the_index_heals(project: Project) -> None:
    stale = Store(str(project.root), clock=project.clock)
    project.store.log(entry("a"), "one")
    stale.log(entry("a"), "two")
    index = project.root / ".journal-index.jsonl"
    assert len(index.read_text().splitlines()) == 2
    assert [len(one.journal.mentions("a")) for one in (project.store, stale)] == [2, 2]
    (project.root / "journal" / "2020-05-05-old.md").write_text("---\nsubject: [a]\n---\nLong ago.\n")
    assert project.store.journal.mentions("a")[0] == "2020-05-05-old.md"
    index.write_text("not an index\n")
    assert len(stale.journal.mentions("a")) == 3
    assert {json.loads(line)["n"] for line in index.read_text().splitlines()} == project.store.journal.names()
