"""Files as the original writes them, to the byte: what it was seen to do, not what a model of it does."""

from __future__ import annotations

import json
from typing import Any

import canon_original as original
import pytest

from dcc.compiler.canon.defaults import default_schema
from dcc.compiler.canon.schema import read_schema
from dcc.grammar.canon.articles import Article, Change, composed, title_of
from dcc.grammar.canon.entries import Entry, read_entry, slug_of
from dcc.runtime.memory.store.rows import row_of

TODAY = "2026-08-11"

ARTICLES = [
    (Change("Env wins.", "# Config\n\n"), "---\ncapsule: Env wins.\nupdated: 2026-08-11\n---\n# Config\n"),
    (Change("a: b", "x", "rule"), '---\ncapsule: "a: b"\nupdated: 2026-08-11\nscope: rule\n---\nx\n'),
    (Change("a\\b", "x"), '---\ncapsule: "a\\\\b"\nupdated: 2026-08-11\n---\nx\n'),
    (Change("it's 中文", "x"), '---\ncapsule: "it\'s 中文"\nupdated: 2026-08-11\n---\nx\n'),
    (Change("two\n  lines", "\n x"), "---\ncapsule: two lines\nupdated: 2026-08-11\n---\n\n x\n"),
    (Change("Alone."), "---\ncapsule: Alone.\nupdated: 2026-08-11\n---\n\n"),
    (Change(body="---\n_key: v\n-x: 1\n2a: b\n---\n\n  Text"), "---\nupdated: 2026-08-11\n---\nText\n"),
    (Change(body="---\n---\nText"), "---\nupdated: 2026-08-11\n---\n---\n---\nText\n"),
]


@pytest.mark.parametrize(("change", "text"), ARTICLES)
def test_a_new_article(change: Change, text: str) -> None:
    made = composed(None, change, TODAY)
    assert made is not None
    assert made.text == text
    there, ours = original.read(text), Article(text)
    assert (there.capsule, there.updated, there.scope) == (ours.capsule, ours.updated, ours.scope)
    assert original.write(there) == text


LOGGED = "2026-08-11T09:08:07.006Z"


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (Entry("It was 42.\n\n", (), LOGGED), f"---\nlogged: {LOGGED}\n---\nIt was 42.\n"),
        (
            Entry("x", ("src/core/config", "a,b/c", "lake:x"), LOGGED),
            f'---\nsubject: [src/core/config, "a,b/c", "lake:x"]\nlogged: {LOGGED}\n---\nx\n',
        ),
        (
            Entry("x", (), LOGGED, "codex", "thread-1"),
            f"---\nlogged: {LOGGED}\nharness: codex\nsession: thread-1\n---\nx\n",
        ),
        (
            Entry("x", (), LOGGED, "my: host", "a #1"),
            f'---\nlogged: {LOGGED}\nharness: "my: host"\nsession: "a #1"\n---\nx\n',
        ),
    ],
)
def test_an_entry(entry: Entry, text: str) -> None:
    assert entry.text == text
    again = read_entry(text)
    assert (again.subjects, again.logged, again.harness, again.session) == (
        entry.subjects, entry.logged, entry.harness, entry.session
    )  # fmt: skip


@pytest.mark.parametrize(
    ("written", "slug"),
    [
        ("Vendor Cap", "vendor-cap"), ("  a--b__c  ", "a-b-c"), ("-x-", "x"), ("v1.2/3", "v1-2-3"), ("!?", "entry"),
        ("", "entry"), ("UPPER", "upper"),
    ],
)  # fmt: skip
def test_a_slug_of_ascii(written: str, slug: str) -> None:
    assert slug_of(written) == slug


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        (
            "2026-08-11-x.md",
            f'---\nsubject: ["a,b", 中]\nlogged: {LOGGED}\n---\nx\n',
            f'{{"n":"2026-08-11-x.md","a":"{LOGGED}","s":["a,b","中"]}}\n',
        ),
        ("2026-08-11-x-2.md", "By hand.\n", '{"n":"2026-08-11-x-2.md","a":"2026-08-11","s":[]}\n'),
    ],
)
def test_a_row_of_the_index(name: str, text: str, line: str) -> None:
    assert row_of(name, read_entry(text)).line == line


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# Alpha", "Alpha"), ("\n\n#  Spaced Heading \nx", "Spaced Heading"), ("#\u3000全角", "全角"),
        ("#\u00a0No break", "No break"), ("## x", ""), ("#x", ""), ("#", ""), ("x\n# y", ""), ("  # in", "in"),
    ],
)  # fmt: skip
def test_a_title(body: str, title: str) -> None:
    assert title_of(body) == title


def without_words(value: Any) -> Any:
    """A schema without what it says to people."""
    if not isinstance(value, dict):
        return value
    return {key: without_words(one) for key, one in value.items() if key not in ("about", "hint")}


def test_a_new_schema() -> None:
    assert without_words(json.loads(default_schema())) == {
        "schema_version": 1,
        "article": {
            "capsule": {"required": False, "max_chars": 1000},
            "title": {"required": False},
            "body": {"max_chars": 20000},
        },
        "relations": {"refs": {"required": False}, "orphan": {"warn": False}, "children": {"listed": False}},
    }
    rules = [*json.loads(default_schema())["article"].values(), *json.loads(default_schema())["relations"].values()]
    assert all(rule["hint"] for rule in rules)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ('{"article": null}', []), ('{"relations": null}', [("wrong-type", ("relations",))]), ("{}", []),
        ('{"relations": []}', [("wrong-type", ("relations",))]), ('{"article": []}', [("wrong-type", ("article",))]),
        ('{"article": {"title": null}}', [("wrong-type", ("article", "title"))]),
        ('{"article": {"body": {"max_chars": 1.0}}}', []),
        ('{"article": {"body": {"min_chars": -1}}}', [("wrong-type", ("article", "body", "min_chars"))]),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_schema(text: str, problems: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(one.name, one.path) for one in read_schema(text).problems] == problems
