"""What a result may be, and where it is cut (runtime spec, sections 3.1 to 3.3). Columns: openclaw, dcc, and why.

The seed knows one step only: results are truncated once, when the provider has refused a request.
"""

from __future__ import annotations

import pytest

from dcc.compiler.load import load_program
from dcc.runtime.agent.truncation import Result, is_oversized, plan_truncation, room_of
from dcc.runtime.governance.cutting import Room, Short
from dcc.runtime.session import Reply, Session, ToolCall

PROGRAM = load_program({"name": "x", "life_cycle": {"toolResult": ["born", None]}})
WINDOW = 128_000


def halved(slot: str, room: Room) -> Short:
    return Short(0, 0, room.tokens, room.characters)


@pytest.mark.parametrize(
    ("characters", "tokens", "openclaw", "dcc", "why"),
    [
        (153_600, 38_400, False, False, ""),
        (153_601, 38_400, True, True, ""),
        (100_000, 70_000, False, True, "openclaw counts characters only, and Chinese has more tokens"),
    ],
)
def test_a_result_that_is_too_large_by_itself(
    characters: int, tokens: int, openclaw: bool, dcc: bool, why: str
) -> None:
    assert is_oversized(Result("r", characters, tokens), room_of(WINDOW)) is dcc
    assert bool(why) == (openclaw != dcc)


@pytest.mark.parametrize(("used", "cut"), [(96_000, 0), (96_001, 1), (128_000, 4)])
def test_all_that_is_on_stage_has_three_quarters_of_the_window(used: int, cut: int) -> None:
    """Results of 12,000 tokens, each of which is fine by itself; the oldest are cut until it is enough.

    openclaw has the same share, and guesses it: four characters a token, and each of a result counted twice.
    """
    results = [Result(f"r{n}", 48_000, 12_000) for n in range(8)]
    cuts = plan_truncation(results, used, WINDOW, halved)
    assert [cut.slot for cut in cuts] == [f"r{n}" for n in range(cut)]


@pytest.mark.parametrize(
    ("characters", "openclaw", "dcc", "why"),
    [
        (300_000, 300_000, 300_000, ""),
        (400_001, 400_000, 400_001, "content is never changed: what is shown cut is there whole"),
    ],
)
def test_what_is_kept_of_a_result(characters: int, openclaw: int, dcc: int, why: str) -> None:
    session = Session.create(PROGRAM)
    session.begin("go")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "read", {}),)))
    session.add_result("c1", "line\n" * (characters // 5) + "x" * (characters % 5))
    (said,) = [m["content"] for m in session.request().messages if m["role"] == "tool"]
    assert len(said) == dcc
    assert bool(why) == (openclaw != dcc)
