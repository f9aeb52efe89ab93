"""Reports of other systems, by number, in the sizes in which they were reported or where a store has to fail.

Those that can be told as a conversation are scenarios: tests/conformance/scenarios/governance/reports.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from legality import check_anthropic, check_openai

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.errors import StoreError
from dcc.runtime.governance.budget.usage import Shape, context_tokens, prompt_tokens
from dcc.runtime.kernel.content import Opaque
from dcc.runtime.session import Reply, Session, ToolCall, Usage
from dcc.runtime.store.forking import fork_session
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sqlite import SqliteStore

KEEPS: dict[str, Any] = {element: ["born", None] for element in ("user", "assistant", "toolCall", "toolResult")}


def program(**sections: Any) -> Program:
    return load_program({"name": "reports", "life_cycle": KEEPS, **sections})


SUMMARIES = {
    "fields": ["user", "assistant"],
    "compressors": {"summary": {"prompt": "{content}", "periodic": {"interval_turns": 50, "keep_recent_turns": 1}}},
}


def talk(session: Session, *turns: str) -> None:
    for text in turns:
        session.begin(text)
        session.request()
        session.add_reply(Reply(f"an answer to {text}, with some words more than a summary would need for it"))
        session.commit()


class FailingStore(MemoryStore):
    """A store that is full while ``fails`` is set."""

    fails = False

    def append(self, *args: Any, **more: Any) -> None:
        if self.fails:
            raise StoreError("disk_full", "no space is left")
        super().append(*args, **more)


def test_report_09_a_compaction_that_cannot_be_written_leaves_what_was_there() -> None:
    store = FailingStore()
    session = Session.create(program(compact=SUMMARIES), store=store)
    talk(session, "one", "two", "three")
    before, messages = session.state_hash(), session.messages()
    store.fails = True
    with pytest.raises(StoreError):
        session.compact()
    store.fails = False
    again = Session.open(store, session.program)
    assert (again.state_hash(), again.messages()) == (before, messages)
    again.compact()
    assert len(again.stage()) == 3


def test_report_11_signed_thinking_goes_back_as_it_came() -> None:
    session = Session.create(program(compact=SUMMARIES))
    talk(session, "one", "two")
    parts = ('{"type":"thinking","thinking":"hm","signature":"c2ln"}', '{"type":"redacted_thinking","data":"b3BhcXVl"}')
    session.begin("three")
    session.request("anthropic")
    call = ToolCall("c1", "read", {"path": "a"})
    session.add_reply(Reply("let me see", thinking=tuple(map(Opaque, parts)), calls=(call,)))
    session.compact()
    session.add_result("c1", "found")
    request = session.request("anthropic")
    replies = [m["content"] for m in request.messages if m["role"] == "assistant"]
    (said,) = [blocks for blocks in replies if any(block["type"] == "tool_use" for block in blocks)]
    assert said[:2] == [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "redacted_thinking", "data": "b3BhcXVl"},
    ]  # fmt: skip
    assert [block["type"] for block in said[2:]] == ["text", "tool_use"]
    assert check_anthropic(request.system, request.messages) == []


def test_report_12_a_large_usage_from_before_a_compaction_fires_nothing() -> None:
    rules = program(compact=SUMMARIES, governance={"window": 272_000})
    session = Session.create(rules)
    talk(session, "a line that is long\n" * 40_000)
    session.begin("and?")
    request = session.request()
    session.add_reply(Reply("well", usage=Usage(input=request.tokens)))
    session.commit()
    session.compact()
    seen = session.take_happenings()
    assert "compacted" in [code for code, _ in seen.notices]
    assert session.governance.band == "ok"
    talk(session, "go on")
    assert [code for code, _ in session.take_happenings().notices] == []


def test_report_13_an_overhead_above_the_limit_leads_to_no_pass() -> None:
    session = Session.create(
        program(governance={"window": 32_768, "max_context": 27_853}), system="a rule of the house\n" * 4_840
    )
    talk(session, "hello", "again", "and again")
    notices = [(code, message) for code, message in session.take_happenings().notices]
    assert [code for code, _ in notices] == ["budget_infeasible"]
    assert "system and tools 29," in notices[0][1]
    assert session.governance.newest() == ()


@pytest.mark.parametrize(
    ("shape", "raw", "held"),
    [
        (
            "openai",
            {
                "prompt_tokens": 184_704, "completion_tokens": 49,
                "prompt_tokens_details": {"cached_tokens": 183_936},
            },
            184_753,
        ),
        ("pi", {"input": 206, "cacheRead": 98_432, "output": 78}, 98_716),
        ("anthropic", {"input_tokens": 206, "cache_read_input_tokens": 98_432, "output_tokens": 78}, 98_716),
    ],
)  # fmt: skip
def test_report_14_cached_tokens_count_once(shape: Shape, raw: Mapping[str, Any], held: int) -> None:
    assert context_tokens(raw, shape) == held


def test_report_14_a_sum_over_many_calls_teaches_nothing() -> None:
    session = Session.create(program(governance={"window": 1_000_000}))
    session.begin("twelve calls in one")
    session.request()
    session.add_reply(Reply("done", usage=Usage(input=931_132, exact=False)))
    session.commit()
    assert session.governance.band == "ok"
    assert prompt_tokens({"input": 0, "output": 9}, "pi") == 0


def test_report_16_a_call_is_as_long_as_its_arguments() -> None:
    session = Session.create(program())
    session.begin("write it")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "write", {"content": "some words " * 3_636}),)))
    session.add_result("c1", "ok")
    assert 10_000 < session.request().tokens < 13_000


def test_report_17_results_that_are_larger_than_the_window() -> None:
    session = Session.create(program(governance={"ops": "cpat", "window": 131_072}))
    session.begin("read the three")
    session.request()
    sizes = {"a": 270_000, "b": 210_000, "c": 189_426}
    texts = {name: "".join(f"{name}{n:07} word\n" for n in range(size // 14)) for name, size in sizes.items()}
    session.add_reply(Reply(calls=tuple(ToolCall(name, "read", {"path": name}) for name in sizes)))
    for name, text in texts.items():
        session.add_result(name, text)
    request = session.request()
    assert request.tokens < 0.85 * 131_072
    assert check_openai(request.messages) == []
    for number, text in enumerate(texts.values(), 1):
        slot = "toolResult@1" + (f".{number}" if number > 1 else "")
        parts = [session.artifact_text(slot, max_chars=200_000, offset=at) for at in (0, 200_000) if at < len(text)]
        whole = "".join(part.split("\n[")[0] if "characters left" in part[-80:] else part for part in parts)
        assert whole == text


def test_report_23_nothing_due_is_the_same_list() -> None:
    session = Session.create(program(governance={"ops": "cpat", "window": 100_000}, settle={"every": "4 calls"}))
    talk(session, *(f"turn {n}" for n in range(30)))
    session.begin("once more")
    before = session.request().body
    session.fail("again")
    session.begin("once more")
    assert session.request().body == before
    assert list(session.take_happenings().breaks) == []


def test_report_25_a_fork_has_the_summary_and_not_what_it_replaced(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with Session.create(program(compact=SUMMARIES), store=SqliteStore(path, "one")) as session:
        talk(session, *(f"turn {n}" for n in range(5)))
        session.compact()
        before, stage = session.state_hash(), session.stage()
        rules = session.program
    assert len(stage) == 3
    with Session.open(SqliteStore(path, "one"), rules) as again:
        assert (again.state_hash(), again.stage()) == (before, stage)
    fork_session(path, "one", "two")
    with Session.open(SqliteStore(path, "two"), rules) as fork:
        assert (fork.state_hash(), fork.stage()) == (before, stage)


def test_report_26_sixty_results_break_the_cache_four_times_with_settle_alone() -> None:
    rules = load_program({
        "name": "batches",
        "life_cycle": KEEPS | {"toolResult": {"start": "born", "end": "born+3 calls", "retire": "offload"}},
        "settle": {"every": "16 calls", "min_tokens": 8_000},
    })  # fmt: skip
    session = Session.create(rules)
    session.begin("read sixty pages")
    kept: list[str] = []
    for n in range(60):
        session.request()
        session.add_reply(Reply(calls=(ToolCall(f"c{n}", "read", {"path": f"{n}"}),)))
        session.add_result(f"c{n}", f"page {n}\n" * 2_000)
        reduced = [v.slot for v in session.projection(session.ordinal) if v.how == "ref"]
        assert reduced[: len(kept)] == kept, "what was reduced stays so"
        kept = reduced
    assert 1 <= len(session.take_happenings().breaks) <= 4
