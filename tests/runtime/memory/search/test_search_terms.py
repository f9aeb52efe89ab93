"""Which terms texts and queries have, and what is found by text that is not English."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from canon_project import Project

from dcc.runtime.memory.search.tokens import STOP, bag_of, lesser_terms_of, terms_of


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "proj")
    for address, capsule in {
        "计费/供应商限额": "供应商的限额在月底对账时检查。",
        "請求/退款": "退款金額以分為單位。",
        "文書/設定": "設定ファイルは起動時に読み込まれる。",
        "회의/예산": "예산은 분기마다 승인된다.",
        "café/menü": "Die Überprüfung der Beiträge läuft über Größen.",
        "src/db/api": "SQL is run in a UI job.",
        "src/ingest": "Straightforward.",
        "more/such": "Nothing in particular.",
    }.items():
        project.write(address, capsule=capsule, body="x")
    return project


def found(project: Project, query: str) -> list[str]:
    return [one["address"] for one in project.call("search", query=query).data["articles"]]


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("限额", "计费/供应商限额"),
        ("月底怎么对账？", "计费/供应商限额"),
        ("退款的金額", "請求/退款"),
        ("設定ファイル", "文書/設定"),
        ("ﾌｧｲﾙ", "文書/設定"),
        ("예산 승인", "회의/예산"),
        ("überprüfung", "café/menü"),
        ("UBERPRUFUNG", "café/menü"),
        ("GROSSEN", "café/menü"),
        ("cafe", "café/menü"),
        ("Beiträge ＢＥＩＴＲＡＧＥ", "café/menü"),
    ],
)
def test_other_scripts_are_found(project: Project, query: str, address: str) -> None:
    reply = project.call("search", query=query)
    assert [one["address"] for one in reply.data["articles"]] == [address]
    assert reply.data["by"] == "terms"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_both_forms_of_unicode_are_one(project: Project, form: str) -> None:
    for query in ("Überprüfung", "예산", "ファイルは"):
        assert len(found(project, unicodedata.normalize(form, query))) == 1
    project.put(unicodedata.normalize(form, "später/notiz"), unicodedata.normalize(form, "Würfelzucker"))
    assert found(project, "würfelzucker") == ["später/notiz"]


@pytest.mark.parametrize(
    ("query", "address", "by"),
    [
        ("sql", "src/db/api", "lesser"),
        ("ui db", "src/db/api", "lesser"),
        ("款", "請求/退款", "lesser"),
        ("more such", "more/such", "lesser"),
        ("ingestion gest", "src/ingest", "address"),
    ],
)
def test_what_terms_do_not_find_is_looked_for_otherwise(project: Project, query: str, address: str, by: str) -> None:
    reply = project.call("search", query=query)
    assert reply.data["articles"][0]["address"] == address
    assert reply.data["by"] == by


def test_lesser_terms_do_not_count_beside_others(project: Project) -> None:
    assert found(project, "sql straightforward") == ["src/ingest"]
    assert found(project, "nothing that is there, zzzz") == ["more/such"]
    assert project.call("search", query="zzzz").code == "no_match"


def test_english_has_the_terms_of_the_original() -> None:
    bag = bag_of("The _cache_ must_not be re-used: cache v2, 2024 over x.py (“always”)")
    assert bag.length == 6
    terms = {term for term in bag.counts if len(term) >= 4}
    assert terms == {"cache", "must_not", "used", "2024", "always"} - STOP | {"cache"}
    assert bag.counts["cache"] == 2


def test_the_terms_of_a_query_are_a_set() -> None:
    assert terms_of("totals Totals about totals_ 限额度") == ("totals", "限额", "额度")
    assert lesser_terms_of("about db 猫 限额 x") == ("about", "db", "x", "猫")
    assert len(STOP) == 59
