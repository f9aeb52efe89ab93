"""The report of the system prompt: what each section, tool schema, skill and file costs, in tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...kernel.tokens import count_text, count_tokens
from ...providers.protocol import Tool
from .sections import Section


@dataclass(frozen=True, slots=True)
class PromptReport:
    """Tokens by the one counter. ``sections`` and ``schemas`` add up to ``total``; skills and files are parts."""

    sections: tuple[tuple[str, int], ...]
    schemas: tuple[tuple[str, int], ...]
    skills: tuple[tuple[str, int], ...]
    files: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """All sections and all schemas."""
        return sum(tokens for _, tokens in (*self.sections, *self.schemas))

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON."""
        lists = {"sections": self.sections, "schemas": self.schemas, "skills": self.skills, "files": self.files}
        return {
            "total": self.total,
            **{name: [{"name": n, "tokens": tokens} for n, tokens in rows] for name, rows in lists.items()},
        }


def report_on(sections: Sequence[Section], tools: Sequence[Tool]) -> PromptReport:
    """The report of a prompt's sections and of the schemas that go out beside it."""
    parts = {section.name: section.parts for section in sections}
    return PromptReport(
        tuple((section.name, count_tokens(section.text)) for section in sections),
        tuple((tool.name, schema_tokens(tool)) for tool in tools),
        tuple((part.name, count_text(part.text)) for part in parts.get("skills", ())),
        tuple((part.name, count_text(part.text)) for part in parts.get("workspace", ())),
    )


def schema_text(tool: Tool) -> str:
    """A tool's name, description and schema as they go out, near enough to be counted."""
    return json.dumps([tool.name, tool.description, dict(tool.parameters)], ensure_ascii=False, separators=(",", ":"))


def schema_tokens(tool: Tool) -> int:
    """The tokens of a tool's name, description and schema."""
    return count_text(schema_text(tool))
