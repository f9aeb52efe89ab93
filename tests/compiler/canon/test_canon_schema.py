"""A store's schema.json: what is enforced of it, and what ``dcc check`` says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcc.cli.entry import run
from dcc.compiler.canon.defaults import default_schema
from dcc.compiler.canon.enforcing import EVERYTHING, violations
from dcc.compiler.canon.schema import read_schema
from dcc.compiler.files import check_file
from dcc.grammar.canon.articles import Article


def found(text: str) -> list[tuple[str, int, int]]:
    """The findings: name, line, column."""
    return [(d.name, d.start.line, d.start.column) for d in check_file("schema.json", text).diagnostics]


def test_what_ships_is_right_and_asks_nothing() -> None:
    assert found(default_schema()) == []
    schema = read_schema(default_schema())
    assert schema.problems == ()
    assert violations(schema, Article(""), EVERYTHING) == ()


@pytest.mark.parametrize("text", ["{ not json", "[]", '"text"', '{"article": []}', "[" * 100_000])
def test_nothing_of_an_unusable_file_is_enforced(text: str) -> None:
    schema = read_schema(text)
    assert (dict(schema.rules), [problem.fatal for problem in schema.problems]) == ({}, [True])
    assert [name for name, _, _ in found(text)] in (["not-json"], ["wrong-type"], ["too-large"])


def test_the_rest_of_a_file_with_problems_is_enforced() -> None:
    text = json.dumps(
        {
            "article": {
                "caps": {},
                "title": 3,
                "capsule": {"required": True, "max_length": 4},
                "body": {"max_chars": "9", "min_chars": True},
            },
            "relations": {"parents": {}, "orphan": [], "refs": {"min": 1, "min_count": -1}},
        },
        indent=1,
    )
    schema = read_schema(text)
    assert {name for name, rule in schema.rules.items() if rule.asked} == {"capsule"}
    assert sorted(problem.name for problem in schema.problems) == ["unknown-key"] * 4 + ["wrong-type"] * 5
    assert [name for name, _, _ in found(text)].count("unknown-key") == 4
    assert not any(problem.fatal for problem in schema.problems)


@pytest.mark.parametrize(("written", "limit"), [("1.0", 1), ("0.0", 0), ("2e1", 20), ("-0.0", 0), ("7", 7)])
def test_a_number_that_is_whole_is_a_count(written: str, limit: int) -> None:
    text = f'{{"article": {{"body": {{"max_chars": {written}}}}}}}'
    assert (read_schema(text).rule("body").maximum, found(text)) == (limit, [])
    assert type(read_schema(text).rule("body").maximum) is int


@pytest.mark.parametrize("written", ["1.5", "-1.0", "1e400", "true", '"1"'])
def test_what_is_no_whole_number_is_no_count(written: str) -> None:
    schema = read_schema(f'{{"article": {{"body": {{"max_chars": {written}}}}}}}')
    assert (schema.rule("body").maximum, len(schema.problems)) == (None, 1)


def test_an_article_of_null_counts_as_absent() -> None:
    assert read_schema('{"article": null, "more": 1}').problems == ()


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ('{\n\t"article": {"caps": {}}\n}', ("unknown-key", 2, 14)),
        ('{"article": {"title": {}, "title": {}}}', ("duplicate-key", 1, 27)),
        ('{"schema_version": 2}', ("wrong-value", 1, 20)),
        ('{"article": {"body": {"min_chars": 9, "max_chars": 2}}}', ("wrong-value", 1, 36)),
        ('\ufeff{"relations": []}', ("wrong-type", 1, 15)),
        ('{"article": {"title": {"hint": "\\ud83c\\udfaf \\/", "min": 1}}}', ("unknown-key", 1, 51)),
        ("{\n// why\n}", ("not-json", 2, 1)),
    ],
)
def test_a_finding_stands_where_it_is(text: str, finding: tuple[str, int, int]) -> None:
    assert found(text) == [finding]


def test_a_schema_is_known_by_what_it_holds() -> None:
    text = '{"schema_version": 1, "relations": {"parents": {}}}'
    assert [d.name for d in check_file("other.json", text).diagnostics] == ["unknown-key"]


def test_dcc_check_takes_the_schema_of_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "schema.json"
    path.write_text('{"article": {"capsule": {"requires": true}}}')
    assert run(["check", "--isolated", "--format", "json", str(path)]) == 1
    assert [d["name"] for d in json.loads(capsys.readouterr().out)["diagnostics"]] == ["unknown-key"]


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "9" * 5_000])
def test_a_number_that_other_programs_cannot_read_is_no_json(value: str) -> None:
    text = f'{{"schema_version": 1, "x": {value}}}'
    assert found(text) == [("not-json", 1, 1)]
    assert [problem.fatal for problem in read_schema(text).problems] == [True]
