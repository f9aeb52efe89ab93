"""The gates of the original that concern advice, scope, values, the schema and no-op writes. By number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from canon_project import Project, advice, broken

from dcc.compiler.canon.enforcing import violations
from dcc.compiler.canon.schema import NO_SCHEMA, schema_of
from dcc.grammar.canon.articles import Article, title_of
from dcc.grammar.canon.values import missing_values
from dcc.runtime.memory.tool import PARAMETERS

RULE = "Scheduled jobs must write to the ledger before they exit."
TITLE = {"schema_version": 1, "article": {"title": {"required": True, "hint": "Begin with a heading."}}}
REFS = {"schema_version": 1, "relations": {"refs": {"required": True, "hint": "Name what this concerns."}}}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def relevant(tmp_path: Path) -> Project:
    found = Project(tmp_path, retrieval="lexical")
    found.asset("ops/billing.py")
    return found


def test_gate_26_a_tiny_child_may_be_folded_up(project: Project) -> None:
    project.write("src/core/config", body="Parent.")
    reply = project.write("src/core/config/tiny", capsule="C.", body="short")
    assert [one["message"] for one in reply.data["advice"] if one["name"] == "fold-up"] == [
        "The body has only 5 characters: think of folding it into src/core/config."
    ]


def test_gate_27_a_capsule_is_there_and_short(project: Project) -> None:
    assert "no-capsule" in advice(project.write("a", body="x"))
    (project.root / "schema.json").unlink()
    assert "capsule-long" in advice(project.write("a", capsule="x" * 1001))
    assert "capsule-long" not in advice(project.write("a", capsule="x" * 1000))


def test_gate_28_an_address_of_events_belongs_in_the_journal(project: Project) -> None:
    assert "log-address" in advice(project.write("ops/logs/2026-08-10", capsule="C."))


def test_gate_29_dead_links_are_named_and_no_others(project: Project) -> None:
    project.write("src/core/config", capsule="C.")
    body = "[[src/core/config]], [[src/core/config.ts]], [[missing/page]]"
    reply = project.write("a", capsule="C.", body=body)
    assert [one["link"] for one in reply.data["advice"] if one["name"] == "dead-link"] == ["missing/page"]


def test_gate_106_a_capsule_is_no_change_log(project: Project) -> None:
    assert "capsule-change-log" in advice(project.write("a", capsule="Added inventory pagination to the feed."))
    assert "capsule-change-log" not in advice(project.write("a", capsule="The feed is paged."))


def test_gate_116_a_dropped_constraint_is_quoted(project: Project) -> None:
    line = "Amounts must remain integer cents in report.txt."
    project.write("a", capsule="C.", body=f"# Report\n\n- {line}\n- Sorted.")
    kept = project.write("a", body=f"# Report\n\n{line} Sorted by date.")
    assert "dropped-constraint" not in advice(kept)
    gone = project.write("a", body="# Report\n\nSorted.")
    named = [one["line"] for one in gone.data["advice"] if one["name"] == "dropped-constraint"]
    assert named == [f"{line} Sorted by date."]


def test_gate_132_a_rule_at_an_asset_is_asked_about(relevant: Project) -> None:
    assert "scope-question" in advice(relevant.write("ops/billing", capsule="C.", body=RULE))


def test_gate_134_the_scope_question_is_asked_once(relevant: Project) -> None:
    relevant.write("ops/billing", capsule="C.", body=RULE)
    assert "scope-question" not in advice(relevant.write("ops/billing", body=RULE + " Every day."))
    assert "scope-question" not in advice(relevant.write("policy/jobs", capsule="C.", body=RULE))


def test_gate_135_a_rule_off_the_path_is_asked_to_declare_itself(relevant: Project) -> None:
    assert "declaration-question" in advice(relevant.write("policy/jobs", capsule="C.", body=RULE))
    declared = relevant.write("policy/other", capsule="C.", body=RULE, scope="rule")
    assert "declaration-question" not in advice(declared)
    assert relevant.call("read", "policy/other").data["scope"] == "rule"


def test_gate_136_a_declaration_can_be_taken_back(project: Project) -> None:
    project.write("policy/jobs", capsule="C.", body=RULE, scope="rule")
    project.write("policy/jobs", scope="asset")
    read = project.call("read", "policy/jobs")
    assert (read.data["scope"], read.data["body"]) == ("", RULE)
    assert "scope:" not in project.file("policy/jobs").read_text()
    assert PARAMETERS["properties"]["scope"]["enum"] == ["rule", "asset"]


def test_gate_137_a_capsule_alone_asks_nothing_again(relevant: Project) -> None:
    assert "scope-question" in advice(relevant.write("ops/billing", capsule="C.", body=RULE))
    again = relevant.write("ops/billing", capsule="Billing.")
    assert "scope-question" not in advice(again)
    assert relevant.call("read", "ops/billing").data["body"] == RULE


def test_gate_140_an_entry_names_what_its_article_lacks(project: Project) -> None:
    project.write("ops/billing", capsule="C.", body="Run by billing-close.")
    body = (
        "The nightly-dispatch run of `inventory-reconcile` by ops-bot moved 40,000 rows in eleven weeks; "
        "billing-close was not touched."
    )
    reply = project.call("journal", subject=["ops/billing"], body=body)
    wanted = {"nightly-dispatch", "inventory-reconcile", "ops-bot", "40,000", "eleven weeks"}
    assert set(reply.data["missing"]["ops/billing"]) == wanted


def test_gate_141_an_article_that_kept_them_is_left_alone(project: Project) -> None:
    project.write("ops/billing", capsule="C.", body="The ops-bot moved 40,000 rows.")
    assert project.call("journal", subject=["ops/billing"], body="ops-bot moved 40,000").data["missing"] == {}


def test_gate_142_values_are_whole(project: Project) -> None:
    assert missing_values("Raised it to 42 today.", "It was 142.") == ("42",)
    assert missing_values("billing-close", "system:billing-close") == ()
    assert missing_values("Nothing here.", "") == ()
    assert project.call("journal", subject=["no/article"], body="It was 42.").data["missing"] == {}


def test_gate_155_a_new_store_says_what_may_be_asked(project: Project) -> None:
    project.write("a", body="x")
    schema = json.loads((project.root / "schema.json").read_text())
    article, relations = schema["article"], schema["relations"]
    assert schema["schema_version"] == 1
    assert (article["capsule"]["max_chars"], article["capsule"]["required"]) == (1000, False)
    assert (article["title"]["required"], article["body"]["max_chars"]) == (False, 20000)
    assert (relations["refs"]["required"], relations["orphan"]["warn"], relations["children"]["listed"]) == (False,) * 3


def test_gate_156_an_edited_schema_stays_and_so_does_a_deleted_one(project: Project) -> None:
    project.write("a", body="x")
    project.schema(TITLE)
    project.write("a", capsule="C.")
    assert json.loads((project.root / "schema.json").read_text()) == TITLE
    (project.root / "schema.json").unlink()
    project.write("a", capsule="D.")
    # The original makes it again at this write (section 13.10).
    assert not (project.root / "schema.json").exists()


def test_gates_157_and_158_a_required_title(project: Project) -> None:
    project.schema(TITLE)
    reply = project.call("write", "a", capsule="C.", body="No heading.")
    assert (reply.code, broken(reply)) == ("rejected", [("title", "required")])
    assert "Begin with a heading." in reply.text
    assert list(project.root.iterdir()) == [project.root / "schema.json"]
    assert project.call("write", "a", capsule="C.", body="# Untitled Thing\n\nText.").code == "wrote"


def test_gate_159_what_stands_warns_and_what_is_touched_is_refused(project: Project) -> None:
    project.put("legacy", "---\ncapsule: Old.\n---\nNo heading.\n")
    project.schema(TITLE)
    capsule = project.call("write", "legacy", capsule="New.")
    assert (capsule.code, broken(capsule)) == ("wrote", [("title", "required")])
    assert project.call("write", "legacy", body="Still none.").code == "rejected"
    assert [one["name"] for one in project.call("read", "legacy").data["problems"]] == ["schema"]


def test_gate_160_a_bound_warns_and_the_write_lands(project: Project) -> None:
    project.schema({"article": {"capsule": {"min_chars": 10}}})
    reply = project.call("write", "a", capsule="tiny")
    assert (reply.code, broken(reply)) == ("wrote", [("capsule", "min")])


def test_gate_161_a_new_article_is_judged_whole(project: Project) -> None:
    project.schema({"article": {"capsule": {"required": True, "hint": "One dense line."}}})
    reply = project.call("write", "a", body="Text.")
    assert (reply.code, broken(reply)) == ("rejected", [("capsule", "required")])


def test_gate_162_a_broken_schema_fails_open_and_is_told(project: Project) -> None:
    project.schema("{ not json")
    reply = project.call("write", "a", capsule="C.")
    assert (reply.code, [one["name"] for one in reply.data["schema_problems"]]) == ("wrote", ["not-json"])


def test_gate_164_a_bound_of_the_schema_speaks_alone(project: Project) -> None:
    reply = project.write("a", capsule="x" * 1050)
    assert broken(reply) == [("capsule", "max")]
    assert reply.text.count("1050") == 1


def test_gate_165_titles_readings_and_no_schema() -> None:
    assert [title_of(body) for body in ("# Alpha", "\n\n#  Spaced Heading ", "## x", "plain")] == [
        "Alpha", "Spaced Heading", "", ""
    ]  # fmt: skip
    schema = schema_of({"article": {"title": {"required": True}, "capsule": {"min_chars": 5}}})
    found = violations(schema, Article("---\ncapsule: x\n---\nplain\n"))
    assert [violation.refused for violation in found] == [False, False]
    assert violations(NO_SCHEMA, Article("")) == NO_SCHEMA.problems == ()


def test_gate_166_a_new_article_must_cite(project: Project) -> None:
    project.schema(REFS)
    reply = project.call("write", "a", capsule="C.", body="Cites nothing.")
    assert (reply.code, broken(reply)) == ("rejected", [("refs", "required")])
    assert project.call("write", "a", capsule="C.", body="See [[src/thing]].").code == "wrote"


def test_gate_167_a_kept_set_of_references_warns_and_an_emptied_one_is_refused(project: Project) -> None:
    project.put("legacy", "---\ncapsule: Old.\n---\nCites nothing.\n")
    project.put("citing", "---\ncapsule: Old.\n---\nSee [[src/thing]].\n")
    project.schema(REFS)
    kept = project.call("write", "legacy", body="Still cites nothing.")
    assert (kept.code, broken(kept)) == ("wrote", [("refs", "required")])
    assert project.call("write", "citing", body="No more.").code == "rejected"


def test_gate_168_code_and_repetition_are_no_references(project: Project) -> None:
    project.schema({"relations": {"refs": {"min_count": 2}}})
    body = "[[src/thing]] and [[SRC/Thing]] and `[[a]]`\n\n```\n[[b]]\n```\n"
    reply = project.call("write", "a", capsule="C.", body=body)
    assert (reply.code, broken(reply)) == ("wrote", [("refs", "min")])
    assert "refs: 1 reference, " in reply.text


def test_gate_170_a_write_of_what_is_there_touches_nothing(project: Project) -> None:
    project.write("a", capsule="C.", body="Body.")
    before = project.file("a").stat()
    project.clock.advance(86_400)
    assert project.call("write", "a", capsule="C.", body="Body.\n").code == "current"
    assert project.call("write", "a").code == "current"
    assert project.file("a").stat() == before
    assert project.call("write", "a", capsule="D.").code == "wrote"


def test_gate_171_growth_is_told(project: Project) -> None:
    assert "growth" not in advice(project.write("a", capsule="C.", body="short"))
    grown = project.write("a", body="much longer 中")
    assert [(one["before"], one["after"]) for one in grown.data["advice"] if one["name"] == "growth"] == [(5, 15)]
    assert "growth" not in advice(project.write("a", body="tiny"))
    assert "growth" not in advice(project.write("a", capsule="A much longer capsule."))
    assert "growth" not in advice(project.write("a", body="tiny"))


def test_gate_172_an_orphan_is_told_on_write_and_on_read(project: Project) -> None:
    project.asset("pkg/kept.ts")
    assert "orphan-article" in advice(project.write("pkg/gone", capsule="C."))
    assert "orphan-article" in [one["name"] for one in project.call("read", "pkg/gone").data["problems"]]
    for address in ("pkg/kept", "decisions/naming", "overview"):
        assert "orphan-article" not in advice(project.write(address, capsule="C."))
    assert "orphan-article" not in advice(project.write("pkg/rule", capsule="C.", scope="rule"))


def test_an_address_that_is_another_but_for_case_is_told_when_it_is_made(project: Project) -> None:
    project.write("src/Straße/Config", capsule="C.")
    project.write("SRC/Straße", capsule="C.")
    reply = project.write("src/STRASSE/config", capsule="C.")
    assert [one["other"] for one in reply.data["advice"] if one["name"] == "same-but-case"] == ["src/Straße/Config"]
    assert "The address is src/Straße/Config but for the case of its letters" in reply.text
    for path in ("src/STRASSE/config", "src/Straße/Config", "src/straße/other"):
        assert "same-but-case" not in advice(project.write(path, capsule="D."))
