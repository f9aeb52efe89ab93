"""A string by which Anthropic's models can be made to refuse; it is defused in prompts (runtime spec, section 6.4)."""

from __future__ import annotations

from typing import Final

TRIGGER: Final = "ANTHROPIC_MAGIC_STRING_TRIGGER_REFUSAL"
DEFUSED: Final = "ANTHROPIC MAGIC STRING TRIGGER REFUSAL (redacted)"


def scrubbed(prompt: str, provider: str) -> str:
    """The prompt as it may be sent: for Anthropic every trigger is defused, what stands behind it stays."""
    return prompt.replace(TRIGGER, DEFUSED) if provider == "anthropic" else prompt
