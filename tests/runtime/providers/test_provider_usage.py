"""Usage: the length of the prompt is counted once, whatever a provider includes in what."""

from __future__ import annotations

from typing import Any

import pytest

from dcc.runtime.providers.usage import anthropic_usage, openai_usage
from dcc.runtime.values import Usage


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        # the prompt count holds what the cache served
        (
            {"prompt_tokens": 184_704, "completion_tokens": 49, "prompt_tokens_details": {"cached_tokens": 183_936}},
            Usage(768, 49, 183_936),
        ),
        ({"prompt_tokens": 100, "completion_tokens": 5, "prompt_cache_hit_tokens": 60}, Usage(40, 5, 60)),
        ({"prompt_tokens": 9, "completion_tokens": 5, "prompt_tokens_details": None}, Usage(9, 5)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 90}}, Usage(0, 0, 9)),
        ({"prompt_tokens": float("nan"), "completion_tokens": -3}, None),
        ({"prompt_tokens": "many", "completion_tokens": True}, None),
        ({"prompt_tokens": 0, "completion_tokens": 0}, None),
        ({}, None),
        (None, None),
    ],
)
def test_openai(raw: Any, usage: Usage | None) -> None:
    assert openai_usage(raw) == usage


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        # the input count does not
        ({"input_tokens": 206, "cache_read_input_tokens": 98_432, "output_tokens": 78}, Usage(206, 78, 98_432)),
        ({"input_tokens": 1, "cache_creation_input_tokens": 7, "output_tokens": 2}, Usage(1, 2, 0, 7)),
        ({"input_tokens": 1, "cache_read_input_tokens": None}, Usage(1)),
        ({"input_tokens": 0, "output_tokens": 0}, None),
        ([], None),
    ],
)
def test_anthropic(raw: Any, usage: Usage | None) -> None:
    assert anthropic_usage(raw) == usage


@pytest.mark.parametrize(
    ("raw", "openclaw", "dcc", "why"),
    [
        ({"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}, (1, 2, 3, 4), (1, 2, 3, 4), ""),
        ({"inputTokens": 1, "outputTokens": 2, "cache_read": 3, "cache_write": 4}, (1, 2, 3, 4), (1, 2, 3, 4), ""),
        ({"promptTokens": 1, "completionTokens": 2}, (1, 2, 0, 0), (1, 2, 0, 0), ""),
        ({"prompt_tokens": 1, "completion_tokens": 2}, (1, 2, 0, 0), (1, 2, 0, 0), ""),
        ({"input": None, "inputTokens": 7}, (7, 0, 0, 0), (7, 0, 0, 0), ""),
        ({"input": "many", "inputTokens": 7, "output": 1}, (0, 1, 0, 0), (0, 1, 0, 0), ""),
        ({"input": float("nan"), "output": float("inf")}, None, None, ""),
        ({"input": True}, None, None, ""),
        ({"tokens": 9}, None, None, ""),
        ({"input": -5, "output": 2}, (-5, 2, 0, 0), (0, 2, 0, 0), "below zero counts as zero"),
        ({"input": 0, "output": 0}, (0, 0, 0, 0), None, "a report of zeros says nothing"),
        ({"total": 9}, (0, 0, 0, 0), None, "a total without its parts says nothing of the prompt"),
    ],
)  # fmt: skip
def test_a_figure_is_read_under_any_of_its_names(
    raw: dict[str, Any], openclaw: tuple[int, ...] | None, dcc: tuple[int, ...] | None, why: str
) -> None:
    """The first name that is there decides, also when its value is no number. A figure that is not there counts 0."""
    assert anthropic_usage(raw) == (None if dcc is None else Usage(*dcc))
    assert bool(why) == (openclaw != dcc)


def test_the_prompt_and_what_came_of_it() -> None:
    both = (Usage(768, 49, 183_936), Usage(206, 78, 98_432))
    assert [usage.prompt + usage.output for usage in both] == [184_753, 98_716]
