"""Report formats, one a file: ``text`` for people, ``concise`` for one line each, ``json`` for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Report:
    """What a run of checks found. ``files`` counts the rulesets that were checked.

    ``texts`` holds the text of each path, for excerpts; ``colour`` is for terminals.
    """

    diagnostics: tuple[Diagnostic, ...]
    files: int
    texts: Mapping[str, str] = field(default_factory=dict)
    colour: bool = False
