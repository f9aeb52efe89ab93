"""Front matter made by people: a write changes what was asked, and every other byte stays."""

from __future__ import annotations

from random import Random

import canon_original as original
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dcc.grammar.canon.articles import Article, Change, composed, one_line, without_pasted_front_matter
from dcc.grammar.canon.lengths import WHITE
from dcc.grammar.canon.quoting import quote_value, read_list, read_value

TODAY = "2026-08-11"

#: Blocks of lines that people put into front matter: keys of their own, comments, lists, quotes, CJK, empty lines.
FOREIGN = (
    ("tags:", "  - a", "  - b"), ("tags:", "- a", "- b"), ("tags: [a, 'b: c', \"d\"]",), ("owner: shane",),
    ("# a comment",), ("mine: x", "   # an indented comment"), ("",), ("   ",), ("aliases: []",), ("标签: 值",),
    ("title: '它的 ''名字'''",), ('quoted: "a \\" b # c"',), ("nested:", "  capsule: not this one", "  updated: no"),
    ("text: |", "  capsule: in a block", "", "  last"), ("folded: >-", "  a", "  b"), ("date: 2020-01-01",),
    ("url: https://example.org/#x",), ("empty:",), ("emoji: 🎯",), ("anchor: &a [1]",), ("also: *a",), ("key:value",),
)  # fmt: skip
CAPSULES = (
    ("capsule: Plain words.",), ("capsule: 'single ''quoted'': yes'",), ('capsule: "double: \\"quoted\\""',),
    ("capsule: 胶囊：一句话。",), ("capsule: |", "  in a", "  block"), ("capsule: >-", "  folded", "", "  text"),
    ("capsule: goes on", "  in the next line"), ('capsule: "quoted" # and a comment',), ("capsule:   spaces   ",), (),
)  # fmt: skip
UPDATED = (("updated: 2024-02-29",), ('updated: "2024-02-29"',), ("updated:   2024-02-29  ",), ())
SCOPES = (("scope: rule",), ("scope: 'rule'",), (), ())
BODIES = (
    "# 标题\n\nText.\n", "Text without an end", "\n\n  indented\n\n\n", "", "---\n\nA rule.\n\n---\n",
    "a\x00b\x85c\u2028d\n",
)  # fmt: skip
NEW = ("New: capsule # here", "新的胶囊", "- lead", "~", 'with "quotes"', "plain", "[[link]] first", "true", "2026")


def hand_made(seed: int) -> tuple[list[tuple[str, ...]], str, str]:
    """The blocks of a front matter in some order, a line end, and the whole text."""
    random = Random(seed)
    blocks = [block for one in (CAPSULES, UPDATED, SCOPES) if (block := random.choice(one))]
    blocks += random.sample(FOREIGN, random.randint(1, 5))
    random.shuffle(blocks)
    end = random.choice(("\n", "\r\n"))
    bom = random.choice(("", "", "\ufeff"))
    lines = [line for block in blocks for line in block]
    body = random.choice(BODIES).replace("\n", end)
    return blocks, end, bom + end.join(["---", *lines, "---", ""]) + body


def owned(blocks: list[tuple[str, ...]], *keys: str) -> list[str]:
    """The lines of the blocks, those of some keys left out."""
    return [line for block in blocks if block[0].partition(":")[0] not in keys for line in block]


def front_lines(article: Article, *without: str) -> list[str]:
    """The lines of an article's front matter without some of them; a comment that got a line of its own is one."""
    lines = [line.rstrip("\r\n") for entry in article.front.entries for line in entry.lines]
    return [line for line in lines if line not in (*without, "# and a comment")]


@pytest.mark.parametrize("seed", range(500))
def test_a_write_changes_only_what_it_was_asked(seed: int) -> None:
    blocks, end, text = hand_made(seed)
    random = Random(-seed)
    before = Article(text)
    assert before.front.text == text
    capsule, body = random.choice(NEW), random.choice(("New body.", "# 新\n\n第二行\n", "a\nb"))
    dated = f"updated: {TODAY}"

    changed = composed(before, Change(capsule=capsule), TODAY)
    assert changed is not None
    assert (changed.capsule, changed.updated, changed.scope) == (capsule, TODAY, before.scope)
    assert (changed.front.bom, changed.front.fences, changed.front.body) == (
        before.front.bom, before.front.fences, before.front.body
    )  # fmt: skip
    written = f"capsule: {quote_value(capsule)}"
    assert front_lines(changed, written, dated) == owned(blocks, "capsule", "updated")

    changed = composed(before, Change(body=body), TODAY)
    assert changed is not None
    assert (changed.body, changed.capsule) == (body.rstrip().replace("\n", end), before.capsule)
    assert front_lines(changed, dated) == owned(blocks, "updated")
    assert all(line.endswith(end) for entry in changed.front.entries for line in entry.lines)

    scope = "" if before.scope else "rule"
    changed = composed(before, Change(scope=scope), TODAY)
    assert changed is not None
    assert (changed.scope, changed.capsule, changed.body) == (scope, before.capsule, before.body)
    assert front_lines(changed, "scope: rule", dated) == owned(blocks, "scope", "updated")

    assert composed(before, Change(before.capsule or None, before.body or None, before.scope or None), TODAY) is None


@pytest.mark.parametrize("seed", range(200))
def test_the_original_reads_what_dcc_wrote_over_a_hand_made_file(seed: int) -> None:
    text = hand_made(seed)[2].removeprefix("\ufeff")
    changed = composed(Article(text), Change(capsule=NEW[seed % len(NEW)], body="Body."), TODAY)
    assert changed is not None
    there = original.read(changed.text)
    assert (there.capsule, there.updated) == (changed.capsule, TODAY)
    assert there.body.rstrip() == "Body."


VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=30).map(one_line)


@given(VALUES, st.sampled_from(["", "rule"]), VALUES)
def test_both_read_what_the_other_wrote(capsule: str, scope: str, body: str) -> None:
    made = composed(None, Change(capsule=capsule or None, body=body or None, scope=scope or None), TODAY)
    assert made is not None
    there = original.read(made.text)
    assert (there.capsule, there.updated, there.scope) == (capsule, TODAY, scope)
    assert there.body.rstrip() == Article(made.text).body.rstrip()
    if capsule == capsule.strip() and "\x85" not in capsule:
        written = original.write(original.Original(capsule, TODAY, scope, ("owner: me",), body))
        assert (Article(written).capsule, Article(written).scope) == (capsule, scope)
        assert Article(written).foreign == ("owner: me",)


@given(VALUES)
def test_a_quoted_value_is_read_back_by_dcc_and_by_yaml(value: str) -> None:
    written = quote_value(value)
    assert read_value(written) == value
    readable = all(char.isprintable() or char == "\t" for char in value) and "\ufeff" not in value
    if readable and all(ord(char) < 0x10000 for char in value):
        assert yaml.safe_load(f"capsule: {written}")["capsule"] == value


@pytest.mark.parametrize(
    ("written", "items"),
    [
        ('[a, "b,c"]', ("a", "b,c")),
        ('[a, "lake:x", d]', ("a", "lake:x", "d")),
        ("['it''s', b ]", ("it's", "b")),
        ("[]", ()),
        ('["a\\"b"]', ('a"b',)),
        ("[ a/b ,, c ]", ("a/b", "c")),
    ],
)
def test_a_list_may_quote_any_of_its_items(written: str, items: tuple[str, ...]) -> None:
    # The original splits at the comma inside all but the first (section 13.1).
    assert read_list(written) == items


@pytest.mark.parametrize(
    ("body", "stored"),
    [
        ("---\ncapsule: x\nupdated: y\n---\n\n# T\n", "# T"),
        ("---\ncapsule: x\ntags:\n  - a\n# note\n---\nText", "Text"),
        ("---\ntags:\n---\nText", "---\ntags:\n---\nText"),
        ("---\n\nprose\n\n---\nText", "---\n\nprose\n\n---\nText"),
        ("---\n---\nText", "---\n---\nText"),
    ],
)
def test_a_pasted_article_gives_its_body(body: str, stored: str) -> None:
    made = composed(None, Change(body=body), TODAY)
    assert made is not None
    assert made.body == stored


def test_a_capsule_is_one_line() -> None:
    assert one_line("  a \r\n  b  c\n") == "a b  c"


def test_the_text_of_a_file_that_is_not_utf8_survives() -> None:
    text = b"---\ncapsule: a\n---\n\xff\xfe body\n".decode("utf-8", "surrogateescape")
    changed = composed(Article(text), Change(capsule="b"), TODAY)
    assert changed is not None
    assert changed.text.encode("utf-8", "surrogateescape").endswith(b"\xff\xfe body\n")


def test_a_body_of_front_matter_alone_erases_nothing() -> None:
    made = composed(None, Change(body="Body."), TODAY)
    assert made is not None
    assert composed(made, Change(body="---\ncapsule: x\n---\n"), TODAY) is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_fence_that_ends_the_file_stays_one_before_a_body(end: str) -> None:
    prior = Article(f"---{end}capsule: a{end}---")
    made = composed(prior, Change(body="- first"), TODAY)
    assert made is not None
    assert made.text == f"---{end}capsule: a{end}updated: {TODAY}{end}---{end}- first{end}"
    assert composed(made, Change(body="- first"), TODAY) is None


def test_what_stands_behind_a_quoted_value_is_no_part_of_a_new_one() -> None:
    prior = Article('---\ncapsule: "a: b"\n  more\nupdated: "x"\n  less\n---\nbody\n')
    made = composed(prior, Change(capsule="plain"), TODAY)
    assert made is not None
    assert (made.capsule, made.updated) == ("plain", TODAY)
    assert made.foreign == ("  more", "  less")


PIECES = st.sampled_from(
    [
        "---", "\n", "\r\n", "\r", "\ufeff", "capsule:", "updated:", "scope:", "tags:", " ", "  - a", "# c", '"x"',
        "'y'", "a: b", "|", ">", "\t", "é", "\x85", "\u2028", "\x1c", "body", "- ", "{", "&a", "*a", "<<: *x", "~",
        "2026-01-01", "\\", "`", "\0",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map("".join)
OPENED, CLOSED = st.sampled_from(["---\n", "\ufeff---\r\n"]), st.sampled_from(["\n---", "\r\n---\r\n"])
FILES = st.one_of(TEXTS, st.tuples(OPENED, TEXTS, CLOSED, TEXTS).map("".join))
GIVEN = st.one_of(st.none(), TEXTS.filter(lambda text: bool(text.strip(WHITE))))


@settings(max_examples=400)
@given(FILES, GIVEN, GIVEN, GIVEN)
def test_a_write_to_any_file_says_what_it_was_given_and_keeps_the_rest(
    file: str, capsule: str | None, body: str | None, scope: str | None
) -> None:
    prior, change = Article(file), Change(capsule, body, scope)
    made = composed(prior, change, TODAY) or prior
    again = Article(made.text)
    assert again.capsule == (prior.capsule if capsule is None else one_line(capsule))
    assert again.scope == (prior.scope if scope is None else one_line(scope.strip(WHITE)))
    pasted = "" if body is None else without_pasted_front_matter(body).rstrip(WHITE)
    assert again.body.replace("\r\n", "\n") == (pasted or prior.body).replace("\r\n", "\n")
    assert made is prior or again.updated == TODAY
    assert composed(again, change, TODAY) is None
