"""Window, reserve and summaries of an agent, case by case from conformance/agent_context.yaml."""

from __future__ import annotations

from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from dcc.compiler.load import CompileError, load_program
from dcc.runtime.agent.compaction.asked import asked_of, longest, room_of
from dcc.runtime.agent.compaction.parts import is_too_much, most_of
from dcc.runtime.agent.compaction.staged import RETRIES
from dcc.runtime.agent.pruning import PruningSettings
from dcc.runtime.agent.window import Window, agent_flags, reserve_of, window_of
from dcc.runtime.governance.budget.limits import Limits, limits_of
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.kernel.content import Image
from dcc.runtime.kernel.tokens import MESSAGE_OVERHEAD, count_text, count_tokens
from dcc.runtime.providers.echo import EchoProvider
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.protocol import ModelRequest
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.values import GovernanceFlags

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[2] / "conformance" / "agent_context.yaml").read_text("utf-8")
)


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=str)


class Of(NamedTuple):
    tokens: int


def limits(governance: dict[str, Any] | None, max_context: int | None = None, window: int | None = None) -> Limits:
    """The limits of an agent's session under a ruleset with this governance section."""
    program = load_program({"name": "x", **({"governance": governance} if governance is not None else {})})
    written = governance or {}
    found = window_of(ruleset=written.get("window"), model=window)
    reserve = reserve_of(found.tokens, written.get("reserve"))
    flags = GovernanceFlags(max_context=max_context)
    flags = agent_flags(flags, found, reserve, is_governed=governance is not None)
    made = limits_of(program, max_context=flags.max_context, window=flags.window, reserve=flags.reserve)
    assert made is not None
    return made


@pytest.mark.parametrize("section", [section for section in CASES if section != "not_done"])
def test_where_columns_differ_a_row_says_why(section: str) -> None:
    for case in CASES[section]:
        columns = {str(case["openclaw"]), str(case["dcc"])}
        columns |= {str(case["seed"])} if case.get("seed") is not None else set()
        is_named = section == "windows" and case["openclaw"][0] == case["dcc"][0]
        assert (len(columns) == 1 or is_named) != bool(case.get("why")), case


@cases("not_done")
def test_what_is_not_done_is_seen_to_elsewhere(case: dict[str, Any]) -> None:
    assert case["what"]
    assert case["why"]
    assert (Path(__file__).parents[3] / case["instead"]).exists()


@cases("constants")
def test_numbers(case: dict[str, Any]) -> None:
    module, _, name = case["name"].rpartition(".")
    if not module.rpartition(".")[2].islower():
        module, _, attribute = module.rpartition(".")
        name = f"{attribute}.{name}"
    assert reduce(getattr, name.split("."), import_module(f"dcc.runtime.{module}")) == case["dcc"]


def _at(section: Any, key: str) -> Any:
    return reduce(lambda found, name: found[name], key.split("."), section)


@cases("reserves")
def test_reserve(case: dict[str, Any]) -> None:
    written = max((case[name] for name in ("configured", "floor") if name in case), default=None)
    reserve = reserve_of(case["window"], written)
    assert (reserve.tokens, reserve.capped) == (case["dcc"], case.get("capped", False))


@cases("triggers")
def test_trigger(case: dict[str, Any]) -> None:
    assert (limits(case.get("governance")).band(case["tokens"]) == "critical") is case["dcc"]


@cases("farewells")
def test_what_must_last_is_to_be_written_down(case: dict[str, Any]) -> None:
    """That the band is what counts: tests/runtime/memory/surfacing/test_before_compaction.py."""
    assert (limits(case.get("governance")).band(case["used"]) in ("must_act", "critical")) is case["dcc"]


@cases("windows")
def test_window(case: dict[str, Any]) -> None:
    tokens, source = case["dcc"]
    assert window_of(ruleset=case.get("models"), model=case.get("model")) == Window(tokens, source)
    limit = case.get("limit")
    if limit is not None:
        assert limits(None, limit, tokens).max_context == min(limit, tokens - reserve_of(tokens).tokens)


@cases("summaries")
def test_length_of_a_summary(case: dict[str, Any]) -> None:
    assert longest(case["reserve"], case.get("answer")) == case["dcc"]


