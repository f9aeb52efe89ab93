"""Summaries of transcripts that are longer than a request may be (runtime spec, sections 4.2, 4.3 and 8)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.compiler.load import load_program
from dcc.runtime.agent.compaction.entries import entries_of
from dcc.runtime.agent.compaction.staged import MERGE, SINCE, SO_FAR, TOO_LONG, StagedCompressor
from dcc.runtime.compaction.asking import ProviderCompressor
from dcc.runtime.compaction.compressors import CompressionError, Continuing, compress
from dcc.runtime.compaction.transcript import Told, host_transcript, transcript
from dcc.runtime.hosts.pi_session import read_pi_session
from dcc.runtime.kernel.tokens import count_text
from dcc.runtime.providers.abort import Abort
from dcc.runtime.providers.echo import EchoProvider
from dcc.runtime.providers.errors import Kind, ProviderError
from dcc.runtime.providers.retry import Retries
from dcc.runtime.replay.run import session_of
from dcc.runtime.session import Reply, Session
from dcc.runtime.store.memory import MemoryStore

AT_ONCE = Retries(attempts=3, first_wait_s=0.0, longest_wait_s=0.0)
WINDOW = 20_000


class Model:
    """Answers requests: each with the next answer, an error is raised; what it was asked is remembered."""

    def __init__(self, answer: Callable[[str], str] | Iterable[str | Exception] = lambda text: "a summary") -> None:
        self._answer = answer if callable(answer) else None
        self._answers = iter(()) if callable(answer) else iter(answer)
        self.asked: list[str] = []

    def summarise(self, transcript: str, prompt: str) -> str:
        self.asked.append(transcript)
        answer = self._answer(transcript) if self._answer is not None else next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


def staged(model: Any, window: int = WINDOW, **options: Any) -> StagedCompressor:
    return StagedCompressor(model, window, **{"retries": AT_ONCE, **options})


def words(tokens: int, n: object = 0) -> str:
    return f"{n} " + "word " * (tokens * 10 // 15)


def told(*tokens: int) -> str:
    return transcript(Told(n, "user", words(size, n)) for n, size in enumerate(tokens, 1))


def fails(kind: Kind = "overloaded", retryable: bool = True) -> ProviderError:
    return ProviderError(kind, f"{kind}!", retryable=retryable)


def test_a_transcript_is_its_entries() -> None:
    text = transcript([Told(1, "user", "one\n[x] two"), Told(1, "assistant", "three\n\n"), Told(12, "goal", "four")])
    entries = entries_of(text)
    assert [(entry.element, entry.text) for entry in entries] == [
        ("user", "[第1轮 user] one\n[x] two"),
        ("assistant", "[第1轮 assistant] three\n\n"),
        ("goal", "[第12轮 goal] four"),
    ]
    assert [entry.tokens for entry in entries] == [count_text(entry.text) for entry in entries]


def test_a_transcript_of_a_host_has_no_turns_and_any_text_is_an_entry() -> None:
    assert [e.element for e in entries_of(host_transcript([Told(1, "user", "a"), Told(2, "toolResult", "b")]))] == [
        "user", "toolResult",
    ]  # fmt: skip
    assert [e.element for e in entries_of("no head\n[user] a")] == ["", "user"]
    assert entries_of("") == ()


@given(st.text(alphabet="ab[]第轮1 \nuser"))
def test_the_entries_are_the_transcript(text: str) -> None:
    assert "\n".join(entry.text for entry in entries_of(text)) == text


def test_a_short_transcript_is_one_request() -> None:
    model = Model()
    text = told(100, 100)
    assert staged(model).summarise(text, "{content}") == "a summary"
    assert model.asked == [text]


def test_a_long_one_is_summarised_in_halves_which_are_merged() -> None:
    model = Model(["first", "second", "merged"])
    assert staged(model).summarise(told(*[900] * 6), "p") == "merged"
    first, second, merged = model.asked
    assert first.startswith("[第1轮 user]")
    assert second.startswith("[第4轮 user]")
    assert merged.startswith(MERGE)
    assert "first" in merged
    assert "second" in merged


def test_the_summary_so_far_is_told_to_the_merger_alone() -> None:
    model = Model(["first", "second", "merged"])
    assert staged(model).summarise_after("old", told(*[900] * 6), "p") == "merged"
    assert not any("old" in text for text in model.asked[:2])
    assert model.asked[2].startswith(f"{SO_FAR}\nold\n\n{SINCE}\n{MERGE}")


def test_few_entries_are_folded_part_by_part() -> None:
    model = Model(["one", "two", "three"])
    assert staged(model).summarise(told(3_000, 3_000, 3_000), "p") == "three"
    assert [text.startswith(SO_FAR) for text in model.asked] == [False, True, True]
    assert "one" in model.asked[1]
    assert "two" in model.asked[2]
    assert "one" not in model.asked[2]


@pytest.mark.parametrize(("entries", "merges"), [(3, False), (4, True)])
def test_fewer_than_four_entries_are_not_halved(entries: int, merges: bool) -> None:
    model = Model()
    staged(model).summarise(told(*[2_500] * entries), "p")
    assert any(text.startswith(MERGE) for text in model.asked) is merges


def test_what_is_far_too_long_is_summarised_from_its_beginning() -> None:
    model = Model(lambda text: f"s{len(model.asked)}")
    text = told(*[400] * 100)
    staged(model).summarise(text, "p")
    assert all(count_text(asked) <= WINDOW * 0.4 + 100 for asked in model.asked)
    assert all(sum(f"[第{n}轮 user]" in asked for asked in model.asked) == 1 for n in range(1, 101))


@pytest.mark.parametrize("error", [fails(), fails("timeout"), CompressionError("cut_summary", "it was cut")])
def test_what_may_pass_is_tried_three_times(error: Exception) -> None:
    model = Model([error, error, "at last"])
    assert staged(model).summarise(told(100), "p") == "at last"
    model = Model([error] * 9)
    with pytest.raises(CompressionError):
        staged(model).summarise(told(100), "p")
    assert len(model.asked) == 3


@pytest.mark.parametrize("kind", ["auth", "billing", "rate_limit", "network", "bad_request", "context_overflow"])
def test_what_will_not_pass_is_asked_once(kind: Kind) -> None:
    model = Model([fails(kind, retryable=False)] * 9)
    with pytest.raises(CompressionError) as raised:
        staged(model).summarise(told(100, 100), "p")
    assert raised.value.code == "part_failed"
    assert kind in raised.value.message
    assert len(model.asked) == 1


def test_a_blank_summary_is_none() -> None:
    assert staged(Model([" ", "", "text"])).summarise(told(100), "p") == "text"


def test_an_oversized_entry_is_left_out_when_it_cannot_be_summarised() -> None:
    huge = words(12_000, "huge")

    def answer(text: str) -> str:
        if "huge" in text:
            raise fails("context_overflow", retryable=False)
        return "small ones"

    model = Model(answer)
    text = transcript([Told(1, "user", "a"), Told(1, "toolResult", huge), Told(2, "user", "b")])
    summary = staged(model).summarise(text, "p")
    assert summary.startswith("small ones\n\n[left out of this summary: toolResult of about 12,")
    assert len(model.asked) <= 5


def test_one_that_can_be_summarised_is_not_left_out() -> None:
    model = Model()
    assert "left out" not in staged(model).summarise(told(100, 12_000, 100), "p")


def test_issue_5224_without_a_summary_nothing_is_put_in_its_place() -> None:
    for window in (WINDOW, 200_000):
        model = Model(lambda text: (_ for _ in ()).throw(fails("context_overflow", retryable=False)))
        with pytest.raises(CompressionError):
            staged(model, window).summarise_after("old", told(100, 12_000, *[900] * 12), "p")
        assert len(model.asked) <= 6, "issue 13624: it is bounded"


def test_a_stop_is_told_as_a_stop_also_while_it_waits() -> None:
    abort = Abort()

    def answer(text: str) -> str:
        abort.set()
        raise fails()

    model = Model(answer)
    compressor = staged(model, abort=abort, retries=Retries(3, 60.0, 60.0))
    with pytest.raises(CompressionError) as raised:
        compress(compressor, told(100, 12_000), "p")
    assert raised.value.code == "stopped"
    assert len(model.asked) == 1


def test_a_stopped_part_ends_the_whole() -> None:
    model = Model(["first", CompressionError("stopped", "stopped"), "never"])
    with pytest.raises(CompressionError) as raised:
        compress(staged(model), told(*[900] * 6), "p")
    assert raised.value.code == "stopped"
    assert len(model.asked) == 2


def test_context_bug_20_a_summary_of_summaries_does_not_grow() -> None:
    """Each keeps all it was told; without a bound eleven of them are eleven times as long."""
    kept = Model(lambda text: "\n".join(line for line in text.splitlines() if line.startswith("fact"))[:4_000] or "-")
    compressor = staged(kept, limit=1_000)
    summary = ""
    for n in range(11):
        facts = "\n".join(f"fact {n} {i} is so" for i in range(40))
        summary = compressor.summarise_after(summary, transcript([Told(n + 1, "user", f"\n{facts}")]), "p")
        assert count_text(summary) <= TOO_LONG * 1_000


def test_a_model_that_does_not_keep_to_the_limit_is_refused() -> None:
    model = Model(lambda text: words(5_000))
    with pytest.raises(CompressionError) as raised:
        staged(model, limit=1_000).summarise(told(100), "p")
    assert "1000 were asked for" in raised.value.message


def test_a_foreign_summary_that_is_too_long_is_summarised_like_any_text() -> None:
    model = Model(lambda text: "short")
    assert staged(model, limit=100).summarise_after(words(3_000, "old"), told(100), "p") == "short"
    assert not model.asked[0].startswith(SO_FAR)
    assert "old word" in model.asked[0]


def test_a_provider_is_asked_with_the_prompt_of_the_ruleset() -> None:
    compressor = staged(ProviderCompressor(EchoProvider(), "echo"))
    assert isinstance(compressor, Continuing)
    assert compressor.summarise("[user] hello", "Sum up: {content}") == "Sum up: [user] hello"


def test_details_of_results_are_told_to_nobody(tmp_path: Path) -> None:
    """They are the host's own, long and from anywhere: they are never born (runtime spec, section 4.2)."""
    said = [{"type": "text", "text": "found"}]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "toolCall", "id": "c1", "name": "read", "arguments": {}}]},
        {"role": "toolResult", "toolCallId": "c1", "content": said, "details": {"raw": "x" * 9_000}},
        {"role": "assistant", "content": [{"type": "text", "text": words(300)}]},
        {"role": "user", "content": "and now?"},
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
    ]
    file = tmp_path / "session.jsonl"
    file.write_text("\n".join(json.dumps({"type": "message", "message": message}) for message in messages))
    store, model = MemoryStore(), Model()
    session_of(read_pi_session(file), PROGRAM, store)
    session = Session.open(store, PROGRAM, compressor=staged(model))
    assert "found" in str(session.messages())
    assert "xxx" not in str(session.messages())
    session.compact()
    assert "found" in model.asked[0]
    assert "xxx" not in model.asked[0]


