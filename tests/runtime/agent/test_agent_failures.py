"""Failures: what an error means for a run and for its profile; prose about errors is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.runtime.agent.failures import OVERFLOW, failure_of, sentence
from dcc.runtime.agent.scrub import scrubbed
from dcc.runtime.errors import SessionError
from dcc.runtime.providers.classify import classify
from dcc.runtime.providers.errors import ProviderError

CASES = yaml.safe_load((Path(__file__).parents[2] / "conformance" / "agent_failures.yaml").read_text("utf-8"))


def _error(case: dict[str, Any]) -> ProviderError:
    verdict = classify(case["status"], {"error": {"message": case["says"]}})
    return ProviderError(verdict.kind, verdict.said, status=case["status"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['status']} {case['says'][:40]}")
def test_what_an_error_means(case: dict[str, Any]) -> None:
    failure = failure_of(_error(case))
    assert [failure.kind, failure.reason] == case["dcc"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['status']} {case['says'][:40]}")
def test_a_row_that_differs_says_why(case: dict[str, Any]) -> None:
    kind, reason = case["dcc"]
    known = {kind, reason} if reason is not None or kind in ("context_overflow", "compaction_failure") else {None}
    assert case["openclaw"] in known or case.get("why")
    assert (kind == "context_overflow") == (case["seed"] == "context_overflow")


def test_the_sizes_of_images_are_told() -> None:
    assert "5 MB" in failure_of(ProviderError("bad_request", "image exceeds 5 MB maximum")).text


@pytest.mark.parametrize("says", ["prompt is too long", "Summarization failed: 400 prompt is too long"])
def test_the_overflow_ladder_is_for_every_overflow(says: str) -> None:
    failure = failure_of(_error({"status": 400, "says": says}))
    assert failure.is_overflow
    assert OVERFLOW in failure.text


@pytest.mark.parametrize(
    ("says", "kind", "told"),
    [
        ("prompt is too long", "context_overflow", OVERFLOW),
        ("compaction failed: prompt is too long", "compaction_failure", "could not be summarised"),
        ("roles must alternate", "role_ordering", "order of the messages"),
        ("image exceeds 5 MB maximum", "image_size", "5 MB"),
        ("image dimensions exceed 8000 pixels", "image_shape", "pixels"),
        ("rate limit", "rate_limit", "limit is reached"),
        ("overloaded", "overloaded", "too busy"),
        ("request timed out", "timeout", "time was up"),
        ("insufficient credits", "billing", "no credit left"),
        ("invalid api key", "auth", "does not accept the key"),
        ("no such model", "bad_request", "no such model. Check provider.model"),
    ],
)
def test_a_person_is_told_what_to_do_and_the_result_what_was_said(says: str, kind: str, told: str) -> None:
    failure = failure_of(_error({"status": 400, "says": says}))
    assert (failure.kind, failure.message) == (kind, says)
    assert told in failure.text


def test_an_error_of_the_session_keeps_its_own_words() -> None:
    failure = failure_of(SessionError("results_missing", "no result yet for tool call c1", help="run it"))
    assert (failure.kind, failure.message) == ("results_missing", "no result yet for tool call c1")
    assert failure.text == "no result yet for tool call c1. Run it."
    lost = SessionError("lost", "it is lost", help="dcc verify s tells more")
    assert sentence(lost) == "it is lost. dcc verify s tells more."


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
