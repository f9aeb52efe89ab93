"""What lint looks for, in English and in Chinese, and what it does not take for it."""

from __future__ import annotations

import pytest

from dcc.grammar.canon.conflicts import conflict_in
from dcc.grammar.canon.entries import slug_of
from dcc.grammar.canon.links import links_in, references
from dcc.grammar.canon.values import values_in
from dcc.grammar.canon.words import (
    dropped_constraints,
    is_constraint,
    reads_like_a_change_log,
    reads_like_a_log,
)


@pytest.mark.parametrize(
    "line",
    [
        "Amounts must be cents.", "NEVER write here.", "It is always read first.", "This requires a lock.",
        "A lock is required.", "Do not format.", "You don't format.", "You don’t format.",
        "金额必须以整数分保存。", "禁止写入此文件。", "不得四舍五入。", "不要格式化。", "始终先读取。",
        "該欄位必須存在。",
    ],
)  # fmt: skip
def test_constraints(line: str) -> None:
    assert is_constraint(line)


@pytest.mark.parametrize("line", ["The mustard is here.", "Nevertheless.", "A requirement.", "金额以整数分保存。"])
def test_no_constraints(line: str) -> None:
    assert not is_constraint(line)


def test_a_constraint_that_was_broken_into_lines_is_kept() -> None:
    before = "* Amounts must\n- 金额必须 为整数\nother"
    assert list(dropped_constraints(before, "Amounts   must and 金额必须\n为整数")) == []
    assert list(dropped_constraints(before, "gone")) == ["Amounts must", "金额必须 为整数"]


@pytest.mark.parametrize(
    "capsule", ["Added paging.", "fixed: a", "修复了分页问题。", "新增库存分页", "已更新加载顺序", "更新了供应商限额"]
)
def test_change_logs(capsule: str) -> None:
    assert reads_like_a_change_log(capsule)


@pytest.mark.parametrize("capsule", ["Additional paging.", "更新频率为每日", "删除的记录保留三十天", "We added it."])
def test_no_change_logs(capsule: str) -> None:
    assert not reads_like_a_change_log(capsule)


@pytest.mark.parametrize(
    "address", ["ops/logs", "Journal/x", "a/session", "standups/b", "x/2026-08-10-y", "运维/日志", "会议纪要/8", "周会"]
)
def test_addresses_of_events(address: str) -> None:
    assert reads_like_a_log(address)


@pytest.mark.parametrize("address", ["blog", "catalog/a", "logger", "src/日志器", "会议室/预订", "a/20260810"])
def test_addresses_of_no_events(address: str) -> None:
    assert not reads_like_a_log(address)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("上限从三百个提高到一万二千元，持续十一周", {"三百个", "一万二千元", "十一周"}),
        ("保留30天，最多 5 万行", {"30天", "5 万行"}),
        ("一旦两者相同，就一起处理。", set()),
        ("`cap` is 3.5% on 2026-08-10 for MAX_RETRIES of core.limit", {"cap", "3.5%", "MAX_RETRIES", "core.limit"}),
        ('She said "no more than that" twice in twenty minutes', {"no more than that", "twenty minutes"}),
        ("1,250 rows, 1,250 again, and 7", {"1,250"}),
    ],
)
def test_values(text: str, values: set[str]) -> None:
    assert set(values_in(text)) == values


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Vendor Cap!", "vendor-cap"),
        ("供应商限额", "供应商限额"),
        ("限额 v2（最终）", "限额-v2-最终"),
        ("Déjà_vu", "déjà-vu"),
        ("हिन्दी", "हिन्दी"),
        ("!!!", "entry"),
        ("", "entry"),
    ],
)
def test_slugs_keep_words_of_any_script(title: str, slug: str) -> None:
    # The original keeps a-z and 0-9 alone (section 13.4).
    assert slug_of(title) == slug


def test_a_slug_fits_a_file_name() -> None:
    assert len(slug_of("字" * 500).encode()) <= 120
    assert slug_of("a-" * 500).endswith("a")


def test_links_in_code_are_none() -> None:
    # The original flags them (section 13.6).
    text = "[[a]] `[[b]]` [[c|shown]] [[d#part]]\n~~~\n[[e]]\n~~~\n``[[f]] ` ``\n\n```\n[[g]]"
    assert [link.target for link in links_in(text)] == ["a", "c", "d"]
    assert references("[[A]] and [[a ]]") == ("a",)


def test_links_stand_where_they_are_said_to() -> None:
    text = "`x` and [[c|shown]]"
    span = links_in(text)[0].span
    assert text[span.start : span.end] == "[[c|shown]]"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\n", 1),
        ("<<<<<<< ours\r\n=======\r\n>>>>>>>", 0),
        ("---\n<<<<<<< HEAD\nupdated: 1\n||||||| base\n=======\n>>>>>>> b\n---\n", 1),
        ("<<<<<<< HEAD\nx\n=======\n", None),
        (">>>>>>> b\n=======\n<<<<<<< a\n", None),
        ("Title\n=======\n<<<<<<<< eight\n=======\n>>>>>>> b", None),
        ("```\n<<<<<<< HEAD\n=======\n>>>>>>> b\n```\n", None),
    ],
)
def test_conflicts_of_a_merge(text: str, line: int | None) -> None:
    found = conflict_in(text)
    assert (None if found is None else text[: found.start].count("\n")) == line
