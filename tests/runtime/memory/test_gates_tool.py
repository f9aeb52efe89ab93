"""The gates of the original that concern the tool: verbs, mounts, options. One test each, by number."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from canon_project import TODAY, Project

from dcc.runtime.memory import tool
from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.errors import CanonError
from dcc.runtime.memory.options import Options, read_options, read_settings, write_settings


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "proj")


@pytest.fixture
def mounted(tmp_path: Path) -> Project:
    for name in ("lake/fundamentals/market_cap.csv", "proj/vendor/lake2/fundamentals/spreads.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.touch()
    return Project(tmp_path / "proj", mounts=[str(tmp_path / "lake"), "vendor/lake2"])


def test_gate_36_and_85_an_unknown_option_is_named() -> None:
    with pytest.raises(CanonError, match="budget") as raised:
        read_options({"budget": 4000})
    assert raised.value.code == "unknown_option"


def test_gate_86_retrieval_is_a_known_word_or_a_scorer() -> None:
    scorer = SimpleNamespace(name="mine", score=lambda query, candidates: {})
    assert read_options({"retrieval": scorer}).retrieval is scorer
    assert read_options({"retrieval": "lexical"}).by_relevance
    assert not read_options({}).by_relevance
    for wrong in ("embeddings", 3, SimpleNamespace(score=len), SimpleNamespace(name=" ", score=len)):
        with pytest.raises(CanonError) as raised:
            read_options({"retrieval": wrong})
        assert raised.value.code == "bad_option"


@pytest.mark.parametrize("standout", ["2", float("nan"), 0.4, float("inf"), True, None])
def test_gate_87_a_standout_below_one_is_refused(standout: Any) -> None:
    with pytest.raises(CanonError, match="standout"):
        read_options({"standout": standout})
    assert [read_options({"standout": n}).standout for n in (1, 2.5)] == [1, 2.5]


def test_gate_96_the_tool_from_end_to_end(project: Project) -> None:
    project.write("src/core/config", capsule="C.", body="Body.")
    first = project.call("journal", subject=["src/core/config"], body="Begun.", slug="inception")
    read = project.call("read", "src/core/config")
    assert read.data["body"] == "Body."
    assert read.data["journal"] == [first.data["name"]] == [f"{TODAY}-inception.md"]
    wrote = project.call("write", str(project.folder / "src/newthing.ts"), body="x")
    assert (wrote.code, wrote.address) == ("wrote", "src/newthing")
    assert "no-capsule" in [one["name"] for one in wrote.data["advice"]]
    assert project.call("journal", body="Event.", slug="event").data["name"].endswith("event.md")
    deep = project.call("read", "src/core/config/deep")
    assert (deep.code, deep.address, deep.data["requested"]) == ("governed", "src/core/config", "src/core/config/deep")
    assert project.call("read", "no/such/thing").code == "no_article"


def test_gate_98_an_address_with_a_dot_reads_its_own_article(project: Project) -> None:
    project.write("src/core/config", body="Parent.")
    project.write("src/core/config.test.ts", body="Tests.")
    assert project.call("read", "src/core/config.test").data["body"] == "Tests."
    assert project.call("read", "src/core/config.ts").data["body"] == "Parent."


@pytest.mark.parametrize("blank", ["", " \n\t", "\ufeff"])
def test_gate_99_an_empty_text_erases_nothing(project: Project, blank: str) -> None:
    # A text of blanks neither: in the original it does (section 13.3).
    project.write("a", capsule="C.", body="Body.")
    assert project.call("write", "a", capsule=blank, body=blank).code == "current"
    assert project.call("read", "a").data["body"] == "Body."


def test_gate_100_a_read_names_three_entries_and_says_nothing_of_them(project: Project) -> None:
    project.write("a", body="x")
    names = [project.call("journal", subject=["a"], body=f"Secret {n}.").data["name"] for n in range(5)]
    read = project.call("read", "a")
    assert read.data["journal"] == names[:1:-1]
    assert read.data["earlier"] == 2
    assert "Secret" not in read.text


def test_gate_102_map_by_path_and_unknown_actions(project: Project) -> None:
    project.write("src/core/config", capsule="C.")
    project.write("docs/x", capsule="D.")
    assert [one["address"] for one in project.call("map", "src").data["articles"]] == ["src/core/config"]
    reply = project.call("bogus")
    assert (reply.code, reply.data["action"]) == ("unknown_action", "bogus")
    assert "bogus" in reply.text


def test_gate_104_status_counts_the_project(project: Project) -> None:
    project.write("a", body="x")
    project.call("journal", body="Event.")
    data = project.canon.status().data
    assert (data["articles"], data["entries"], data["root"]) == (1, 1, str(project.root))


def test_gate_111_a_mount_has_its_own_store(mounted: Project) -> None:
    lake = mounted.folder.parent / "lake"
    reply = mounted.write("lake:fundamentals/market_cap", capsule="C.", body="x")
    assert reply.address == "lake:fundamentals/market_cap"
    assert (lake / ".canon/articles/fundamentals/market_cap.md").is_file()
    read = mounted.call("read", str(lake / "fundamentals/market_cap.csv"))
    assert (read.code, read.address) == ("article", "lake:fundamentals/market_cap")


def test_gate_113_a_path_into_a_mount_is_an_address_of_the_mount(mounted: Project) -> None:
    mounted.write("lake2:fundamentals/spreads", body="x")
    place = mounted.canon.governing("vendor/lake2/fundamentals/spreads.csv")
    assert place is not None
    assert place.shown == "lake2:fundamentals/spreads"


def test_gates_118_and_119_the_description_carries_the_doctrine() -> None:
    said = tool.description(Options())
    assert "shared parent" in said
    assert "names and exact numbers" in said
    assert "specifics beat summaries" in tool.PARAMETERS["properties"]["body"]["description"]


def test_gate_130_where_to_file_depends_on_the_retriever() -> None:
    assert "filed off the asset path never surfaces" in tool.description(Options())
    assert "governs many assets and owns none" in tool.description(read_options({"retrieval": "lexical"}))


def test_gate_131_a_description_opens_nothing(tmp_path: Path) -> None:
    canon = Canon(str(tmp_path / "later"))
    tool.schema("openai", canon.options)
    (tmp_path / "later").mkdir()
    assert canon.call({"action": "map"}).code == "no_articles"
    assert list((tmp_path / "later").iterdir()) == []


def test_gate_174_settings_have_one_way_of_validation(tmp_path: Path) -> None:
    file = tmp_path / "config" / "canon.json"
    assert read_settings(file) == {}
    settings = {"surface": False, "standout": 2, "retrieval": "lexical"}
    write_settings(file, settings)
    assert read_settings(file) == settings
    assert file.read_text().endswith("}\n")
    for wrong in ({"root": "x"}, {"standout": 0.5}, {"retrieval": "bm25"}, {"surface": "maybe"}):
        with pytest.raises(CanonError):
            write_settings(file, {**settings, **wrong})
    assert read_settings(file) == settings


def test_front_matter_in_a_body_is_told_of(project: Project) -> None:
    project.write("a", capsule="Old.", body="Text.")
    pasted = "---\ncapsule: New.\nupdated: 2025-01-01\n---\n\nText."
    reply = project.write("a", body=pasted)
    assert (reply.code, reply.data["front_matter_ignored"]) == ("current", True)
    assert reply.text.splitlines()[-1].startswith("The front matter in the body is left out: give capsule")
    reply = project.write("a", body=pasted + " More.")
    assert (reply.code, reply.data["front_matter_ignored"]) == ("wrote", True)
    assert "front_matter_ignored" not in project.write("a", body="Text.").data


def test_a_call_without_an_action_is_told_so(project: Project) -> None:
    for arguments in ({}, {"action": None}, {"action": 5}):
        assert project.canon.call(arguments).text.startswith("The call has no action, which is a text. Actions: read,")
