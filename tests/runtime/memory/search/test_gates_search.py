"""The gates of the original that concern search."""

from __future__ import annotations

from pathlib import Path

import pytest
from canon_project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "proj")


def found(project: Project, query: str, **arguments: object) -> list[str]:
    return [one["address"] for one in project.call("search", query=query, **arguments).data["articles"]]


def test_gate_143_an_article_is_found_and_named_by_its_address(project: Project) -> None:
    project.write("src/core/config", capsule="Loads layered config; one source of truth.", body="x")
    project.write("src/core/other", capsule="Something else.", body="x")
    reply = project.call("search", query="config loading truth")
    assert reply.code == "found"
    assert [one["address"] for one in reply.data["articles"]] == ["src/core/config"]
    assert reply.text.startswith("src/core/config: Loads layered config")


def test_gate_144_the_journal_is_searched_when_it_is_asked_for(project: Project) -> None:
    project.write("ops/billing", capsule="Billing closes monthly.", body="x")
    project.call("journal", body="Billing closed late in July.", subject=["ops/billing"])
    project.call("journal", body="Billing was about nothing in particular.")
    reply = project.call("search", query="billing closed")
    assert reply.data["journal"] == []
    assert (reply.data["journal_searched"], reply.data["journal_unsearched"]) == (False, True)
    asked = project.call("search", query="billing closed", journal=True)
    assert (asked.data["journal_searched"], asked.data["journal_unsearched"]) == (True, False)
    first, second = asked.data["journal"]
    assert first["subjects"] == ["ops/billing"]
    assert f"journal {first['logged']} (ops/billing): Billing closed" in asked.text
    assert f"journal {second['logged']}: Billing was" in asked.text
    assert "None" not in asked.text
    assert project.call("search", query="billing", journal="yes").data["journal"] == []


def test_gate_146_what_is_left_out_is_counted(project: Project) -> None:
    for n in range(14):
        project.write(f"notes/n{n:02}", capsule="Paginates the inventory.", body="x")
    reply = project.call("search", query="inventory")
    assert len(reply.data["articles"]) == 10
    assert reply.data["more"] == 4
    assert "4 more" in reply.text
    # Equal scores are in order of their addresses.
    assert [one["address"] for one in reply.data["articles"]] == [f"notes/n{n:02}" for n in range(10)]


def test_gate_173_articles_and_entries_share_ten_places(project: Project) -> None:
    def counted(**arguments: object) -> tuple[int, int]:
        data = project.call("search", query="inventory", **arguments).data
        return len(data["articles"]), len(data["journal"])

    project.write("notes/n0", capsule="Paginates the inventory.", body="x")
    for n in range(12):
        project.call("journal", body=f"The inventory was counted: {n}.")
    assert counted() == (1, 0)
    assert counted(journal=True) == (1, 9)
    for n in range(1, 8):
        project.write(f"notes/n{n}", capsule="Paginates the inventory.", body="x")
    assert counted(journal=True) == (5, 5)
    data = project.call("search", query="paginates", journal=True).data
    assert (len(data["articles"]), data["journal"]) == (8, [])


def test_a_search_for_nothing_and_in_nothing(project: Project) -> None:
    for blank in ("", " \n", None):
        assert project.call("search", query=blank).code == "no_query"
    assert project.call("search", query="inventory").code == "empty"
    project.call("journal", body="Event.")
    reply = project.call("search", query="inventory")
    assert (reply.code, reply.data["journal_unsearched"]) == ("empty", True)
    assert project.call("search", query="inventory", journal=True).code == "no_match"


def test_an_article_without_a_capsule_shows_its_beginning(project: Project) -> None:
    project.write("a", body="# Inventory\n\n" + "counted  twice\n" * 40)
    reply = project.call("search", query="inventory")
    excerpt = reply.data["articles"][0]["excerpt"]
    assert excerpt.startswith("# Inventory counted twice counted")
    assert len(excerpt) == 160
    assert excerpt.endswith("...")
    assert reply.text == f"a: {excerpt}"


def test_a_mount_is_searched_by_its_name(tmp_path: Path) -> None:
    # Addresses come with their mount (in the original without it, section 13.7).
    (tmp_path / "lake").mkdir()
    project = Project(tmp_path / "proj", mounts=[str(tmp_path / "lake")])
    project.write("lake:prices", capsule="Daily closing prices.", body="x")
    project.write("trade", capsule="Trades at closing prices.", body="x")
    assert found(project, "closing prices", path="lake:") == ["lake:prices"]
    assert found(project, "closing prices") == ["trade"]
    assert found(project, "closing prices", path=3) == ["trade"]


def test_a_write_is_found_in_the_call_that_made_it(project: Project) -> None:
    project.canon.desk.call = 1
    assert project.call("search", query="inventory").code == "empty"
    project.write("a", capsule="The inventory.", body="x")
    assert found(project, "inventory") == ["a"]


def test_files_are_looked_at_once_a_call(project: Project) -> None:
    project.canon.desk.call = 1
    project.write("a", capsule="The inventory.", body="x")
    assert found(project, "inventory") == ["a"]
    project.put("b", "---\ncapsule: The inventory.\n---\n")
    assert found(project, "inventory") == ["a"]
    project.canon.desk.call = 2
    assert found(project, "inventory") == ["a", "b"]


def test_a_link_out_of_the_store_is_not_searched(project: Project, tmp_path: Path) -> None:
    project.write("a", capsule="The inventory.", body="x")
    (tmp_path / "secret.md").write_text("The inventory of secrets.")
    project.file("b").symlink_to(tmp_path / "secret.md")
    project.file("c").symlink_to(project.file("a"))
    assert found(project, "inventory") == ["a", "c"]
    (project.root / "journal").mkdir(exist_ok=True)
    (project.root / "journal" / "2025-01-01-x.md").symlink_to(tmp_path / "secret.md")
    assert project.call("search", query="secrets", journal=True).code == "no_match"
