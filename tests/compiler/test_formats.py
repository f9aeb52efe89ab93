"""Report formats: text with excerpts, one line each, JSON."""

from __future__ import annotations

import json

from dcc.compiler.formats import Report, concise, text
from dcc.compiler.formats import json as json_format
from dcc.compiler.load import check_source

SOURCE = "context: {roles: {目标🎯: 用户}}\nlife_cycle:\n  a: [5, 3]\n"
REPORT = Report(check_source("a.yaml", SOURCE).diagnostics, 1, {"a.yaml": SOURCE})


def test_text() -> None:
    assert (
        text.render(REPORT)
        == """\
error[DCC103 wrong-value]: context.roles.目标🎯 is `用户`, expected assistant, system, tool or user
  --> a.yaml:1:24
    |
  1 | context: {roles: {目标🎯: 用户}}
    |                           ^^^^
  help: write assistant, system, tool or user

error[DCC205 end-before-start]: the rule of `a` ends at 3, before its start 5
  --> a.yaml:3:10
    |
  3 |   a: [5, 3]
    |          ^
  the start is here:
  --> a.yaml:3:7
    |
  3 |   a: [5, 3]
    |       ^
  help: end it at its start or later
  fix: swap the bounds (--fix --unsafe-fixes)

2 errors in 1 file; can be fixed: 1 by --fix --unsafe-fixes
"""
    )


def test_concise() -> None:
    assert concise.render(REPORT).splitlines() == [
        "a.yaml:1:24: error DCC103 wrong-value: context.roles.目标🎯 is `用户`, expected assistant, system,"
        " tool or user",
        "a.yaml:3:10: error DCC205 end-before-start: the rule of `a` ends at 3, before its start 5",
        "2 errors in 1 file; can be fixed: 1 by --fix --unsafe-fixes",
    ]


def test_json() -> None:
    document = json.loads(json_format.render(REPORT))
    assert (document["schema_version"], document["files"]) == (1, 1)
    assert document["diagnostics"][1] == {
        "code": "DCC205",
        "name": "end-before-start",
        "severity": "error",
        "message": "the rule of `a` ends at 3, before its start 5",
        "path": "a.yaml",
        "start": {"line": 3, "column": 10, "offset": 49},
        "end": {"line": 3, "column": 11, "offset": 50},
        "related": [
            {
                "message": "the start is here",
                "path": "a.yaml",
                "start": {"line": 3, "column": 7, "offset": 46},
                "end": {"line": 3, "column": 8, "offset": 47},
            }
        ],
        "help": "end it at its start or later",
        "fixes": [
            {
                "title": "swap the bounds",
                "safe": False,
                "edits": [
                    {
                        "start": {"line": 3, "column": 7, "offset": 46},
                        "end": {"line": 3, "column": 8, "offset": 47},
                        "text": "3",
                    },
                    {
                        "start": {"line": 3, "column": 10, "offset": 49},
                        "end": {"line": 3, "column": 11, "offset": 50},
                        "text": "5",
                    },
                ],
            }
        ],
        "witness": {"element": "a", "turn": 1},
    }


def test_nothing_found() -> None:
    assert text.render(Report((), 2)) == "no findings in 2 files\n"


def test_a_finding_without_its_text() -> None:
    (found,) = check_source("b.yaml", b"\xff\xfe").diagnostics
    assert "b.yaml:1:1" in text.render(Report((found,), 1))


def test_a_long_line_is_cut_around_the_place() -> None:
    source = f"chat: {{a: '{'界' * 90}'}}\nrecall: {{instruction: {'x' * 200}, top_k: many}}\n"
    shown = text.render(Report(check_source("c.yaml", source).diagnostics, 1, {"c.yaml": source}))
    line, carets = shown.splitlines()[3:5]
    assert "top_k: many" in line
    assert carets.index("^") == line.index("many")
    assert len(line) < 120


def test_no_control_character_reaches_the_terminal() -> None:
    source = "name: a\x1b[31m"
    assert "\x1b" not in text.render(
        Report(check_source("d.yaml", source).diagnostics, 1, {"d.yaml": source})
    )


def test_colour_is_asked_for() -> None:
    assert "\x1b[31;1m" in text.render(Report(REPORT.diagnostics, 1, REPORT.texts, colour=True))
    assert "\x1b" not in text.render(REPORT)


def test_a_fix_is_told_in_json() -> None:
    source = "canon: {surface: on}"
    document = json.loads(json_format.render(Report(check_source("e.yaml", source).diagnostics, 1)))
    fixes = document["diagnostics"][0]["fixes"]
    told = [(fix["title"], fix["safe"], fix["edits"][0]["text"]) for fix in fixes]
    assert told == [("write true", True, "true"), ("put it in quotes", True, '"on"')]
