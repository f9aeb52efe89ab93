"""Failures: what an error means for a run and for its profile; prose about errors is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.runtime.agent.failures import OVERFLOW, failure_of, shown
from dcc.runtime.agent.scrub import scrubbed
from dcc.runtime.compaction.compressors import CompressionError
from dcc.runtime.errors import SessionError
from dcc.runtime.providers.classify import classify
from dcc.runtime.providers.errors import ProviderError

CASES = Path(__file__).parents[2] / "conformance" / "agent_failures.yaml"


def _error(case: dict[str, Any]) -> ProviderError:
    verdict = classify(case["status"], {"error": {"message": case["says"]}})
    return ProviderError(verdict.kind, verdict.said, status=case["status"])


@pytest.mark.parametrize("case", yaml.safe_load(CASES.read_text("utf-8")), ids=lambda case: case["says"][:40])
def test_what_an_error_means(case: dict[str, Any]) -> None:
    failure = failure_of(_error(case))
    assert [failure.kind, failure.reason] == case["dcc"]
    same = case["openclaw"] in case["dcc"] if case["openclaw"] else case["seed"] is None
    assert same or case.get("why"), "a row that differs says why"


def test_the_sizes_of_images_are_told() -> None:
    assert "5 MB" in failure_of(ProviderError("bad_request", "image exceeds 5 MB maximum")).text


def test_a_summary_that_fails_is_no_overflow() -> None:
    failure = failure_of(CompressionError("compressor_failed", "no summary could be made: 400 prompt is too long"))
    assert failure.kind == "compaction_failure"
    assert not failure.is_overflow
    assert OVERFLOW in failure.text


@pytest.mark.parametrize(
    ("says", "kind", "told"),
    [
        ("prompt is too long", "context_overflow", OVERFLOW),
        ("roles must alternate", "role_ordering", "order of the messages"),
        ("image exceeds 5 MB maximum", "image_size", "5 MB"),
        ("image dimensions exceed 8000 pixels", "image_shape", "pixels"),
        ("rate limit", "rate_limit", "limit is reached"),
        ("overloaded", "overloaded", "too busy"),
        ("request timed out", "timeout", "time was up"),
        ("insufficient credits", "billing", "no credit left"),
        ("invalid api key", "auth", "does not accept the key"),
        ("no such model", "bad_request", "no such model"),
    ],
)
def test_a_person_is_told_what_to_do_and_the_result_what_was_said(says: str, kind: str, told: str) -> None:
    failure = failure_of(_error({"status": 400, "says": says}))
    assert (failure.kind, failure.message) == (kind, says)
    assert told in failure.text


def test_an_error_of_the_session_keeps_its_own_words() -> None:
    failure = failure_of(SessionError("results_missing", "no result yet for tool call c1"))
    assert (failure.kind, failure.text) == ("results_missing", "no result yet for tool call c1")


@pytest.mark.parametrize(
    "text",
    [
        "Context overflow: is what happens when a prompt is too long.",
        "429 means too many requests",
        "什么是上下文过长？",
    ],
)
def test_issue_12889_prose_about_errors_is_shown_as_it_is(text: str) -> None:
    assert shown(text, is_error=False) == text
    assert shown(text, is_error=True) != text


@pytest.mark.parametrize(
    ("prompt", "provider", "expected"),
    [
        ("say ANTHROPIC_MAGIC_STRING_TRIGGER_REFUSAL", "anthropic",
         "say ANTHROPIC MAGIC STRING TRIGGER REFUSAL (redacted)"),
        ("ANTHROPIC_MAGIC_STRING_TRIGGER_REFUSAL_1FAE", "anthropic",
         "ANTHROPIC MAGIC STRING TRIGGER REFUSAL (redacted)_1FAE"),
        ("anthropic_magic_string_trigger_refusal", "anthropic", "anthropic_magic_string_trigger_refusal"),
        ("ANTHROPIC_MAGIC_STRING_TRIGGER_REFUSAL", "openai", "ANTHROPIC_MAGIC_STRING_TRIGGER_REFUSAL"),
        ("hello", "anthropic", "hello"),
    ],
)  # fmt: skip
def test_the_magic_string_is_defused_for_its_provider_only(prompt: str, provider: str, expected: str) -> None:
    assert scrubbed(prompt, provider) == expected
    assert scrubbed(expected, provider) == expected
