"""Every name of the seed's two boxes is there: in JSON as the seed has it, in Python as the table says."""

from __future__ import annotations

from dataclasses import fields

import pytest

from dcc.runtime.agent.names import REQUEST_NAMES, RESULT_NAMES
from dcc.runtime.agent.prompt.report import PromptReport
from dcc.runtime.agent.request import RunRequest
from dcc.runtime.agent.result import AgentMeta, Payload, RunError, RunMeta, RunResult, RunUsage

RESULT = RunResult(
    (Payload("done"), Payload("but this failed", is_error=True)),
    RunMeta(
        12,
        AgentMeta("s1", "openai", "m"),
        prompt_report=PromptReport((("identity", 5),), (("read", 7),), (), ()),
        error=RunError("timeout", "the time was up"),
    ),
    RunUsage(1, 2, 3, 4, 10, 9, 11, 12, 13, 14),
)


def test_the_table_has_every_name_of_both_boxes() -> None:
    assert set(REQUEST_NAMES) == {
        "prompt", "images", "sessionFile", "config", "skillsSnapshot", "thinkLevel", "provider", "modelId",
        "abortSignal", "timeoutMs", "callbacks",
    }  # fmt: skip
    assert {name for name in RESULT_NAMES if "." not in name} == {
        "payloads", "meta", "usage", "messagingToolResults", "autoCompactionCount",
    }  # fmt: skip
    assert {name.partition(".")[2] for name in RESULT_NAMES if name.startswith("meta.")} == {
        "durationMs", "agentMeta", "agentMeta.sessionId", "agentMeta.provider", "agentMeta.model",
        "systemPromptReport", "error", "error.kind", "error.message",
    }  # fmt: skip
    figures = {name.partition(".")[2] for name in RESULT_NAMES if name.startswith("usage.")}
    assert figures == {"input", "output", "cacheRead", "cacheWrite", "total"}


@pytest.mark.parametrize("name", REQUEST_NAMES.values())
def test_a_request_has_the_field(name: str) -> None:
    assert name in {field.name for field in fields(RunRequest)}


@pytest.mark.parametrize(("seed", "python"), RESULT_NAMES.items())
def test_a_result_has_the_field_under_both_names(seed: str, python: str) -> None:
    document: object = RESULT.to_json()
    for key in seed.split("."):
        assert isinstance(document, dict)
        document = document[key]
    value: object = RESULT
    for key in python.split("."):
        value = getattr(value, key)
    if isinstance(value, int | str):
        assert document == value


def test_payloads_say_which_of_them_is_an_error() -> None:
    assert RESULT.to_json()["payloads"] == [{"text": "done"}, {"text": "but this failed", "isError": True}]
    assert RESULT.answer == "done"


def test_the_context_of_a_request_is_an_owner_at_depth_0_outside_a_sandbox() -> None:
    context = RunRequest("hello").context
    assert (context.agent, context.group, context.sender_is_owner, context.depth, context.sandbox) == (
        None, None, True, 0, False,
    )  # fmt: skip
