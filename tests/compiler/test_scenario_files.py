"""Scenario files under ``check_file``: what is told of them, and what their comments silence."""

from __future__ import annotations

import pytest

from dcc.compiler.files import check_file

WRONG = "steps:\n  - {user: hello, replay: hi}  # dcc: ignore[unknown-key] of another version\n"


def codes(text: str) -> list[str]:
    return [d.code for d in check_file("s.yaml", text).diagnostics]


@pytest.mark.parametrize("text", ["steps: [{user: hello, calls: 3}]\n", "steps: [{usre: hello}]\n"])
def test_steps_that_are_refused_are_not_told_to_be_missing(text: str) -> None:
    found = check_file("s.yaml", text).diagnostics
    assert [d.name for d in found if "needs `steps`" in d.message] == []
    assert found


def test_a_comment_silences() -> None:
    result = check_file("s.yaml", WRONG)
    assert [d.code for d in result.silenced] == ["DCC101"]
    assert "DCC009" not in [d.code for d in result.diagnostics]


def test_comments_are_judged_once_where_a_ruleset_stands_in_the_file() -> None:
    text = "ruleset:\n  life_cycle:\n    a: [5, 3]  # dcc: ignore[DCC205]\n  # dcc: ignore[DCC207]\n  name: x\n"
    assert codes(f"{text}steps: [{{user: hello, reply: hi}}]\n") == ["DCC009"]
