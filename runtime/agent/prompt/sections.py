"""The sections of the system prompt, in order: identity, tools, skills, workspace files, runtime, canon.

Nothing in them changes from call to call: a request's prefix stays as it is for as long as the session runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ....compiler.reading import read_source
from ...providers.protocol import Tool
from .skills import HEAD as SKILLS_HEAD
from .skills import Skills

#: Files of a workspace that are put into the prompt where they are there.
WORKSPACE_FILES: Final = ("AGENTS.md", "CLAUDE.md")

#: Characters of a workspace file that the prompt holds; its head and its tail.
LONGEST_FILE: Final = 20_000

IDENTITY: Final = (
    "You are an agent that works in a folder of files with the tools below. Do what you are asked, check what you "
    "did, and say plainly what you could not do."
)

CANON: Final = (
    "Project knowledge: canon holds what is true of this project beyond this conversation, in articles at the paths "
    "of what they govern. Lines that begin with an address come from it. Read the article before you rely on its "
    "details, and write what is true now after a change that lasts."
)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a section that is reported by itself: a skill or a file."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its name, what stands before its parts, the parts, and what stands behind them."""

    name: str
    head: str
    parts: tuple[Part, ...] = ()
    tail: str = ""

    @property
    def text(self) -> str:
        """The section as the model reads it."""
        return "\n".join((self.head, *(part.text for part in self.parts), *([self.tail] if self.tail else ())))


def build_sections(
    *,
    identity: str | None,
    tools: Sequence[Tool],
    skills: Skills,
    workspace: Path | None,
    runtime: Sequence[tuple[str, str]],
    has_canon: bool,
) -> tuple[Section, ...]:
    """The sections that have something to say.

    ``identity``: the ruleset's ``runtime.system`` text (None: a short one of dcc's own). ``runtime``: names and values
    that hold for the whole session (a provider, a model, a system). ``has_canon``: whether there is a memory of the
    project.
    """
    sections = [Section("identity", identity or IDENTITY)]
    if tools:
        lines = tuple(Part(tool.name, f"- {tool.name}: {_first_line(tool.description)}") for tool in tools)
        sections.append(Section("tools", "Tools:", lines))
    if skills.found or skills.more:
        lines = tuple(Part(skill.name, skill.line) for skill in skills.found)
        sections.append(Section("skills", SKILLS_HEAD, lines, skills.tail))
    files = _workspace_files(workspace)
    if files:
        sections.append(Section("workspace", "Files of the workspace that hold for all work in it:", files))
    if runtime:
        lines = tuple(Part(name, f"{name}: {value}") for name, value in runtime)
        sections.append(Section("runtime", "Runtime:", lines))
    if has_canon:
        sections.append(Section("canon", CANON))
    return tuple(sections)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _workspace_files(workspace: Path | None) -> tuple[Part, ...]:
    found: list[Part] = []
    for name in WORKSPACE_FILES if workspace is not None else ():
        assert workspace is not None
        text = _text_of(workspace / name, workspace)
        if text is None:
            continue
        found.append(Part(name, f"<file path={name!r}>\n{_shortened(text.strip())}\n</file>"))
    return tuple(found)


def _text_of(file: Path, workspace: Path) -> str | None:
    """The text of a file; None: it cannot be read, is a pipe, or a link that leads out of the workspace."""
    try:
        if not file.resolve(strict=True).is_relative_to(workspace.resolve()):
            return None
        return read_source(file).decode("utf-8", "replace")
    except (OSError, RuntimeError):  # RuntimeError: links that go in a circle
        return None


def _shortened(text: str) -> str:
    """The text, or its head and tail around a line that says how much is left out."""
    if len(text) <= LONGEST_FILE:
        return text
    head, tail = text[: LONGEST_FILE * 3 // 4], text[-LONGEST_FILE // 4 :]
    return f"{head}\n[... {len(text) - len(head) - len(tail)} characters left out ...]\n{tail}"
