"""The GitHub format: workflow commands that annotate the lines of a pull request, and a summary line.

GitHub shows only so many annotations of a step, so the gravest come first.
"""

from __future__ import annotations

from ..diagnostics import Diagnostic
from ..visible import visible
from . import SEVERITIES, Report, has_place, summary

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report) -> str:
    """The report as workflow commands, with a final line end."""
    gravest = sorted(report.diagnostics, key=lambda d: SEVERITIES.index(d.severity))
    return "\n".join([*map(_command, gravest), summary(report)]) + "\n"


def _command(d: Diagnostic) -> str:
    properties = {"title": f"{d.code} {d.name}", "file": d.path}
    if has_place(d):
        properties |= {"line": str(d.start.line), "endLine": str(d.end.line)}
        if d.start.line == d.end.line:
            # GitHub takes columns only for what stands on one line.
            properties |= {"col": str(d.start.column), "endColumn": str(d.end.column)}
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    message = f"{d.path}:{d.start.line}:{d.start.column}: {d.message}"
    return f"::{_COMMANDS[d.severity]} {shown}::{_data(message + (f'{chr(10)}help: {d.help}' if d.help else ''))}"


def _data(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
