"""No result, and no sum of results, makes the next request longer than the window if cutting results can prevent it.

Nobody has refused anything here: the planner cuts before the call (runtime spec, sections 3.2 and 3.3; #2871, I-6).
"""

from __future__ import annotations

from typing import Any

import pytest
from huge_results import HUGE, lines
from pictures import picture

from dcc.compiler.load import load_program
from dcc.runtime.kernel.content import Content, Text, text_of
from dcc.runtime.kernel.tokens import MESSAGE_OVERHEAD, count_tokens
from dcc.runtime.session import GovernanceFlags, Reply, Request, Session, ToolCall, Usage

WINDOW, RESERVE = 64_000, 8_000
ROOM = WINDOW - RESERVE

SHIPPED = ("standard", "coding", "toolloop", "frugal", "research", "tutor", "anthropic_like")


def session_of(ruleset: str | dict[str, Any] = "standard", **flags: Any) -> Session:
    given = {"window": WINDOW, "reserve": RESERVE, "recovers": True, **flags}
    session = Session.create(load_program(ruleset), system="You are brief.", flags=GovernanceFlags(**given))
    session.begin("look it up")
    return session


def answered(session: Session, *results: Content, format: Any = "openai") -> Request:
    """One call of tools with these results; the request that follows it."""
    request = session.request(format)
    calls = tuple(ToolCall(f"c{request.ordinal}_{n}", "look_up", {"n": n}) for n in range(len(results)))
    session.add_reply(Reply(calls=calls))
    for call, result in zip(calls, results, strict=True):
        session.add_result(call.id, result)
    return session.request(format)


def used(session: Session) -> int:
    """What the request in progress is thought to cost."""
    return session._planner.used()


def said(request: Request) -> list[str]:
    return [message["content"] for message in request.messages if message["role"] == "tool"]


@pytest.mark.parametrize("kind", HUGE)
@pytest.mark.parametrize("format", ["openai", "anthropic"])
def test_the_request_after_it_fits(kind: str, format: str) -> None:
    session = session_of()
    request = answered(session, *HUGE[kind], format=format)
    assert used(session) <= ROOM
    assert request.tokens <= used(session)
    assert "budget_infeasible" not in dict(session.take_happenings().notices)


@pytest.mark.parametrize("ruleset", SHIPPED)
def test_under_every_ruleset_that_ships(ruleset: str) -> None:
    """None of them has a word on limits: that the host knows the window is enough."""
    session = session_of(ruleset)
    answered(session, *HUGE["3 MB of lines"])
    assert used(session) <= ROOM
    answered(session, *HUGE["40 results of 30 KB"])
    assert used(session) <= ROOM


@pytest.mark.parametrize("kind", ["3 MB of lines", "3 MB in one line", "3 MB of Chinese in one line"])
def test_the_newest_shows_as_much_as_there_is_room_for(kind: str) -> None:
    session = session_of()
    (content,) = HUGE[kind]
    (shown,) = said(answered(session, content))
    text = text_of(content)
    assert used(session) > ROOM // 2
    first = shown.split("\n")[0]
    assert text[:200] in shown
    assert text.rstrip("\n")[-200:] in shown
    assert "characters left out: artifact_get reads them ...]" in shown
    assert session.artifact(first.split()[0]) == content


def test_what_was_cut_before_gives_way_to_the_newest() -> None:
    session = session_of()
    shown = [said(answered(session, lines(3_000_000, n))) for n in range(5)]
    assert [len(results[-1]) > 80_000 for results in shown] == [True] * 5
    assert [len(result) < 100 for result in shown[-1]] == [True] * 4 + [False]


def test_of_many_in_one_call_as_few_as_possible_are_cut() -> None:
    session = session_of()
    small, large = [lines(2_000, n) for n in range(10)], [lines(200_000, n) for n in range(3)]
    shown = said(answered(session, *small, *large))
    assert shown[:10] == small
    assert min(map(len, shown[10:])) > 20_000


def test_images_stay_with_the_newest() -> None:
    session = session_of()
    request = answered(session, (Text(lines(3_000_000)), picture()), format="anthropic")
    block = request.messages[-1]["content"][0]
    assert [part["type"] for part in block["content"]] == ["text", "image"]
    assert len(block["content"][0]["text"]) > 60_000


def test_passes_that_freed_little_do_not_keep_back_the_one_that_makes_it_fit() -> None:
    """Two passes in a row freed less than a tenth; without a third the request would be too long (P4, #8630)."""
    session = Session.create(load_program("standard"), flags=GovernanceFlags(window=WINDOW, reserve=RESERVE))
    session.begin(lines(169_000))
    for n, characters in enumerate((10_000, 10_000)):
        answered(session, lines(characters, n))
    assert session._planner._read().passes.is_stuck
    answered(session, lines(17_500, 2))
    assert used(session) <= ROOM
    assert used(session) + count_tokens(lines(17_500, 2)) > ROOM


def test_a_kept_result_stays_and_it_is_told_that_nothing_fits() -> None:
    session = session_of()
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c", "look_up", {}),)))
    slot = session.add_result("c", lines(3_000_000))
    session.keep(slot)
    session.request()
    assert used(session) > WINDOW
    assert "budget_infeasible" in dict(session.take_happenings().notices)


def test_without_a_window_nothing_is_known_and_nothing_is_cut() -> None:
    session = session_of(window=None)
    content = lines(3_000_000)
    assert said(answered(session, content)) == [content]


def test_who_has_results_cut_can_have_them_read() -> None:
    """A host that says its window is offered the tool that the cut results name."""
    names = [tool["function"]["name"] for tool in session_of(recovers=False).tools()]
    assert "artifact_get" in names
    assert "artifact_get" not in [tool["function"]["name"] for tool in session_of(recovers=False, window=None).tools()]


def test_what_goes_out_beside_the_stage_counts_in_every_figure_that_is_told() -> None:
    """One counter for the trigger, the cut and the report (P5)."""
    session = session_of("coding")
    session.request()
    before, schemas = used(session), lines(30_000)
    session.use_host("large", schemas)
    assert used(session) == session.governance._gauge.used == before + count_tokens(schemas) - MESSAGE_OVERHEAD
    assert f"context: {used(session):,} tokens" in session.governance.status()


def test_what_one_model_has_taught_is_void_for_another() -> None:
    session = session_of()
    for model, prompts in (("large", (9_000, 9_100)), ("small", (1_000,))):
        session.use_host(model, "the same tools")
        for prompt in prompts:
            session.request()
            session.add_reply(Reply(calls=(ToolCall("c", "look_up", {}),), usage=Usage(prompt)))
            session.add_result("c", "found")
        assert session._planner.calibration.samples == len(prompts)
