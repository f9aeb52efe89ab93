"""What a run gives back (the second box of seed 004), and its JSON under the seed's names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ..kernel.records import Spending
from .prompt.report import PromptReport

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Payload:
    """A piece of the answer for a person."""

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run has no answer. ``kind`` is stable; ``message`` is what was said of it."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class RunUsage:
    """Tokens of a run: what the last call read, and what all of them wrote (seed 004, the inflated sums).

    ``input``, ``cache_read`` and ``cache_write`` are the last call's; ``output`` is the sum; ``total`` is the last
    call's prompt and that sum. ``last_call_total`` is the last call alone. ``billed_input`` and the other three are
    sums over all calls that reported anything, those for summaries among them: what is paid for. Not ``exact``: some
    request was sent more than once, or its report is of more than it, so more may have been billed.
    """

    input: int
    output: int
    cache_read: int
    cache_write: int
    total: int
    last_call_total: int
    billed_input: int
    billed_output: int
    billed_cache_read: int
    billed_cache_write: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class AgentMeta:
    """Which session was run, and who answered. ``prompt_tokens``: the length of the last prompt.

    ``is_stored``: whether the session is there to go on with; a run in which no model said anything makes none.
    """

    session: str
    provider: str
    model: str
    profile: str | None = None
    prompt_tokens: int | None = None
    calls: int = 0
    is_stored: bool = True


@dataclass(frozen=True, slots=True)
class RunMeta:
    """What is known of a run beside its answer. ``duration_ms`` is in milliseconds.

    ``open_turn``: the turn that was begun and not finished; it can be gone on with.
    """

    duration_ms: int
    agent: AgentMeta
    aborted: bool = False
    stop_reason: str | None = None
    prompt_report: PromptReport | None = None
    error: RunError | None = None
    open_turn: int | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run. ``session_usage``: that of all runs of its session so far; None where there is none."""

    payloads: tuple[Payload, ...]
    meta: RunMeta
    usage: RunUsage | None = None
    messaging_tool_results: tuple[str, ...] = ()
    compactions: int = 0
    notices: tuple[tuple[str, str], ...] = ()
    session_usage: Spending | None = None

    @property
    def answer(self) -> str:
        """The text of the answer, without what is said of errors."""
        return "\n\n".join(payload.text for payload in self.payloads if not payload.is_error)

    def to_json(self) -> dict[str, Any]:
        """The result under the seed's names (``names.RESULT_NAMES``); what is not there is null."""
        return {
            "schema_version": SCHEMA_VERSION,
            "payloads": [
                {"text": payload.text, **({"isError": True} if payload.is_error else {})} for payload in self.payloads
            ],
            "meta": _meta(self.meta),
            "usage": None if self.usage is None else _usage(self.usage),
            "sessionUsage": None if self.session_usage is None else _session_usage(self.session_usage),
            "messagingToolResults": list(self.messaging_tool_results),
            "autoCompactionCount": self.compactions,
            "notices": [{"code": code, "message": message} for code, message in self.notices],
        }


def _meta(meta: RunMeta) -> dict[str, Any]:
    agent, report, error = meta.agent, meta.prompt_report, meta.error
    return {
        "durationMs": meta.duration_ms,
        "agentMeta": {
            "sessionId": agent.session, "provider": agent.provider, "model": agent.model, "profile": agent.profile,
            "promptTokens": agent.prompt_tokens, "calls": agent.calls,
        },
        "aborted": meta.aborted,
        "stopReason": meta.stop_reason,
        "openTurn": meta.open_turn,
        "systemPromptReport": None if report is None else report.to_json(),
        "error": None if error is None else {"kind": error.kind, "message": error.message},
    }  # fmt: skip


def _usage(usage: RunUsage) -> dict[str, int | bool]:
    return {
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "total": usage.total,
        "lastCallTotal": usage.last_call_total,
        "billedInput": usage.billed_input,
        "billedOutput": usage.billed_output,
        "billedCacheRead": usage.billed_cache_read,
        "billedCacheWrite": usage.billed_cache_write,
        "exact": usage.exact,
    }


def _session_usage(spent: Spending) -> dict[str, int | None]:
    billed = zip(("billedInput", "billedOutput", "billedCacheRead", "billedCacheWrite"), spent.billed, strict=True)
    return {
        "replies": spent.replies,
        "input": spent.input,
        "output": spent.output,
        "cacheRead": spent.cache_read,
        "cacheWrite": spent.cache_write,
        "total": spent.total,
        "promptTokens": spent.prompt or None,
        **dict(billed),
    }
