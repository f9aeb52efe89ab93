"""What a ruleset says of recall, as the runtime uses it."""

from __future__ import annotations

from dataclasses import dataclass

from ...compiler.program import Program


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """The ``recall`` section.

    ``on``: messages may recall by themselves; ``fields``: the elements that are searched; ``trigger`` is always,
    never, manual or pattern; at most ``top_k`` lines of at least ``min_score`` common tokens are found.
    """

    on: bool = False
    fields: tuple[str, ...] = ()
    trigger: str = "always"
    pattern: str = ""
    top_k: int = 3
    min_score: int = 1
    instruction: str | None = None


def recall_settings(program: Program) -> RecallSettings:
    """The settings of a program; without a section recall is off, and asked for by hand it searches everything.

    A hit has at least one token in common with the query: ``min_score: 0`` is read as 1.
    """
    section = program.sections.get("recall")
    if section is None:
        return RecallSettings()
    return RecallSettings(
        on=section["type"] != "none",
        fields=tuple(section["search_fields"]),
        trigger=section["trigger"]["type"],
        pattern=section["trigger"]["pattern"] or "",
        top_k=section["top_k"],
        min_score=max(1, section["min_score"]),
        instruction=section["instruction"],
    )
