"""Truncation of tool results: what is planned after a refusal, and what stands there then (runtime spec, 3.1)."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from pictures import picture

from dcc.runtime.agent.truncation_plan import LEAST, Cut, Result, is_oversized, plan_truncation, room_of
from dcc.runtime.governance.cutting import Room, Short, shortened
from dcc.runtime.kernel.content import Text, content_hash, text_of
from dcc.runtime.kernel.representation import stand_in
from dcc.runtime.kernel.tokens import count_tokens


def _text(result: str, short: Short) -> str:
    text = stand_in(result, "ref", content_hash(result), preview=short.preview)
    assert text is not None
    return text


def _cut(result: str, most: int) -> str:
    if len(result) <= most:
        return result
    short = shortened(result, content_hash(result), Room(10**9, most))
    return result if short is None else _text(result, short)


def test_a_text_of_lines_is_cut_at_lines_and_shows_its_end() -> None:
    text = "".join(f"line {n}: all is well\n" for n in range(5_000)) + "error: it broke\n"
    made = _cut(text, 4_000)
    shown = made.splitlines()[1:]
    assert set(shown) - set(text.splitlines()) == {line for line in shown if line.startswith("[...")}
    assert shown[0] == "line 0: all is well"
    assert shown[-1] == "error: it broke"
    assert 3_000 <= len(made) <= 4_000


def test_a_text_of_one_line_is_cut_within_it() -> None:
    text = "begin" + "x" * 100_000 + "end"
    made = _cut(text, 4_000)
    assert made.splitlines()[1].startswith("beginx")
    assert made.endswith("xend")
    assert 3_500 <= len(made) <= 4_000


@given(
    st.text(alphabet="ab 汉字\n😀", min_size=1, max_size=60).map(lambda text: text * 200),
    st.integers(1, 6_000),
    st.integers(1, 3_000),
)
def test_no_result_is_empty_or_longer_than_before_or_than_the_room(text: str, characters: int, tokens: int) -> None:
    room = Room(tokens, characters)
    short = shortened(text, content_hash(text), room)
    if short is None:
        return
    made = _text(text, short)
    assert (short.characters, short.tokens) == (len(made), count_tokens(made))
    assert 0 < len(made) < len(text)
    assert count_tokens(made) < count_tokens(text)
    bare = stand_in(text, "ref", content_hash(text))
    assert made == bare or (len(made) <= characters and count_tokens(made) <= tokens)


def _results(*texts: str) -> tuple[list[Result], dict[str, str]]:
    named = {f"r{n}": text for n, text in enumerate(texts)}
    return [Result(name, len(text), count_tokens(text)) for name, text in named.items()], named


def _plan(window: int, *texts: str, other: int = 0) -> tuple[Cut, ...]:
    results, named = _results(*texts)
    used = other + sum(result.tokens for result in results)
    return plan_truncation(
        results, used, window, lambda slot, room: shortened(named[slot], content_hash(named[slot]), room)
    )


def _lines(characters: int, seed: int = 0) -> str:
    chosen = random.Random(seed)
    return "".join(f"{chosen.randrange(10**8):08d}\n" for _ in range(characters // 9))


def test_one_that_is_too_large_is_cut_to_its_share() -> None:
    (cut,) = _plan(8_000, _lines(90), _lines(20_000), _lines(900))
    assert cut.slot == "r1"
    assert 2_000 < cut.short.characters <= 9_600
    assert cut.short.tokens <= 2_400


def test_as_much_as_the_most_is_not_too_much() -> None:
    assert not is_oversized(Result("r", 9_600, 2_400), room_of(8_000))
    assert is_oversized(Result("r", 9_601, 2_400), room_of(8_000))


def test_chinese_is_too_large_by_its_tokens() -> None:
    text = "上下文太长了\n" * 1_000
    assert len(text) < 9_600
    (cut,) = _plan(8_000, text)
    assert cut.short.tokens <= 2_400


def test_issue_of_the_aggregate_many_of_middle_size_are_cut_the_oldest_first() -> None:
    texts = [_lines(7_000, seed) for seed in range(4)]
    window = 8_000
    tokens = count_tokens(texts[0])
    assert tokens <= room_of(window).tokens
    assert 4 * tokens > window * 0.75
    cut = _plan(window, *texts)
    assert [one.slot for one in cut] == ["r0", "r1"]
    assert all(one.short.characters <= LEAST.characters for one in cut)


def test_the_newest_is_cut_too_where_nothing_else_helps() -> None:
    cut = _plan(8_000, *[_lines(7_000, seed) for seed in range(4)], other=6_000)
    assert [one.slot for one in cut] == ["r0", "r1", "r2", "r3"]


def test_many_results_of_images_are_cut_together_too() -> None:
    """None of them is a third of the window, and what they say in characters is next to nothing."""
    contents = [(Text(f"page {n}"), *(picture(i) for i in range(6))) for n in range(20)]
    results = [Result(f"r{n}", len(text_of(content)), count_tokens(content)) for n, content in enumerate(contents)]
    used = sum(result.tokens for result in results)
    cuts = plan_truncation(
        results, used, used,
        lambda slot, room: shortened(contents[int(slot[1:])], content_hash(contents[int(slot[1:])]), room),
    )  # fmt: skip
    assert [cut.slot for cut in cuts] == [f"r{n}" for n in range(len(cuts))]
    assert len(cuts) > 5
    assert all(cut.short.tokens <= LEAST.tokens for cut in cuts)


def test_what_fits_is_left_as_it_is() -> None:
    assert _plan(8_000, _lines(2_000), _lines(3_000)) == ()


def test_small_results_are_never_cut() -> None:
    assert _plan(8_000, *[_lines(1_800, seed) for seed in range(30)]) == ()


@given(st.lists(st.integers(0, 30_000), max_size=12), st.integers(1_000, 20_000), st.integers(0, 20_000))
def test_a_plan_only_ever_shortens(sizes: list[int], window: int, other: int) -> None:
    texts = [_lines(size, seed) or "-" for seed, size in enumerate(sizes)]
    results, _ = _results(*texts)
    known = {result.slot: result for result in results}
    for cut in _plan(window, *texts, other=other):
        assert 0 < cut.short.tokens < known[cut.slot].tokens
        assert cut.short.characters < known[cut.slot].characters
