"""Prompts of summaries: ``{content}`` or ``{{ content }}`` is where the transcript goes. The transcript is data."""

from __future__ import annotations

import re

_HOLE = re.compile(r"\{\{\s*content\s*\}\}|\{content\}")


def has_hole(prompt: str) -> bool:
    """Whether a prompt has a place for the transcript."""
    return _HOLE.search(prompt) is not None


def fill_prompt(prompt: str, content: str) -> str:
    """The prompt with ``content`` in its place, in a single pass; all other braces stay as they are."""
    return _HOLE.sub(lambda _: content, prompt)
