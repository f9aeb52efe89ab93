"""Report formats, one a file: ``text`` for people, ``concise`` for one line each, the rest for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...grammar.ast import Severity
from ..counted import counted
from ..diagnostics import START, Diagnostic

#: The severities from the gravest to the lightest.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Report:
    """What a run of checks found. ``files`` counts the rulesets and scenarios that were checked, ``paths`` names them.

    ``texts`` holds the text of each path, for excerpts; ``colour`` is for terminals. ``mended`` are findings
    that are gone because they were fixed. ``failing`` are the severities that fail the run;
    ``statistics`` asks for counts of each check. ``tried`` says which fixes were made where they could be.
    """

    diagnostics: tuple[Diagnostic, ...]
    files: int
    texts: Mapping[str, str] = field(default_factory=dict)
    colour: bool = False
    paths: tuple[str, ...] = ()
    mended: tuple[Diagnostic, ...] = ()
    failing: tuple[Severity, ...] = ("error",)
    statistics: bool = False
    tried: Literal["none", "safe", "all"] = "none"


def summary(report: Report) -> str:
    """One line that says how it went."""
    counts = [(kind, sum(d.severity == kind for d in report.diagnostics)) for kind in SEVERITIES]
    found = [counted(n, "note" if kind == "info" else kind) for kind, n in counts if n]
    parts = [f"{', '.join(found) or 'no findings'} in {counted(report.files, 'file')}"]
    if report.mended:
        parts.append(f"{len(report.mended)} fixed")
    safe = sum(any(fix.safe for fix in d.fixes) for d in report.diagnostics)
    unsafe = sum(bool(d.fixes) for d in report.diagnostics) - safe
    offers = [f"{safe} by --fix"] if safe and report.tried == "none" else []
    offers += [f"{unsafe} by --fix --unsafe-fixes"] if unsafe and report.tried != "all" else []
    if offers:
        parts.append(f"can be fixed: {', '.join(offers)}")
    return "; ".join(parts)


def has_place(diagnostic: Diagnostic) -> bool:
    """Whether a finding points at a piece of text; one that does not is about the file as a whole."""
    return not diagnostic.start == diagnostic.end == START