@cases("thinking")
def test_thinking_over_a_summary(case: dict[str, Any]) -> None:
    provider = Asked()
    asked_of(provider, ModelRequest("small", [], think=case["said"]), 20_000).summarise("text", "{content}")
    assert [(request.think, request.max_tokens) for request in provider.seen] == [(case["dcc"], 8_192)]


@cases("parts")
def test_most_of_a_part(case: dict[str, Any]) -> None:
    assert most_of([Of(case["entry"])] * 4, case["window"]) == pytest.approx(case["dcc"], abs=1)


@cases("waits")
def test_wait_before_another_try(case: dict[str, Any]) -> None:
    failed = ProviderError("overloaded", "busy", retryable=True)
    shortest, longest = (RETRIES.wait_s(case["failed"], failed, jitter) for jitter in (1.0, 0.0))
    assert ([shortest, longest] if longest is not None else None) == case["dcc"]


@cases("older_first")
def test_older_entries_are_summarised_first(case: dict[str, Any]) -> None:
    assert is_too_much([Of(case["tokens"] - 1), Of(1)], case["window"]) is case["dcc"]


@cases("estimates")
def test_tokens(case: dict[str, Any]) -> None:
    if "image" in case:
        assert count_tokens((Image("image/png", ""),)) - MESSAGE_OVERHEAD == case["dcc"]
    else:
        assert count_text(case["text"] * case["times"]) == case["dcc"]


@cases("pruning_defaults")
def test_pruning_as_it_is_when_nothing_more_is_said(case: dict[str, Any]) -> None:
    assert _at(load_program({"name": "x", "pruning": {}}).sections["pruning"], case["key"]) == case["dcc"]


@cases("pruning_values")
def test_pruning_as_it_is_written(case: dict[str, Any]) -> None:
    ruleset = {"name": "x", "pruning": {case["key"]: case["written"]}}
    if case["dcc"] is None:
        with pytest.raises(CompileError, match=rf"pruning\.{case['key']}"):
            load_program(ruleset)
    else:
        assert load_program(ruleset).sections["pruning"][case["key"]] == case["dcc"]


@cases("pruning_formats")
def test_pruning_for_a_provider(case: dict[str, Any]) -> None:
    pruning = {"mode": "cache-ttl", "keep_last_assistants": 1, "soft_trim_ratio": 0.1}
    program = load_program({"name": "x", "life_cycle": {"toolResult": ["born", None]}, "pruning": pruning})
    clock = ManualClock()
    session = Session.create(program, clock=clock, flags=GovernanceFlags(window=20_000))
    session.begin("read")
    session.request(case["format"])
    session.add_reply(Reply(calls=(ToolCall("c1", "read", {}),)))
    session.add_result("c1", "a line of a file\n" * 1_000)
    session.request(case["format"])
    session.add_reply(Reply("read"))
    session.commit()
    clock.advance(300)
    session.begin("later")
    assert ("\n...\n" in str(session.request(case["format"]).messages).replace("\\n", "\n")) is case["dcc"]


@cases("pruning_tools")
def test_whose_results_are_pruned(case: dict[str, Any]) -> None:
    settings = PruningSettings(allow=tuple(case["allow"]), deny=tuple(case["deny"]))
    assert settings.may_prune(case["tool"]) is case["dcc"]


@pytest.mark.parametrize("written", [-1, 1.5, "20k", True])
def test_a_reserve_that_is_no_number_of_tokens_is_an_error(written: object) -> None:
    """openclaw takes its default for it: what was meant is then not what holds."""
    with pytest.raises(CompileError, match=r"governance\.reserve: expected a whole number of tokens"):
        load_program({"name": "x", "governance": {"window": 200_000, "reserve": written}})


@pytest.mark.parametrize(
    ("written", "flag", "room"),
    [
        (None, None, 200_000), (50_000, None, 50_000), (50_000, 30_000, 30_000), (0.5, None, 200_000),
        (None, 900_000, 200_000),
    ],
)  # fmt: skip
def test_a_request_for_a_summary_holds_no_more_than_any_other(
    written: int | float | None, flag: int | None, room: int
) -> None:
    program = load_program({"name": "x", "governance": {"max_context": written} if written is not None else {}})
    assert room_of(program, 200_000, flag) == room


class Asked(EchoProvider):
    """Echo, that remembers what it was asked."""

    def __init__(self) -> None:
        self.seen: list[ModelRequest] = []

    def complete(self, request: ModelRequest, **how: Any) -> Any:
        self.seen.append(request)
        return super().complete(request, **how)
