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


def test_the_prompt_and_what_came_of_it() -> None:
    both = (Usage(768, 49, 183_936), Usage(206, 78, 98_432))
    assert [usage.prompt + usage.output for usage in both] == [184_753, 98_716]