PROGRAM = load_program({
    "name": "x",
    "life_cycle": {"user": ["born", None], "assistant": ["born", None], "toolResult": ["born", None]},
    "compact": {
        "fields": ["user", "assistant", "toolResult"],
        "compressors": {"summary": {
            "prompt": "{content}", "periodic": {"keep_recent_turns": 1}, "retention": {"type": "latest_only"},
        }},
    },
})  # fmt: skip


def talk(session: Session, turns: int) -> None:
    for _ in range(turns):
        n = session.begin(words(300, "q")).turn
        session.request()
        session.add_reply(Reply(words(300, f"answer {n}")))
        session.commit()


def test_a_session_has_the_old_summary_carried_over_where_it_gives_way() -> None:
    model = Model(["the first", "the second"])
    session = Session.create(PROGRAM, system="You are brief.", compressor=staged(model))
    talk(session, 3)
    session.compact()
    talk(session, 2)
    session.compact()
    assert model.asked[1].startswith(f"{SO_FAR}\nthe first\n\n{SINCE}\n[第3轮 user]")
    assert [slot for slot in session.stage() if "summary" in slot] == ["4_summary@4"]
    assert not any("You are brief" in text for text in model.asked)


def test_a_session_keeps_its_history_and_its_summary_when_the_model_fails() -> None:
    model = Model(["the first", *[fails("context_overflow", retryable=False)] * 9])
    session = Session.create(PROGRAM, compressor=staged(model))
    talk(session, 3)
    session.compact()
    talk(session, 2)
    before = (session.stage(), session.messages())
    assert "stay as they are" in session.compact()
    assert (session.stage(), session.messages()) == before
    assert "compaction_failed" in dict(session.take_happenings().notices)
