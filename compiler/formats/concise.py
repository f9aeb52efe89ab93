"""The concise format: ``path:line:column: severity CODE name message``, one line a finding, and a summary."""

from __future__ import annotations

from ..visible import visible, visible_line
from . import Report, summary


def render(report: Report) -> str:
    """The report with one line for each finding, and a final line end."""
    lines = [
        f"{visible_line(d.path)}:{d.start.line}:{d.start.column}: {d.severity} {d.code} {d.name}: {visible(d.message)}"
        for d in report.diagnostics
    ]
    return "\n".join([*lines, summary(report)]) + "\n"
