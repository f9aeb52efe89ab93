"""The gates of the original that concern retrieval by relevance, standout, and what a query is made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from canon_crowd import CAPSULES, FIRST, ROUNDING, ROUNDING_BODY, SECOND, STEP_BACK, Shown, crowd, fan

from dcc.runtime.memory.search.intents import (
    LONGEST_WORDS,
    Intents,
    bounded,
    intent_of_call,
    query_of,
    user_words,
    words_of,
)
from dcc.runtime.memory.search.residue import Candidate, Residue

Scores = Mapping[str, float]


def residue_of(shown: Shown) -> Residue:
    """The residue of a session's project as it is now."""
    desk = shown.project.canon.desk
    residue = Residue(desk.mounts.project)
    desk.indexes.begin()
    residue.refresh(desk.indexes.articles(desk.mounts.project))
    return residue


def addresses(residue: Residue) -> list[str]:
    return [candidate.path for candidate in residue.candidates()]


def _part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def small(folder: Path, **options: object) -> Shown:
    """A session over two rules and two articles of assets."""
    shown = Shown(folder, **options)
    shown.project.asset("src/feed/sync.ts")
    shown.project.write(ROUNDING, capsule=CAPSULES[ROUNDING], body=ROUNDING_BODY)
    shown.project.write("policy/timezones", capsule="Instants are stored in UTC.", body="Shown in local time.")
    shown.project.write("src/core/config", capsule="Reconciliation rounding totals.", body="x")
    shown.project.write("src/feed/sync", capsule="Syncs.", body="x")
    return shown


def test_gate_54_the_residue_is_what_governs_no_asset(tmp_path: Path) -> None:
    assert addresses(residue_of(small(tmp_path))) == [ROUNDING, "policy/timezones"]


def test_gate_56_without_retrieval_nothing_is_ranked(tmp_path: Path) -> None:
    shown = small(tmp_path, retrieval="none")
    assert shown.call(FIRST) == []
    assert shown.traced == []


def test_gate_57_intent_reaches_an_article_off_the_asset_path(tmp_path: Path) -> None:
    assert small(tmp_path).call(FIRST) == [ROUNDING]


def test_gate_58_the_standout_decides_whether_anything_rides(tmp_path: Path) -> None:
    reached = 1.568906
    assert crowd(tmp_path / "silent", standout=reached + 0.05).call(FIRST) == []
    assert ROUNDING in crowd(tmp_path / "speaks", standout=reached - 0.05).call(FIRST)


def test_gate_59_a_standout_of_one_cuts_nothing_off(tmp_path: Path) -> None:
    assert ROUNDING in crowd(tmp_path, standout=1).call(FIRST)


def test_gate_60_a_lone_responder_stands_out(tmp_path: Path) -> None:
    shown = small(tmp_path, standout=50)
    assert shown.call(FIRST) == [ROUNDING]
    assert shown.of("ranked")[0]["reached"] is None


def test_gates_61_and_62_a_drained_store_passes_nothing_off_unless_nothing_is_cut(tmp_path: Path) -> None:
    for standout, speaks in ((1.4, False), (1, True)):
        shown = crowd(tmp_path / str(standout), standout=standout)
        shown.taken = {address for address in CAPSULES if address != "policy/check-budget"}
        assert (shown.call(FIRST) == ["policy/check-budget"]) is speaks


def test_gate_63_a_drained_store_lets_a_new_topic_through(tmp_path: Path) -> None:
    shown = crowd(tmp_path)
    assert len(shown.call(FIRST)) == 3
    assert shown.call("python lint scope whole package run")[0] == "policy/python-lint-scope"
    assert shown.of("ranked")[1]["reached"] > 1.45


def test_gate_64_a_session_runs_out_of_things_worth_saying(tmp_path: Path) -> None:
    shown = crowd(tmp_path, standout=1.2)
    assert shown.call(FIRST)
    assert shown.call(SECOND, words=(STEP_BACK,)) == []
    first, second = shown.of("ranked")
    assert second["reached"] < 1.2 < first["reached"]
    assert second["eligible"] > 3


def test_gate_65_the_default_standout_and_the_measured_scores(tmp_path: Path) -> None:
    shown = crowd(tmp_path)
    ranked = shown.rank(f"shell {FIRST}")
    assert ranked is not None
    best = [(hit.key.removeprefix("policy/"), hit.score) for hit in (*ranked.riders, *ranked.held)[:6]]
    assert [name for name, _ in best] == [
        "rounding", "python-runner-flags", "totals-rerun", "python-imports", "reconciliation-owner",
        "reconciliation-window",
    ]  # fmt: skip
    measured = [0.222674, 0.210324, 0.151767, 0.141929, 0.108663, 0.105309]
    assert [score for _, score in best] == pytest.approx(measured, rel=0, abs=5e-7)
    assert (ranked.standout, ranked.responders, ranked.passed) == (1.4, 13, True)
    assert ranked.reached == pytest.approx(1.568906, rel=0, abs=5e-6)
    assert len(ranked.riders) == 3
    shown.taken.update(hit.key for hit in ranked.riders)
    assert shown.call(SECOND, words=(STEP_BACK,)) == []
    second = shown.of("ranked")[1]
    assert (second["responders"], second["eligible"], second["passed"]) == (10, 7, False)
    assert second["reached"] == pytest.approx(0.487992, rel=0, abs=5e-6)


