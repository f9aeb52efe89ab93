"""Which checks speak, by the words that select and ignore them."""

from __future__ import annotations

import pytest

from dcc.compiler.choice import Choice, selectors, unknown_selectors

CHECKS = [
    ("DCC101", "unknown-key"),
    ("DCC204", "bad-start"),
    ("DCC205", "end-before-start"),
    ("DCC207", "needs-labels"),
]


@pytest.mark.parametrize(
    ("select", "ignore", "speak"),
    [
        pytest.param("", "", "101 204 205 207", id="nothing said: all"),
        pytest.param("DCC205", "", "205", id="a code"),
        pytest.param("dcc205", "", "205", id="in any case"),
        pytest.param("end-before-start", "", "205", id="a name"),
        pytest.param("DCC2", "", "204 205 207", id="a prefix"),
        pytest.param("DCC", "DCC2", "101", id="a longer prefix ignored"),
        pytest.param("ALL", "DCC101", "204 205 207", id="all but one"),
        pytest.param("", "DCC2,unknown-key", "", id="everything ignored"),
        pytest.param("DCC2", "DCC205", "204 207", id="the nearer word wins: a code ignored"),
        pytest.param("DCC205", "DCC2", "205", id="the nearer word wins: a code selected"),
        pytest.param("DCC205", "end-before-start", "", id="equally near: ignore wins"),
        pytest.param("DCC20", "DCC20", "", id="the same prefix: ignore wins"),
        pytest.param("DCC101", "ALL", "101", id="all ignored but one selected"),
        pytest.param("", "ALL", "", id="all ignored"),
    ],
)
def test_takes(select: str, ignore: str, speak: str) -> None:
    choice = Choice(selectors([select]), selectors([ignore]))
    assert " ".join(code[3:] for code, name in CHECKS if choice.takes(code, name)) == speak


def test_selectors_are_parted_by_commas() -> None:
    assert selectors(["DCC1, DCC2", "x", ",", ""]) == ("DCC1", "DCC2", "x")


def test_unknown_selectors_come_with_what_they_are_near_to() -> None:
    words = ["DCC2", "ALL", "bad-start", "DCC206", "DCC9", "bad-strat", "zzz", "CC2"]
    found = dict(unknown_selectors(words, CHECKS))
    assert set(found) == {"DCC206", "DCC9", "bad-strat", "zzz", "CC2"}
    assert (found["bad-strat"], found["zzz"]) == ("bad-start", None)
