"""Every report format prints what tests/conformance/reports holds: for no finding, one, many, a whole file.

After a change that is meant, ``python tests/compiler/test_reports.py`` writes the pages anew; read their diff.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dcc import __version__
from dcc.compiler.diagnostics import Diagnostic
from dcc.compiler.files import check_file
from dcc.compiler.formats import Report, sarif

PAGES = Path(__file__).parents[1] / "conformance" / "reports"

FORMATS = {"text": "txt", "concise": "txt", "json": "json", "sarif": "json", "github": "txt", "junit": "xml",
           "statistics": "txt"}  # fmt: skip

MANY = """\
context: {roles: {目标🎯: 用户}}
life_cycle:
  a: [5, 3]
  b: [born, cycle]
  user: [born, null]
  user: [born, null]
canon: {surface: on}
"""


def report(*files: tuple[str, str | bytes]) -> Report:
    """The report of checking texts by their paths."""
    found = [d for path, text in files for d in check_file(path, text).diagnostics]
    texts = {path: text if isinstance(text, str) else "" for path, text in files}
    return Report(tuple(found), len(files), texts, paths=tuple(texts))


REPORTS = {
    "none": report(("rules/a.yaml", "life_cycle: {}\n")),
    "one": report(("rules/a b,c:d.yaml", "compcat: none\n")),
    "many": report(("a.yaml", MANY), ("b.yaml", "life_cycle: {}\n"), ("c.yaml", "a: [")),
    "whole-file": report(("a.yaml", b"\xff\xfe"), ("b.yaml", "")),
}

CASES = [(name, format) for name in REPORTS for format in FORMATS]


def rendered(name: str, format: str) -> str:
    text: str = import_module(f"dcc.compiler.formats.{format}").render(REPORTS[name])
    return text.replace(f'"semanticVersion": "{__version__}"', '"semanticVersion": "@VERSION@"')


def page(name: str, format: str) -> Path:
    return PAGES / f"{name}.{format}.{FORMATS[format]}"


@pytest.mark.parametrize(("name", "format"), CASES)
def test_page(name: str, format: str) -> None:
    assert rendered(name, format) == page(name, format).read_text("utf-8")


@pytest.mark.parametrize("name", REPORTS)
def test_sarif_is_valid(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((PAGES / "sarif.schema.json").read_text("utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.Draft7Validator(schema).validate(json.loads(sarif.render(REPORTS[name])))


def test_sarif_rules_stand_where_results_say() -> None:
    (run,) = json.loads(sarif.render(REPORTS["many"]))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [r["ruleId"] for r in run["results"]]
    assert sorted(set(rules)) == rules


def _fingerprints(text: str) -> list[str]:
    (run,) = json.loads(sarif.render(report(("a.yaml", text))))["runs"]
    return [result["partialFingerprints"]["dccFinding/v1"] for result in run["results"]]


def test_a_fingerprint_is_that_of_its_line_wherever_it_moves() -> None:
    bad = "life_cycle:\n  a: [5, 3]\n"
    assert _fingerprints(bad) == _fingerprints(f"# a comment\n\n{bad}")
    assert _fingerprints(bad) != _fingerprints("life_cycle:\n  a: [6, 3]\n")


def test_findings_that_look_alike_have_fingerprints_of_their_own() -> None:
    agents = "agents:\n  a: {tools: {x: 1}}\n  b: {tools: {x: 1}}\n"
    prints = _fingerprints(f"canon: {{surface: on,\nresurface: on}}\n{agents}")
    assert len(set(prints)) == len(prints) == 4


def test_a_path_outside_of_the_folder_is_a_full_uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    paths = "/a b.yaml", str(tmp_path / "é.yaml")
    found = [Diagnostic("DCC103", "wrong-value", "error", "x", path) for path in paths]
    (run,) = json.loads(sarif.render(Report(tuple(found), 2)))["runs"]
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"] for result in run["results"]]
    assert places == [{"uri": "file:///a%20b.yaml"}, {"uri": "%C3%A9.yaml", "uriBaseId": "%SRCROOT%"}]


def test_github_hides_nothing_in_its_commands() -> None:
    found = Diagnostic("DCC103", "wrong-value", "info", "50%\r\nof a: b, c", "a,b:c.yaml")
    line = import_module("dcc.compiler.formats.github").render(Report((found,), 1)).splitlines()[0]
    assert line == (
        "::notice title=DCC103 wrong-value,file=a%2Cb%3Ac.yaml::a,b:c.yaml:1:1: 50%25%0D%0Aof a: b, c"
    )


def test_junit_holds_any_text() -> None:
    found = Diagnostic("DCC103", "wrong-value", "warning", "a\x00\x1b<&>\ud800", "a&b.yaml")
    text = import_module("dcc.compiler.formats.junit").render(Report((found,), 1, failing=("error", "warning")))
    suite = ElementTree.fromstring(text.encode())
    failure = suite.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("message") == "a��<&>�"


def test_junit_fails_what_the_run_fails() -> None:
    text = import_module("dcc.compiler.formats.junit").render(REPORTS["many"])
    suites = ElementTree.fromstring(text.encode())
    assert [(suite.get("name"), suite.get("failures")) for suite in suites] == [
        ("a.yaml", "4"), ("b.yaml", "0"), ("c.yaml", "1")
    ]  # fmt: skip


def main() -> None:
    """Write every page anew."""
    for name, format in CASES:
        page(name, format).write_text(rendered(name, format), encoding="utf-8")


if __name__ == "__main__":
    main()