def test_gate_66_a_guess_is_offered_once(tmp_path: Path) -> None:
    shown = fan(tmp_path)
    offered = shown.call("reconciliation rounding rule") + shown.call("reconciliation rounding variant detail")
    offered += shown.call("reconciliation rounding number") + shown.call("variant detail reconciliation")
    assert sorted(offered) == [f"{ROUNDING}-{n}" for n in range(9)]


def test_gates_68_and_69_every_ranking_is_traced(tmp_path: Path) -> None:
    reached = []
    for standout, passed in ((2, False), (1.4, True)):
        shown = crowd(tmp_path / str(standout), standout=standout)
        shown.call(FIRST)
        (ranked,) = shown.of("ranked")
        assert (ranked["passed"], ranked["responders"], ranked["standout"]) == (passed, 13, standout)
        assert len(shown.of("retrieved")) == (3 if passed else 0)
        reached.append(ranked["reached"])
    assert reached[0] == reached[1]
    (held,) = shown.of("retrieval-held")
    assert held["count"] == 10
    assert held["bestHeld"] <= held["worstSent"]


def test_gate_71_three_ride_at_most(tmp_path: Path) -> None:
    assert len(fan(tmp_path).call("reconciliation rounding rule")) == 3


def test_gate_72_the_same_question_releases_nothing_more(tmp_path: Path) -> None:
    shown = fan(tmp_path)
    assert shown.call("reconciliation rounding rule")
    for _ in range(3):
        assert shown.call("reconciliation rounding rule") == []


def test_gate_74_what_waits_to_be_sent_counts_against_the_three(tmp_path: Path) -> None:
    shown = fan(tmp_path)
    for staged, room in ((3, 0), (2, 1), (0, 3)):
        ranked = shown.rank(f"reconciliation rounding rule {staged}", staged)
        assert ranked is not None
        assert len(ranked.riders) == room


def test_gate_75_a_query_is_intent_and_never_evidence() -> None:
    assert intent_of_call("read", {"limit": 3, "file_path": " a/b.ts "}) == "read a/b.ts"
    assert intent_of_call("read", {"path": " ", "command": "x" * 300}) == "read " + "x" * 200
    assert intent_of_call("list", {"path": 7}) == "list"
    assert words_of({"role": "user", "content": "first"}) == "first"
    assert words_of({"role": "toolResult", "content": "evidence"}) == ""
    assert query_of(["first", "grep second"]) == "grep second\nfirst"


def test_gate_76_an_intent_is_of_its_call_alone(tmp_path: Path) -> None:
    shown = small(tmp_path)
    shown.intents.note(f"shell {FIRST}")
    shown.intents.clear()
    assert shown.call() == []
    assert shown.call(FIRST) == [ROUNDING]


def test_gate_77_a_scorer_of_ones_own(tmp_path: Path) -> None:
    seen: list[Candidate] = []

    def score(query: str, candidates: Sequence[Candidate]) -> Scores:
        seen[:] = candidates
        return {"policy/timezones": 2.5, ROUNDING: 0, "src/core/config": 9, "policy/none": 1}

    shown = small(tmp_path, retrieval=SimpleNamespace(name="mine", score=score))
    assert shown.call("anything") == ["policy/timezones"]
    assert [(one.path, one.body, one.declared) for one in seen] == [
        (ROUNDING, ROUNDING_BODY, False),
        ("policy/timezones", "Shown in local time.", False),
    ]
    assert [one["retriever"] for one in shown.of("retrieved")] == ["mine"]


@pytest.mark.parametrize("wrong", [None, 3, [1], {ROUNDING: "high"}])
def test_gate_78_a_scorer_that_fails_ranks_nothing(tmp_path: Path, wrong: object) -> None:
    def fail(query: str, candidates: Sequence[Candidate]) -> Scores:
        raise RuntimeError("no model")

    for score in (fail, lambda query, candidates: wrong):
        shown = small(tmp_path, retrieval=SimpleNamespace(name="mine", score=score))
        assert shown.call("anything") == []
        assert [one["retriever"] for one in shown.of("retrieval-failed")] == ["mine"]
        assert shown.of("ranked") == []


