"""What a run is asked: one prompt, and everything that it is to be answered with (the first box of seed 004)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from ..kernel.content import Image
from ..providers.abort import Abort
from ..providers.protocol import OnText, Think, ignore
from ..values import GovernanceFlags
from .prompt.skills import Skill

ThinkLevel = Literal["off", "minimal", "low", "medium", "high", "xhigh"]

#: The six levels of the seed as a ruleset names them.
THINK: Final[Mapping[ThinkLevel, Think]] = {
    "off": "none", "minimal": "minimal", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh",
}  # fmt: skip

#: What becomes of a turn that a crash or an error left open: gone on with, committed as it is, or taken out of view.
OpenTurn = Literal["continue", "keep", "drop"]

OnTool = Callable[[str, str], None]
OnNotice = Callable[[str, str], None]


def _quiet(name: str, what: str) -> None:
    """The callback of a host that does not follow the tools."""


@dataclass(frozen=True, slots=True)
class Callbacks:
    """What a host may follow while a run goes on, in the run's thread.

    ``on_text`` and ``on_thinking`` get pieces of the reply as they come, secrets masked; ``on_tool`` gets a tool's name
    and ``started`` or ``done``; ``on_notice`` a notice's code and message.
    """

    on_text: OnText = ignore
    on_thinking: OnText = ignore
    on_tool: OnTool = _quiet
    on_notice: OnNotice = _quiet


@dataclass(frozen=True, slots=True)
class RunContext:
    """Who runs, and for whom: tool policies ask for it.

    ``depth`` is 0 for an agent that a person started, 1 for one that it started, and so on. ``sandbox``: the run is in
    a sandbox of the host's.
    """

    agent: str | None = None
    group: str | None = None
    sender_is_owner: bool = True
    depth: int = 0
    sandbox: bool = False


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run. What is None is taken from the ruleset (``config``) or its default.

    ``session_file`` is the file of sessions, ``session`` the id in it (None: a new one). ``config`` is a ruleset, by
    name, path or inline mapping; None: the rules that a stored session keeps, else ``standard``. ``timeout_s`` bounds
    the whole run, in seconds. ``profile``: the one that is used, whatever it comes to. ``open_turn``: what becomes of
    a turn that was left open; the ``prompt`` may be blank when it is gone on with. ``flags``: how the session is
    governed.
    """

    prompt: str
    images: tuple[Image, ...] = ()
    session_file: Path | None = None
    session: str | None = None
    config: str | Mapping[str, Any] | None = None
    skills: tuple[Skill, ...] | None = None
    think: ThinkLevel | None = None
    provider: str | None = None
    model: str | None = None
    abort: Abort = field(default_factory=Abort)
    timeout_s: float = 600.0
    callbacks: Callbacks = Callbacks()
    context: RunContext = RunContext()
    profile: str | None = None
    open_turn: OpenTurn = "keep"
    flags: GovernanceFlags = field(default_factory=GovernanceFlags)
