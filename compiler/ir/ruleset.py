"""A whole ruleset: every section of language.md section 1, all optional."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from .auth import WrittenAuth
from .base import ONE_OR_MORE, Section, Texts, fault, written_as
from .canon import CanonSection
from .compaction import CompactSection, Off, off_when_none
from .context import ContextSection
from .governance import GovernanceSection
from .host import AnswerSection, DatasetSection, InputSection, RuntimeSection
from .life_cycle import LifeCycle, SettleSection
from .provider import ProviderSection
from .recall import RecallSection
from .recovery import PruningSection, RecoverySection
from .tools import AgentScope, RulesetTools, ToolScope


def _one_or_more(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _switch(value: Any) -> Any:
    if isinstance(value, dict):
        raise fault("wrong-value", "roles by element stand under context", "move this mapping to context.roles")
    return value


class Ruleset(Section):
    """The IR of one ruleset with everything that it extends."""

    name: str | None = None
    extends: Annotated[Texts, BeforeValidator(_one_or_more), written_as(ONE_OR_MORE)] = ()
    roles: Annotated[Literal["python"] | None, BeforeValidator(_switch)] = None
    life_cycle: LifeCycle = Field(default_factory=dict)
    settle: SettleSection | None = None
    context: ContextSection = Field(default_factory=ContextSection)
    compact: Annotated[
        CompactSection | None, BeforeValidator(off_when_none, json_schema_input_type=CompactSection | Off)
    ] = None
    recall: Annotated[
        RecallSection | None, BeforeValidator(off_when_none, json_schema_input_type=RecallSection | Off)
    ] = None
    governance: GovernanceSection | None = None
    compat: Literal["openclaw"] | None = None
    tools: RulesetTools | None = None
    agents: dict[str, AgentScope] = Field(default_factory=dict)
    groups: dict[str, ToolScope] = Field(default_factory=dict)
    recovery: RecoverySection | None = None
    pruning: PruningSection | None = None
    canon: CanonSection | None = None
    provider: ProviderSection | None = None
    auth: WrittenAuth | None = None
    chat: dict[str, Any] | None = None
    answer: AnswerSection = Field(default_factory=AnswerSection)
    input_data: InputSection | None = None
    dataset: DatasetSection | None = None
    runtime: RuntimeSection | None = None
    rolling_front_params: dict[str, Any] | None = None