def test_scores_that_are_no_numbers_to_rank_by_are_left_out(tmp_path: Path) -> None:
    given = {ROUNDING: math.nan, "policy/timezones": math.inf}
    scorer = SimpleNamespace(name="mine", score=lambda query, candidates: given)
    assert small(tmp_path, retrieval=scorer).call("anything") == []


def test_gate_122_the_residue_is_made_anew_when_the_store_moves(tmp_path: Path) -> None:
    made: list[int] = []
    scorer = SimpleNamespace(
        name="mine", score=lambda query, candidates: {}, index=lambda candidates: made.append(len(candidates))
    )
    shown = small(tmp_path, retrieval=scorer)
    for n in range(3):
        shown.call(f"call {n}")
    assert made == [2]
    shown.project.write("policy/new", capsule="New.", body="x")
    shown.call("after a write")
    assert made == [2, 3]
    assert [one["candidates"] for one in shown.of("residue-rebuilt")] == [2, 3]


@pytest.mark.parametrize("unsaved", [0, 1_000])
def test_a_ranking_is_of_the_store_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unsaved: int) -> None:
    # With 0 every look gives the documents other numbers.
    monkeypatch.setattr("dcc.runtime.memory.search.index.UNSAVED", unsaved)
    shown = small(tmp_path)
    assert shown.call(FIRST) == [ROUNDING]
    shown.project.write("policy/quokka", capsule="A quokka is a rule.", body="x")
    assert shown.call("quokka") == ["policy/quokka"]
    shown.taken.clear()
    shown.project.file(ROUNDING).unlink()
    assert shown.call("quokka again") == ["policy/quokka"]
    assert shown.call("rounding again") == []


def test_gate_123_what_people_say_is_read_and_nothing_else() -> None:
    messages = [
        {"role": "user", "content": " one "},
        {"role": "assistant", "content": "no"},
        {"role": "toolResult", "content": [_part("no")]},
        {"role": "user", "content": [_part("two"), {"type": "image"}, _part("3")]},
        {"role": "user", "content": None},
        "user",
    ]
    assert user_words(messages) == ("one", "two\n3")
    for nothing in (None, "not a list", 3, {}):
        assert user_words(nothing) == ()


def test_gate_124_canons_own_lines_are_no_words_of_people() -> None:
    ours = [
        {"role": "user", "content": "[pi-canon] Governing article for what this turn touches."},
        {"role": "user", "content": "  [canon] Governing article."},
        {"role": "user", "customType": "pi-canon", "content": "Governing article."},
    ]
    assert user_words([*ours, {"role": "user", "content": "mine", "customType": "other"}]) == ("mine",)


def test_gate_125_words_are_bounded_and_the_newest_stay() -> None:
    questions = [f"question {n}: " + "why " * 20 for n in range(40)]
    kept = user_words([{"role": "user", "content": text} for text in questions])
    assert kept[-1] == questions[-1].strip()
    assert questions[0].strip() not in kept
    assert sum(map(len, kept)) <= LONGEST_WORDS


def test_gate_126_a_long_message_keeps_both_ends() -> None:
    text = "begin " + "middle " * 600 + "end"
    (kept,) = user_words([{"role": "user", "content": text}])
    assert len(kept) <= LONGEST_WORDS
    assert kept.startswith("begin")
    assert kept.endswith("end")
    assert user_words([{"role": "user", "content": "short"}]) == ("short",)


@pytest.mark.parametrize("room", range(8))
def test_words_keep_to_their_bound_however_little_room_is_left(room: int) -> None:
    # In the original a message comes in whole when room for one to six characters is left (section 13.2).
    kept = bounded(["x" * (LONGEST_WORDS - room), "y" * 900])
    assert sum(map(len, kept)) <= LONGEST_WORDS
    assert kept[-1][0] == "x"


def test_gate_128_the_tool_call_leads_the_question() -> None:
    intents = Intents()
    intents.hear(("check the timezone",))
    intents.note("read a.py")
    assert intents.query.startswith("read a.py\ncheck the timezone")


def test_gate_138_the_residue_says_which_articles_are_rules(tmp_path: Path) -> None:
    shown = small(tmp_path)
    shown.project.write("src/core/other", capsule="A rule at an asset.", body="x", scope="rule")
    declared = {one.path: one.declared for one in residue_of(shown).candidates()}
    assert declared == {ROUNDING: False, "policy/timezones": False, "src/core/other": True}


def test_a_touch_opens_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dcc.runtime.memory.search.index.Index.refresh", lambda index: pytest.fail("looked"))
    shown = small(tmp_path)
    place = shown.project.canon.governing("src/core/config.ts")
    assert place is not None
    assert place.shown == "src/core/config"
