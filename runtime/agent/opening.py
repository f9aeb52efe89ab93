"""What a run works with from its beginning to its end: workspace, provider, tools, prompt (seed 004, steps 1 to 6)."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from ...compiler.program import Program
from ..compaction.compressors import Compressor
from ..kernel.clock import Clock
from ..memory import tool as canon_tool
from ..providers.choose import Choice
from ..providers.protocol import Tool
from ..session import Session
from ..starting import system_of
from ..store.sqlite import SqliteStore
from ..values import GovernanceFlags
from .declared import unruled
from .masked import masked_content, masked_tool
from .masking import Secrets
from .offer import Offer, offer_of, policy_of, served_by
from .profiles.state import ProfileState
from .prompt.report import PromptReport, report_on, schema_text
from .prompt.sections import Part, Section, build_sections
from .prompt.skills import Skills, find_skills
from .request import RunRequest
from .rotation import Rotation, cooldowns_of
from .secret_values import keys_of, secrets_of
from .tools.registry import Toolset, exec_environment, open_toolset
from .tools.store_files import StoreFiles
from .tools.tool import AgentTool, ToolContext
from .tools.workspace import Workspace
from .ways import Reached, reach
from .window import Reserve, Window, agent_flags, reserve_of, window_of
from .workspace_of import workspace_of

#: Folders of skills in a workspace; of two skills with one name the later folder's wins.
SKILL_FOLDERS = ("skills", ".dcc/skills")

#: Tools that can read a file of the workspace, so that a skill is of use.
_READERS = frozenset({"read", "exec"})

#: The file beside the sessions that profiles share their health in.
PROFILES_FILE = "auth-profiles.json"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a run works with. ``flags``: how the session is governed, the window of the model among it."""

    program: Program
    request: RunRequest
    reached: Reached
    secrets: Secrets
    workspace: Workspace
    toolset: Toolset
    environment: Mapping[str, str]
    skills: Skills
    window: Window
    reserve: Reserve
    flags: GovernanceFlags

    def choice(self, model: str) -> Choice:
        """The choice with another model."""
        return replace(self.reached.choice, settings=replace(self.reached.choice.settings, model=model))

    def rotation(self, store: Path, clock: Clock) -> Rotation:
        """The ways to the provider; ``store``: the file of sessions, beside which profiles note their health."""
        auth = self.program.sections.get("auth") or {}
        return Rotation(
            self.reached.ways, clock, ProfileState(store.with_name(PROFILES_FILE)), tuple(auth.get("order") or ()),
            cooldowns_of(auth, self.reached.choice.provider.name), self.request.profile is not None,
        )  # fmt: skip

    def offer(self, served: tuple[Tool, ...], model: str) -> Offer:
        """The tools that exist for a model."""
        table = policy_of(self.program, self.toolset, served)
        provider = self.reached.choice.provider.name
        found = offer_of(table, self.toolset, served, self.request.context, provider, model)
        return replace(found, declarations=tuple(masked_tool(tool, self.secrets) for tool in found.declarations))

    def sections(self, offer: Offer, model: str) -> tuple[Section, ...]:
        """The sections of the system prompt, secrets masked."""
        runtime = (
            ("provider", self.reached.choice.provider.name),
            ("model", model),
            ("workspace", str(self.workspace.path)),
            ("system", platform.system()),
        )
        # Those that the host names it gives a way to read.
        can_read = self.request.skills is not None or offer.allowed & _READERS
        built = build_sections(
            identity=system_of(self.program), tools=offer.declarations, skills=self.skills if can_read else Skills(()),
            workspace=self.workspace.path, runtime=runtime, has_canon=canon_tool.NAME in offer.served,
        )  # fmt: skip
        return tuple(_masked(section, self.secrets) for section in built)

    def tool_context(self, deadline_s: float) -> ToolContext:
        """Where a tool call is carried out."""
        return ToolContext(self.workspace, self.request.abort, deadline_s, self.environment)

    def notices(self) -> Iterator[tuple[str, str]]:
        """What is to be said of what could not be had: (code, message)."""
        yield from unruled(self.program, self.request.context)
        for name in self.reached.without_key:
            yield "profile_without_key", f"the profile {name} is left out: its key is not there"
        for problem in self.toolset.problems:
            yield "plugin_left_out", f"{problem.plugin}: {problem.message}"
        for message in self.skills.left_out:
            yield "skill_left_out", f"a skill is left out: {message}"
        if self.skills.more:
            named, more = len(self.skills.found), len(self.skills.more)
            yield "skills_not_named", f"the prompt has room for {named:,} of {named + more:,} skills"
        if self.window.is_small:
            yield "small_window", f"the window of {self.window.tokens:,} tokens is small for an agent"
        if self.reserve.capped:
            kept = f"{self.reserve.tokens:,} are kept free for the answer, not more"
            yield "reserve_capped", f"of a window of {self.window.tokens:,} tokens {kept}"


