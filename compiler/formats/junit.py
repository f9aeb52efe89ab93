"""The JUnit format: a suite a file, a case a finding. A file without findings is one case that passed.

A finding that does not fail the run (``--fail-on``) is a case that passed and says what was found.
"""

from __future__ import annotations

import re
from itertools import groupby
from xml.etree import ElementTree as xml

from ..diagnostics import Diagnostic
from ..visible import visible_xml
from . import Report

#: What XML 1.0 cannot hold.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    """The report as one XML document, with a final line end."""
    root = xml.Element("testsuites", name="dcc check")
    found = {path: list(group) for path, group in groupby(report.diagnostics, key=lambda d: d.path)}
    for path in sorted({*report.paths, *found}):
        cases = [_case(d, d.severity in report.failing) for d in found.get(path, ())]
        suite = xml.SubElement(root, "testsuite", name=_clean(path))
        suite.extend(cases or [xml.Element("testcase", name="dcc check", classname=_clean(path))])
        _count(suite, [suite])
    _count(root, list(root))
    xml.indent(root, " ")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{visible_xml(xml.tostring(root, encoding="unicode"))}\n'


def _case(d: Diagnostic, fails: bool) -> xml.Element:
    case = xml.Element("testcase", name=f"{d.code} {d.name}", classname=_clean(d.path))
    case.set("file", _clean(d.path))
    case.set("line", str(d.start.line))
    text = f"{d.path}:{d.start.line}:{d.start.column}: {d.message}" + (f"\nhelp: {d.help}" if d.help else "")
    if fails:
        failure = xml.SubElement(case, "failure", type=d.severity, message=_clean(d.message))
        failure.text = _clean(text)
    else:
        xml.SubElement(case, "system-out").text = _clean(f"{d.severity}: {text}")
    return case


def _count(element: xml.Element, suites: list[xml.Element]) -> None:
    """Say how many cases there are in suites, and how many of them failed."""
    element.set("tests", str(sum(len(suite.findall("testcase")) for suite in suites)))
    element.set("failures", str(sum(len(suite.findall("testcase/failure")) for suite in suites)))
    element.set("errors", "0")


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("�", text)
