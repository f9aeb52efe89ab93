"""The context window of a model, by its name."""

from __future__ import annotations

import pytest

from dcc.runtime.agent.window import DEFAULT_WINDOW, Window, window_of
from dcc.runtime.providers.windows import known_window


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-5-5", 1_000_000), ("anthropic/claude-sonnet-4.6", 1_000_000), ("claude-haiku-4-5", 200_000),
        ("claude-3-5-sonnet-latest", 200_000), ("claude-2.1", 200_000), ("claude-2.0", None), ("gpt-4o-mini", 128_000),
        ("gpt-4.1-nano", 1_047_576), ("openai/gpt-5.2-pro", 272_000), ("gpt-5-chat-latest", 128_000),
        ("gpt-4", 8_192), ("gpt-4-0613", 8_192), ("gpt-4-turbo", 128_000), ("o3-mini", 200_000), ("o1-mini", 128_000),
        ("GPT-3.5-turbo-0125", 16_385), ("google/gemini-2.5-pro", 1_048_576), ("deepseek-chat", 128_000),
        ("llama3:8b", None), ("gpt-oss-120b", None), ("my-gpt-4", None), ("small", None),
    ],
)  # fmt: skip
def test_what_a_name_says(model: str, tokens: int | None) -> None:
    assert known_window(model) == tokens


def test_what_is_written_goes_before_a_name_and_the_smallest_of_several_counts() -> None:
    names = ("claude-opus-5", "gpt-4o", "small")
    assert window_of(names=names) == Window(128_000, "model")
    assert window_of(names=names, model=50_000) == Window(50_000, "model")
    assert window_of(names=names, ruleset=90_000, model=50_000) == Window(90_000, "ruleset")
    assert window_of(names=("small",)) == Window(DEFAULT_WINDOW, "default")
