"""The text of an MCP server comes in whole lines, however it is cut, and a line without end is told of once."""

from __future__ import annotations

import codecs
import json

from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.agent.tools.mcp_lines import ENCODING, LONGEST_LINE, TOO_LONG


@given(st.text(), st.lists(st.integers(0, 40)))
def test_it_is_utf_8_and_gives_nothing_before_a_line_is_whole(text: str, cuts: list[int]) -> None:
    data = text.encode(ENCODING)
    assert data == text.encode("utf-8", "strict")
    decoder = codecs.getincrementaldecoder(ENCODING)("replace")
    given = ""
    for cut in cuts:
        piece, data = data[:cut], data[cut:]
        given += decoder.decode(piece)
        assert not given or given.endswith("\n")
    assert given + decoder.decode(data, True) == text


def test_what_is_no_utf_8_is_replaced() -> None:
    decoder = codecs.getincrementaldecoder(ENCODING)("replace")
    assert decoder.decode(b"a\xff") == ""
    assert decoder.decode(b"b\n") == "a\ufffdb\n"


def test_in_the_place_of_a_line_that_is_too_long_stands_a_message_and_nothing_follows() -> None:
    decoder = codecs.getincrementaldecoder(ENCODING)("replace")
    half = bytes(LONGEST_LINE // 2)
    assert [decoder.decode(half), decoder.decode(half)] == ["", ""]
    told = decoder.decode(b"x")
    assert json.loads(told) == {"jsonrpc": "2.0", "method": TOO_LONG}
    assert told.endswith("\n")
    assert [decoder.decode(half), decoder.decode(b"\n{}\n"), decoder.decode(b"", True)] == ["", "", ""]
