"""Expressions over plain values."""

from __future__ import annotations

from typing import Any

import pytest

from dcc.compiler.ops.evaluate import holds, offenders
from dcc.compiler.ops.model import Expr
from dcc.compiler.ops.show import show_expr
from dcc.compiler.ops.source import read_ops_file

OP = """
op note {{
  ids: slots
  how: word(archived|hidden)
  content: text
  names: texts
  few: count
  all_of_it: flag
  refuse no when {condition} "no"
  effect hold archived
}}
"""

ARGUMENTS = {"ids": ("a", "b"), "how": "hidden", "content": " \n", "names": ("x", " "), "few": 400, "all_of_it": False}
TARGETS: list[dict[str, Any]] = [
    {"kind": "toolResult", "unread": True, "tokens": 300, "visibility": "model"},
    {"kind": "user", "unread": False, "tokens": 500, "visibility": "archived"},
]


def compiled(condition: str) -> Expr:
    file = read_ops_file("mine.ops", OP.format(condition=condition))
    assert file.faults == ()
    return file.table["note"].refusals[0].when


@pytest.mark.parametrize(
    ("condition", "expected", "named"),
    [
        ("how == hidden", True, ()),
        ("how != hidden", False, ()),
        ("how in [archived, hidden]", True, ()),
        ("blank(content)", True, ()),
        ("blank(names)", False, ()),
        ("missing(content)", False, ()),
        ("count(ids) < 2", False, ()),
        ("count(ids) >= 2 and count(names) == 2", True, ()),
        ("all_of_it", False, ()),
        ("not all_of_it", True, ()),
        ("any(target.unread)", True, (0,)),
        ("any(not target.unread)", True, (1,)),
        ("all(target.unread)", False, ()),
        ("not all(target.unread)", True, (1,)),
        ("all(target.tokens >= 300)", True, ()),
        ("any(target.tokens > few)", True, (1,)),
        ("any(target.kind in [user, system] or target.tokens < 400)", True, (0, 1)),
        ("any(target.unread) or any(target.kind == user)", True, (0, 1)),
        ("any(target.unread) and how == archived", False, ()),
        ("blank(content) or any(target.kind == system)", True, ()),
        ("any(target.visibility == archived and not target.unread)", True, (1,)),
        # A fact that a target does not have is equal to nothing, and in no order.
        ("any(target.storage == inline)", False, ()),
        ("any(target.element != x)", True, (0, 1)),
    ],
)
def test_holds_and_offenders(condition: str, expected: bool, named: tuple[int, ...]) -> None:
    expr = compiled(condition)
    assert holds(expr, ARGUMENTS, TARGETS) is expected
    assert (offenders(expr, ARGUMENTS, TARGETS) if expected else ()) == named


@pytest.mark.parametrize("condition", ["blank(content)", "missing(content)", "count(names) == 0", "not all_of_it"])
def test_what_is_missing(condition: str) -> None:
    assert holds(compiled(condition), {"ids": ("a",)}, TARGETS)


@pytest.mark.parametrize("condition", ["few < 1", "few >= 0", "how == hidden"])
def test_what_is_missing_is_equal_to_nothing_and_in_no_order(condition: str) -> None:
    assert not holds(compiled(condition), {"ids": ("a",)}, TARGETS)


@pytest.mark.parametrize(
    "condition",
    [
        "how == hidden or blank(content) and not all_of_it",
        "(how == hidden or blank(content)) and not (all_of_it and count(ids) > 1)",
        'any(target.kind in [user, "a b", toolResult]) and not all(target.tokens <= few)',
        'content == "a \\"b\\" \\\\ c\\nd"',
        'any(target.element in ["true", "12", "目标", and, goal])',
    ],
)
def test_an_expression_shown_is_the_expression(condition: str) -> None:
    expr = compiled(condition)
    assert show_expr(expr) == condition
    assert compiled(show_expr(expr)) == expr
