"""How often each check found something: a table for people, rows for programs."""

from __future__ import annotations

from collections import Counter
from typing import Any

from . import Report, summary


def rows(report: Report) -> list[dict[str, Any]]:
    """One row for each check that found something, the most frequent first."""
    counts = Counter((d.code, d.name, d.severity) for d in report.diagnostics)
    fixable = Counter(d.code for d in report.diagnostics if d.fixes)
    return [
        {"code": code, "name": name, "severity": severity, "count": n, "fixable": fixable[code]}
        for (code, name, severity), n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def render(report: Report) -> str:
    """The rows as aligned lines, and the summary, with a final line end."""
    found = rows(report)
    width = max((len(str(row["count"])) for row in found), default=0)
    names = max((len(row["name"]) for row in found), default=0)
    lines = [
        f"{row['count']:>{width}}  {row['code']} {row['name']:{names}} {row['severity']:7}"
        + (f"  {row['fixable']} with a fix" if row["fixable"] else "")
        for row in found
    ]
    return "\n".join([*(line.rstrip() for line in lines), summary(report)]) + "\n"
