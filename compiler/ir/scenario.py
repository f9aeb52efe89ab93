"""A scenario file: the keys that it may have and the kinds of their values (contracts.md, "Scenario").

The runtime reads scenarios into values of its own when it plays them; this is what is checked beforehand.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from .base import AtLeastOne, Listed, Section, Texts, fault

Items = Annotated[tuple[Any, ...], Listed]

#: Results by the ids of their calls; how many breaks, or between which numbers.
ItemsOrMapping = Annotated[tuple[Any, ...] | dict[str, Any], Listed]
ItemsOrCount = Annotated[tuple[Any, ...] | int | dict[str, Any], Listed]


def _name_or_mapping(value: Any) -> Any:
    if isinstance(value, str | dict):
        return value
    raise fault("wrong-type", ": expected a ruleset", "write a shipped name, a path, or the rules themselves")


def _count(value: Any) -> Any:
    """A count as in a patch line: ``none`` is no end."""
    return None if value == "none" else value


class CallExpect(Section):
    """What one model call is compared with."""

    call: Any = None
    ordinal: Any = None
    visible: Items = ()
    texts: Any = None
    messages: Any = None
    system: Any = None
    tokens: Any = None
    prefix_kept: Any = None
    results: ItemsOrMapping = ()
    tail: Any = None


class StepExpect(CallExpect):
    """What a step is compared with; the keys of a call speak of its last one."""

    turn: Any = None
    committed: Any = None
    text: Any = None
    stage: Items = ()
    ranges: dict[str, Any] = Field(default_factory=dict)
    notices: Items = ()
    error: Any = None
    output: Any = None
    queue: Items = ()
    opened: Items = ()
    closed: Items = ()
    changed: Items = ()
    breaks: ItemsOrCount = ()
    state_hash: Any = None
    prompt: Any = None
    transactions: Items = ()
    band: Literal["ok", "soft", "must_act", "critical"] | None = None
    archived: Items = ()
    hidden: Items = ()
    same_hash_as: int | str | None = None


class ResultItem(Section):
    """The result of a tool call, by the id of the call."""

    id: str = ""
    content: Any = None
    is_error: bool = False


class CallItem(Section):
    """One model call: what the assistant says and what its tools give, or why it fails."""

    assistant: Any = None
    results: Annotated[tuple[ResultItem, ...], Listed] = ()
    usage: dict[str, Any] = Field(default_factory=dict)
    fail: str | None = None
    expect: CallExpect | None = None


class PatchAct(Section):
    """A content patch, as a host queues it."""

    element: str = ""
    content: str = ""
    mode: Literal["remain", "roll", "refresh"] = "remain"
    turns: Annotated[AtLeastOne | None, BeforeValidator(_count)] = None
    at: AtLeastOne | None = None


class RuleAct(Section):
    """A rule patch."""

    element: str = ""
    start: Any = "born"
    end: Any = None
    mode: Literal["forward", "reset_from_now", "force_refresh", "add_row"] = "forward"


class RepresentAct(Section):
    """A change of representation."""

    slot: str = ""
    as_: Annotated[Literal["full", "ref", "stub"], Field(alias="as")] = "full"


class EntryAct(Section):
    """A slot that the host bears between turns."""

    element: str = ""
    content: str = ""


class UpdateAct(Section):
    """Operations on the context, as a model asks for them through ``context_update``; the session judges them."""

    reason: str = ""
    operations: Any = None
    actor: Literal["agent", "runtime", "person"] = "agent"
    key: str | None = None
    base: int | Literal["last"] | None = None


class Act(Section):
    """One act of a host between messages: exactly one of these keys."""

    close: str | None = None
    reopen: str | None = None
    keep: str | None = None
    unkeep: str | None = None
    patch: PatchAct | None = None
    rule: RuleAct | None = None
    pin: str | None = None
    cancelpin: str | None = None
    end: str | None = None
    represent: RepresentAct | None = None
    undo: int | str | None = None
    entry: EntryAct | None = None
    update: UpdateAct | None = None
    host_compaction: Literal["manual", "threshold", "overflow"] | None = None


class Summarised(Section):
    """What the compressor answers in a step: a text, or the reason why it fails."""

    text: str | None = None
    fail: str | None = None


def _summary(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


class Step(Section):
    """One step: what a person types, what a host does, a new process, or the end of an open turn."""

    user: Any = None
    do: Annotated[tuple[Act, ...], Listed] = ()
    resume: Literal[True] | None = None
    abort: Literal[True] | None = None
    reply: Any = None
    calls: Annotated[tuple[CallItem, ...], Listed] = ()
    fail: str | None = None
    labels: dict[str, Any] | None = None
    typed: bool = True
    wait: str | None = None
    at: Any = None
    summary: Annotated[Summarised | None, BeforeValidator(_summary, json_schema_input_type=str | Summarised | None)] = (
        None
    )
    expect: StepExpect | None = None
    name: str | None = None


class Governed(Section):
    """What the person of a scenario says of governance, as on the command line."""

    window: AtLeastOne | None = None
    max_context: AtLeastOne | None = None
    gates: Texts = ()
    off: bool = False


class ScenarioFile(Section):
    """A whole scenario."""

    ruleset: Annotated[str | dict[str, Any], BeforeValidator(_name_or_mapping)] = "standard"
    system: str | None = None
    steps: Annotated[tuple[Step, ...], Listed] = ()
    folder: str = ""
    about: str | None = None
    governance: Governed = Field(default_factory=Governed)