def open_setting(
    request: RunRequest,
    program: Program,
    *,
    environ: Mapping[str, str],
    tools: Iterable[AgentTool],
    closing: ExitStack,
    store: Path,
    entry_points: bool = True,
) -> Setting:
    """Open everything that a run needs but its session, which is kept in ``store``; ``closing`` ends it.

    Raises ToolError (``bad_workspace``) and ProviderError.
    """
    folder = workspace_of(program, request.context.agent, Path.cwd())
    workspace = closing.enter_context(Workspace(folder, StoreFiles(store, (PROFILES_FILE,))))
    held = secrets_of(program, environ)
    reached = reach(program, request, environ)
    section = program.sections.get("tools")
    opened = open_toolset(
        section, workspace, environ=environ, secrets=keys_of(program, environ), more=tools,
        entry_points=entry_points, abort=request.abort, starting_s=request.timeout_s,
    )  # fmt: skip
    toolset = closing.enter_context(opened)
    governance = program.sections.get("governance") or {}
    window = window_of(ruleset=governance.get("window"), model=request.flags.window, names=reached.models)
    written = governance.get("reserve")
    reserve = reserve_of(window.tokens, configured=(request.flags.reserve or None) if written is None else written)
    skills = find_skills(workspace, SKILL_FOLDERS) if request.skills is None else Skills(tuple(request.skills))
    return Setting(
        program, request, reached, Secrets(held), workspace, toolset, exec_environment(section, environ, held),
        skills.within(window.tokens), window, reserve,
        agent_flags(request.flags, window, reserve, is_governed="governance" in program.sections),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prompted:
    """What a model is told before the conversation: the system texts, the tools, and what both cost."""

    model: str
    texts: tuple[str, ...]
    offer: Offer
    report: PromptReport

    def tell(self, session: Session) -> None:
        """Have a session speak to this model, with these texts and tools."""
        session.use_system(self.texts)
        session.use_host(self.model, "\n".join(map(schema_text, self.offer.declarations)))


def prompted(setting: Setting, session: Session | None, model: str) -> Prompted:
    """The prompt of a model in a session; None: one that is still to be begun."""
    # Which tools a session serves it alone knows: one that is not there yet is asked in memory.
    served = served_by(session or Session.create(setting.program, flags=setting.flags))
    offer = setting.offer(served, model)
    sections = setting.sections(offer, model)
    return Prompted(model, tuple(s.text for s in sections), offer, report_on(sections, offer.declarations))


def open_session(
    setting: Setting, store: SqliteStore, model: str, clock: Clock, compressor: Compressor
) -> tuple[Session, Prompted]:
    """The session of a store, new or taken up again; with the sections of the prompt as they are now."""
    program, flags = setting.program, setting.flags
    if store.last:
        session = Session.open(store, program, clock=clock, compressor=compressor, flags=flags)
        found = prompted(setting, session, model)
    else:
        found = prompted(setting, None, model)
        session = Session.create(
            program, store=store, system=found.texts, folder=str(setting.workspace.real), clock=clock,
            compressor=compressor, flags=flags, late=True,
        )  # fmt: skip
    # What the session itself brings in, such as articles of the project's memory, is masked there.
    session.use_mask(lambda content: masked_content(content, setting.secrets))
    found.tell(session)
    return session, found


def _masked(section: Section, secrets: Secrets) -> Section:
    parts = tuple(Part(secrets.mask(part.name), secrets.mask(part.text)) for part in section.parts)
    return Section(section.name, secrets.mask(section.head), parts, secrets.mask(section.tail))
