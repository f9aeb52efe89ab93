"""The length of a prompt by the shape of the provider's report (spec/context_bugs.md, 14)."""

from __future__ import annotations

from typing import Any

import pytest

from dcc.runtime.governance.budget.usage import Shape, context_tokens, prompt_tokens, usage_of


@pytest.mark.parametrize(
    ("shape", "raw", "prompt", "context"),
    [
        pytest.param(
            "openai",
            {"prompt_tokens": 184_704, "prompt_tokens_details": {"cached_tokens": 183_936}, "completion_tokens": 49},
            184_704,
            184_753,
            id="openai counts the cached part in",
        ),
        pytest.param(
            "openai",
            {"input_tokens": 184_704, "input_tokens_details": {"cached_tokens": 183_936}, "output_tokens": 49},
            184_704,
            184_753,
            id="so do its newer reports",
        ),
        pytest.param(
            "anthropic",
            {"input_tokens": 206, "cache_read_input_tokens": 98_432, "output_tokens": 78},
            98_638,
            98_716,
            id="anthropic names it beside",
        ),
        pytest.param("pi", {"input": 206, "cacheRead": 98_432, "output": 78}, 98_638, 98_716, id="and so does pi"),
        pytest.param("pi", {"input": 3, "cacheRead": 5, "cacheWrite": 7, "output": 1}, 15, 16, id="and what it stored"),
        pytest.param("pi", {"input": 0, "output": 0}, 0, 0, id="zeros say nothing"),
        pytest.param("openai", {}, 0, 0, id="nor does an empty report"),
    ],
)
def test_lengths(shape: Shape, raw: dict[str, Any], prompt: int, context: int) -> None:
    assert (prompt_tokens(raw, shape), context_tokens(raw, shape)) == (prompt, context)


def test_input_is_what_no_cache_served() -> None:
    usage = usage_of({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 90}}, "openai")
    assert usage is not None
    assert (usage.input, usage.cache_read) == (10, 90)
