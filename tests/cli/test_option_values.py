"""A value that an option cannot take is told in plain words, with what it can take."""

from __future__ import annotations

import pytest

from dcc.cli.entry import run


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["compile", "standard", "--turns", "abc"], "'--turns': 'abc' is no whole number"),
        (["compile", "standard", "--turns", "0"], "'--turns': 0 is less than 1"),
        (["compile", "standard", "--turns", "1001"], "'--turns': 1001 is more than 1000"),
        (["run", "hi", "--timeout", "soon"], "'--timeout': 'soon' is no number"),
        (["sessions", "fork", "one", "--at", "x"], "'--at': 'x' is no whole number"),
        (["schema", "rules"], "'[KIND]': 'rules' is not one of 'ruleset', 'scenario'."),
        (["canon", "install", "claude"], "'HOST': 'claude' is not one of 'claude-code', 'codex'."),
    ],
)
def test_a_value_of_the_wrong_kind(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(args) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"Error: Invalid value for {message}"
