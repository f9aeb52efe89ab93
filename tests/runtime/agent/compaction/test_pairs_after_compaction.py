"""Calls and results stay together whatever leaves (runtime spec, I-5): a provider refuses a result without its call.

#9769, #9724, #9672, #8525, #13020 (mended in openclaw by #9868), #4739 and #7527 tell of sessions that were broken for
good by a compaction, #10700 of one that pruning broke.
"""

from __future__ import annotations

from typing import Any

import pytest
from legality import check_anthropic, check_openai

from dcc.compiler.load import load_program
from dcc.runtime.agent.compaction.entries import Entry
from dcc.runtime.agent.compaction.parts import Shed, shed
from dcc.runtime.compaction.compressors import ModelCompressor
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.session import GovernanceFlags, Reply, Session, ToolCall

ALL = {element: ["born", None] for element in ("user", "assistant", "think", "toolCall", "toolResult")}


def session(
    keep: int = 1, interval: int | None = None, flags: GovernanceFlags | None = None, **sections: Any
) -> Session:
    summary = {"prompt": "{content}", "periodic": {"keep_recent_turns": keep, "interval_turns": interval}}
    compact = {
        "fields": ["user", "assistant"], "overload_threshold_bytes": 10_000_000, "compressors": {"summary": summary},
    }  # fmt: skip
    program = load_program({"name": "x", "life_cycle": ALL, "compact": compact, **sections})
    return Session.create(
        program, compressor=ModelCompressor(lambda prompt: "a summary"), flags=flags, clock=ManualClock()
    )


def call(open: Session, *names: str, said: str = "", size: int = 10) -> None:
    """A call of some tools, and their results of so many words."""
    check(open)
    open.add_reply(Reply(said, calls=tuple(ToolCall(name, "read", {"path": name}) for name in names)))
    for name in names:
        open.add_result(name, f"{name} " + "word " * size)


def answer(open: Session, said: str = "an answer that is longer than its summary by a good deal") -> None:
    check(open)
    open.add_reply(Reply(said))
    open.commit()


def check(open: Session) -> None:
    """The next request is legal in both formats, and every result on stage has its call there."""
    assert check_openai(open.request().messages) == []
    other = open.request("anthropic")
    assert check_anthropic(other.system, other.messages) == []
    open.request()


def results(open: Session) -> int:
    return sum(message["role"] == "tool" for message in open.messages())


def test_the_vector_of_9868() -> None:
    """A call of 4,000 tokens, its result of 10, a message of 10; of 2,000 tokens half may stay.

    openclaw counts two messages as dropped, and lists the call alone; in dcc what is shed is told in an older summary,
    as text that needs no pairs, and in the session call and result leave together.
    """
    entries = [Entry("toolCall", "", 4_000), Entry("toolResult", "", 10), Entry("user", "", 10)]
    assert shed(entries, 2_000) == Shed(1, 1)
    talk = session()
    talk.begin("first")
    call(talk, "c1", said="word " * 2_700)
    answer(talk, "ok")
    talk.begin("second")
    answer(talk)
    assert "leave the stage" in talk.compact()
    assert results(talk) == 0
    assert not [slot for slot in talk.stage() if slot.startswith(("toolCall", "toolResult"))]
    talk.begin("third")
    check(talk)


@pytest.mark.parametrize("keep", [0, 1, 3])
def test_many_compactions_of_one_session(keep: int) -> None:
    """#8525, #13020: broken after three or four of them. Each turn calls one tool, then two."""
    talk = session(keep, interval=keep + 2)
    for n in range(16):
        talk.begin(f"turn {n}")
        call(talk, f"a{n}")
        call(talk, f"b{n}", f"c{n}", said="now two")
        answer(talk)
    made = [name for name in talk._recorder.ledger.by_element if name.endswith("_summary")]
    assert len(made) >= 4
    assert results(talk) == 3 * (talk.turn - int(made[-1].partition("_")[0]))


def test_a_compaction_in_the_middle_of_a_tool_loop() -> None:
    """#9672, #9724: the limit is reached while a turn goes on; what it has called stays whole."""
    talk = session(0, governance={"window": 16_000})
    for _ in range(4):
        talk.begin("word " * 1_000)
        answer(talk, "word " * 1_000)
    talk.begin("now read")
    for n in range(24):
        call(talk, f"a{n}", f"b{n}", size=400)
    answer(talk)
    assert [slot for slot in talk.stage() if "summary" in slot]


def test_calls_that_were_stopped_before_a_compaction() -> None:
    """#7527, #4739: a call without a result gets one, and both leave when the turn is summarised."""
    talk = session()
    talk.begin("first")
    talk.request()
    talk.add_reply(Reply("an answer that is longer than its summary", calls=(ToolCall("c1", "read", {}),)))
    talk.abort()
    talk.begin("second")
    assert results(talk) == 1
    answer(talk)
    talk.compact()
    assert results(talk) == 0
    talk.begin("third")
    check(talk)


def test_what_pruning_clears_stays_beside_its_call() -> None:
    """#10700: what is old is cleared, never taken out."""
    pruning = {"mode": "cache-ttl", "keep_last_assistants": 1, "min_prunable_tool_chars": 0, "hard_clear_ratio": 0.3}
    talk = session(pruning=pruning, flags=GovernanceFlags(window=20_000))
    clock = talk._clock
    assert isinstance(clock, ManualClock)
    talk.begin("read")
    for n in range(12):
        call(talk, f"c{n}", size=700)
    answer(talk)
    clock.advance(600)
    talk.begin("later")
    check(talk)
    said = [str(m["content"]) for m in talk.request().messages if m["role"] == "tool"]
    assert len(said) == 12
    assert any("cleared" in text for text in said)
