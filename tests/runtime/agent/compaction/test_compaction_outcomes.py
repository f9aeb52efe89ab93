"""What a compaction comes to (runtime spec, sections 4.1 to 4.3; I-15). Columns: openclaw 2026.2.23, dcc, and why.

Whatever cannot be done leaves the history, and an older summary, as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agents import rules, run
from loopback.behaviour import Refuses, Says
from loopback.server import Loopback

from dcc.compiler.load import load_program
from dcc.runtime.agent.compaction.staged import StagedCompressor
from dcc.runtime.agent.ladder import DEFAULT, Ladder
from dcc.runtime.compaction.compressors import CompressionError, Compressor
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.retry import Retries
from dcc.runtime.session import Reply, Session, ToolCall

LONG = "an answer that is longer than what is to stand for it. " * 20


class Model:
    """A model that answers alike, or fails; what it was told is remembered."""

    def __init__(self, answer: str | Exception = "a summary") -> None:
        self.answer = answer
        self.told: list[str] = []

    def summarise(self, transcript: str, prompt: str) -> str:
        self.told.append(transcript)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def staged(model: Compressor) -> StagedCompressor:
    return StagedCompressor(model, 20_000, retries=Retries(3, 0.0, 0.0))


def session(model: Model | None, fields: tuple[str, ...] = ("user", "assistant")) -> Session:
    """A session whose summaries are made by a model; None: there is none."""
    compact = {"fields": list(fields), "compressors": {"summary": {
        "prompt": "{content}", "periodic": {"keep_recent_turns": 1}}}}  # fmt: skip
    life = {element: ["born", None] for element in ("user", "assistant", "toolResult")}
    program = load_program({"name": "x", "life_cycle": life, "compact": compact})
    return Session.create(program, compressor=staged(model) if model is not None else None)


def turns(talk: Session, n: int, said: str = LONG) -> None:
    for _ in range(n):
        talk.begin("we decided to go on, and must keep port 8080")
        talk.request()
        talk.add_reply(Reply(said))
        talk.commit()


def wordless(talk: Session) -> None:
    """Turns that say nothing but call tools."""
    for n in range(3):
        talk.begin("go")
        talk.request()
        talk.add_reply(Reply(calls=(ToolCall(f"c{n}", "read", {"path": "a" * 400}),)))
        talk.add_result(f"c{n}", LONG)
        talk.request()
        talk.add_reply(Reply(""))
        talk.commit()


def small() -> Session:
    talk = session(Model())
    turns(talk, 1)
    return talk


def compacted() -> Session:
    talk = session(Model())
    turns(talk, 3)
    talk.compact()
    return talk


def gone_on() -> Session:
    talk = compacted()
    turns(talk, 1)
    return talk


def talked(answer: str | Exception | None) -> Callable[[], Session]:
    def make() -> Session:
        talk = session(Model(answer) if answer is not None else None)
        turns(talk, 3)
        return talk

    return make


def without_text() -> Session:
    talk = session(Model(), ("assistant",))
    wordless(talk)
    return talk


PLACEHOLDERS = ("Summary unavailable", "No prior history")
FAILS = ProviderError("context_overflow", "prompt is too long")
OUTCOMES: list[tuple[str, Callable[[], Session], str, str, str]] = [
    # the case, the session, what openclaw says, what dcc says, why they differ
    ("a session too small", small, "Nothing to compact (session too small)", "nothing to compact", ""),
    ("compacted a moment ago", compacted, "Already compacted", "nothing to compact",
     "#121617: it is no failure of its own, and the ladder goes on"),
    ("a turn later", gone_on, "compacted", "leave the stage", ""),
    ("no model", talked(None), "No model selected", "leave the stage",
     "sentences are taken word for word where there is no model"),
    ("stopped", talked(CompressionError("stopped", "the summary was stopped")), "Compaction cancelled",
     "stay as they are: the summary was stopped", ""),
    ("the summary cannot be made", talked(FAILS),
     "Context contained 4 messages (0 oversized). Summary unavailable due to size limits.",
     "stay as they are: no summary could be made: 4 entries could not be summarised: prompt is too long",
     "#5224: nothing takes the place of a history"),
    ("the summary is blank", talked(" "), "compacted", "stay as they are: no summary could be made", "#6772"),
    ("the summary is longer", talked("word " * 1_000), "compacted, and how many tokens are left is not told",
     "tokens would stand for", "a compaction must gain something"),
    ("nothing has words", without_text, "No prior history.", "stay as they are: they have no text to summarise",
     "#122617, #120663: an empty skeleton took the place of whole histories"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "openclaw", "dcc", "why"), [case[1:] for case in OUTCOMES], ids=[case[0] for case in OUTCOMES]
)
def test_what_a_compaction_comes_to(make: Callable[[], Session], openclaw: str, dcc: str, why: str) -> None:
    talk = make()
    before = (talk.stage(), talk.messages())
    said = talk.compact()
    assert dcc in said
    assert ((talk.stage(), talk.messages()) == before) is ("leave the stage" not in dcc)
    assert not any(text in str(talk.messages()) for text in PLACEHOLDERS)


@pytest.mark.parametrize("answer", [FAILS, " ", "word " * 1_000])
def test_a_summary_stays_where_the_next_one_cannot_be_made(answer: str | Exception) -> None:
    model = Model("the first summary")
    talk = session(model)
    turns(talk, 3)
    talk.compact()
    turns(talk, 2)
    model.answer = answer
    before = (talk.stage(), talk.messages())
    talk.compact()
    assert (talk.stage(), talk.messages()) == before
    assert "the first summary" in str(before[1])


def test_pull_request_114696_older_turns_that_cannot_be_summarised_end_the_whole() -> None:
    """openclaw noted it, and went on with a summary that knew nothing of them."""
    transcript = "\n".join(f"[第{n}轮 user] " + "word " * 800 for n in range(1, 21))
    model = Model(FAILS)
    with pytest.raises(CompressionError, match="could not be summarised"):
        staged(model).summarise(transcript, "{content}")
    assert ["[第1轮 user]" in told for told in model.told] == [True]


def test_with_nothing_to_add_the_summary_so_far_is_the_summary() -> None:
    model = Model()
    assert staged(model).summarise_after("so far", "", "{content}") == "so far"
    assert model.told == []


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (("user", "assistant"), []),
        (
            ("user", "assistant", "toolCall", "toolResult"),
            ['[第1轮 toolCall] edit {"path":"a.py"}', "[第1轮 toolResult] no such file"],
        ),
    ],
)
def test_calls_and_results_are_told_where_the_ruleset_names_them(fields: tuple[str, ...], told: list[str]) -> None:
    """openclaw adds lists of failed tools and of files to each summary; here ``compact.fields`` says what is told."""
    talk = session(model := Model(), fields)
    talk.begin("go")
    talk.request()
    talk.add_reply(Reply("I look", calls=(ToolCall("c1", "edit", {"path": "a.py"}),)))
    talk.add_result("c1", "no such file", is_error=True)
    talk.request()
    talk.add_reply(Reply(LONG))
    talk.commit()
    turns(talk, 1)
    talk.compact()
    (transcript,) = model.told
    assert [line for line in transcript.splitlines() if "tool" in line] == told


# In a run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


TOO_LONG = Refuses(400, '{"error": {"message": "prompt is too long"}}')
COMPACT: dict[str, Any] = {
    "fields": ["user", "assistant"], "overload_threshold_bytes": 100_000_000,
    "compressors": {"summary": {"prompt": "Sum up: {content}", "periodic": {
        "interval_turns": None, "keep_recent_turns": 0}}},
}  # fmt: skip


@pytest.mark.parametrize("fallbacks", [[], ["large"]])
def test_issue_121617_what_was_compacted_and_is_still_too_long(fallbacks: list[str], folder: Path) -> None:
    """One compaction gains and is not enough; the next finds nothing new, which is no failure: the ladder goes on.

    #109079 is named beside it. What the project says in AGENTS.md is no part of a history, and stays word for word.
    """
    (folder / "AGENTS.md").write_text("## Red Lines\nnever push to main\n")
    script = [Says((LONG * 20,)), TOO_LONG, Says(("a summary",)), TOO_LONG, Says(("at last",))]
    with Loopback(*script) as server:
        config = rules(server, compact=COMPACT, provider={"fallbacks": fallbacks})
        run(config, "one", folder)
        result = run(config, "two", folder)
        assert result.compactions == 1
        if fallbacks:
            assert result.answer == "at last"
            assert "model_changed" in dict(result.notices)
        else:
            assert result.meta.error is not None
            assert result.meta.error.kind == "context_overflow"
            assert run(config, "three", folder).answer == "at last"
    last = str(server.seen[-1].body["messages"])
    assert "a summary" in last
    assert LONG.strip() not in last
    assert "never push to main" in last


def test_issue_124811_a_compaction_that_can_do_nothing_costs_no_call() -> None:
    """openclaw lost its only try to a compactor that never compacts, and gave up with results that could be cut."""
    done: list[str] = []

    def compact() -> bool:
        done.append("compact")
        return False

    def truncate() -> bool:
        done.append("truncate")
        return done.count("truncate") == 1

    ladder = Ladder(DEFAULT, {"compact": compact, "truncate_results": truncate})
    assert ladder.recover() == "truncate_results"
    assert done == ["compact", "truncate"]
