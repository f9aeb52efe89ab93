"""Places: lines and columns from 1, offsets in characters from 0, right with wide letters and line ends."""

from __future__ import annotations

import pytest

from dcc.compiler.diagnostics import Position
from dcc.compiler.load import check_source
from dcc.compiler.source import SourceMap


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        pytest.param("compcat: 1\n", (1, 1, 0), (1, 8, 7), id="first line"),
        pytest.param("name: a\ncompcat: 1\n", (2, 1, 8), (2, 8, 15), id="second line"),
        pytest.param("name: a\r\ncompcat: 1\r\n", (2, 1, 9), (2, 8, 16), id="CRLF"),
        pytest.param("name: 目标🎯\ncompcat: 1\n", (2, 1, 10), (2, 8, 17), id="wide letters before"),
        pytest.param("{name: 目标🎯, 未知: 1}\n", (1, 13, 12), (1, 15, 14), id="wide letters in the line"),
        pytest.param("\ufeffcompcat: 1\n", (1, 1, 1), (1, 8, 8), id="byte order mark"),
        pytest.param("# \u2028 \x85\ncompcat: 1\n", (2, 1, 6), (2, 8, 13), id="YAML's own line ends"),
    ],
)
def test_place_of_a_finding(text: str, start: tuple[int, int, int], end: tuple[int, int, int]) -> None:
    (found,) = check_source("a.yaml", text).diagnostics
    assert found.start == Position(*start)
    assert found.end == Position(*end)


def test_place_of_a_syntax_error_after_wide_letters() -> None:
    (found,) = check_source("a.yaml", "name: 目标🎯: x\n").diagnostics
    assert (found.code, found.start) == ("DCC003", Position(1, 10, 9))


def test_a_finding_in_a_block_is_shown_by_its_key() -> None:
    (found,) = check_source("a.yaml", "context:\n  patch_end:\n    enabled: true\n").diagnostics
    assert (found.code, found.start, found.end) == ("DCC301", Position(2, 3, 11), Position(2, 12, 20))


def test_positions_without_a_node_tree() -> None:
    source = SourceMap("-", "a\n你好", None)
    assert source.position(0) == Position(1, 1, 0)
    assert source.position(3) == Position(2, 2, 3)
    assert source.position(99) == Position(2, 3, 4)
    assert source.line(2) == "你好"
