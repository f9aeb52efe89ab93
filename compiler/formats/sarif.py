"""The SARIF 2.1.0 format, as code scanning services read it.

Columns count characters (``columnKind``), paths are relative to the folder the command runs in
(``uriBaseId`` ``%SRCROOT%``), and a fingerprint of a finding does not depend on the lines above it.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ... import __version__
from ..canon.lint import every_check
from ..diagnostics import Diagnostic, Fix, Position
from ..source import SourceMap
from ..visible import visible_json
from . import Report, has_place

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def render(report: Report) -> str:
    """The report as one JSON document, with a final line end."""
    found = sorted({d.code for d in report.diagnostics})
    driver = {"name": "dcc", "semanticVersion": __version__, "rules": list(_rules(found))}
    prints = _fingerprints(report)
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, found.index(d.code), prints[i]) for i, d in enumerate(report.diagnostics)],
    }
    return visible_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rules(codes: list[str]) -> Iterator[dict[str, Any]]:
    """The checks that found something, each with its page."""
    checks = {module.CHECK.code: module for module in every_check()}
    for code in codes:
        check, page = checks[code].CHECK, (checks[code].__doc__ or "").strip()
        yield {
            "id": check.code,
            "name": check.name,
            "shortDescription": {"text": page.splitlines()[0]},
            "help": {"text": page, "markdown": page},
            "defaultConfiguration": {"level": _LEVELS[check.severity]},
        }


def _result(d: Diagnostic, rule: int, fingerprint: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": rule,
        "level": _LEVELS[d.severity],
        "message": {"text": d.message + (f"\nhelp: {d.help}" if d.help else "")},
        "locations": [{"physicalLocation": _place(d.path, d.start, d.end, has_place(d))}],
        "partialFingerprints": {"dccFinding/v1": fingerprint},
    }
    if d.related:
        result["relatedLocations"] = [
            {"id": i, "message": {"text": r.message}, "physicalLocation": _place(r.path, r.start, r.end)}
            for i, r in enumerate(d.related)
        ]
    if d.fixes:
        result["fixes"] = [_fix(d.path, fix) for fix in d.fixes]
    return result


def _place(path: str, start: Position, end: Position, region: bool = True) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(path)}
    return place | {"region": _region(start, end)} if region else place


def _region(start: Position, end: Position) -> dict[str, int]:
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
        "charOffset": start.offset,
        "charLength": end.offset - start.offset,
    }


def _fix(path: str, fix: Fix) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(e.start, e.end), "insertedContent": {"text": e.text}} for e in fix.edits
    ]
    title = fix.title if fix.safe else f"{fix.title} (may change what the ruleset means)"
    change = {"artifactLocation": _artifact(path), "replacements": replacements}
    return {"description": {"text": title}, "artifactChanges": [change]}


def _artifact(path: str) -> dict[str, str]:
    """Where a file is: under the source root, or by its full URI when it lies elsewhere."""
    own, here = Path(path), Path.cwd()
    if own.is_absolute() and not own.is_relative_to(here):
        return {"uri": own.as_uri()}
    relative = own.relative_to(here) if own.is_absolute() else own
    return {"uri": quote(os.fsencode(relative.as_posix())), "uriBaseId": "%SRCROOT%"}


def _fingerprints(report: Report) -> list[str]:
    """A fingerprint for each finding: its check, file and line of text, and which of several alike it is."""
    sources = {path: SourceMap(path, text, None) for path, text in report.texts.items()}
    seen: Counter[tuple[str, ...]] = Counter()
    prints = []
    for d in report.diagnostics:
        source = sources.get(d.path)
        line = source.line(d.start.line).strip() if source is not None else ""
        key = (d.code, str(_artifact(d.path)["uri"]), line)
        seen[key] += 1
        prints.append(hashlib.sha256("\0".join((*key, str(seen[key]))).encode("utf-8", "replace")).hexdigest()[:32])
    return prints
