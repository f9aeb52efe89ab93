"""The JSON format: one document, the shape of contracts.md (``dcc check``)."""

from __future__ import annotations

from dataclasses import asdict

from ..visible import visible_json
from . import Report
from .statistics import rows

#: Version of the document's shape.
SCHEMA_VERSION = 1


def render(report: Report) -> str:
    """The report as one JSON document, with a final line end."""
    document: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "files": report.files,
        "diagnostics": [asdict(diagnostic) for diagnostic in report.diagnostics],
        "fixed": len(report.mended),
    }
    if report.statistics:
        document["statistics"] = rows(report)
    return visible_json(document, indent=1) + "\n"
