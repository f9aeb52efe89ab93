"""Ending templates: two styles, content is always data."""

from __future__ import annotations

import pytest

from dcc.compiler.template import TemplateError, check_template, render_template

HOSTILE = "{content} {element} {{ element }} {% x %} $& $1 \\1 {0}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("END {element}: {content}", f"END goal: {HOSTILE}"),
        ("{content} and {content}", f"{HOSTILE} and {HOSTILE}"),
        ("  no holes \n", "no holes"),
        ("a lone } then {", "a lone } then {"),
        ("END {{ element }}: {{ content }}", f"END goal: {HOSTILE}"),
        ("{{ element | upper }}", "GOAL"),
        ("{% if content %}{{ element ~ '!' }}{% else %}none{% endif %}", "goal!"),
        ("{# quiet #}done", "done"),
    ],
)
def test_filled_in_one_pass(source: str, expected: str) -> None:
    assert render_template(check_template(source), "goal", HOSTILE) == expected


@pytest.mark.parametrize(
    ("source", "start", "end"),
    [
        ("", 0, 0),
        (" \n ", 0, 3),
        ("a {nope} b", 2, 8),
        ("a {} b", 2, 4),
        ("  a { b } c", 4, 9),
        ("  {{ nope }}", 2, 12),
        ("a {element.x}", 2, 13),
        ("one\n{{ nope }}\n", 4, 14),
        ("{{ element.__class__ }}", 0, 23),
        ("{{ element() }}", 0, 15),
        ("{{ content * 999999999 }}", 0, 25),
        ("{{ range(9) }}", 0, 14),
        ("{{ content | center(999999999) }}", 0, 33),
        ("{% set x = 1 %}", 0, 15),
        ("{% include 'x' %}", 0, 17),
        ("{{ element", 0, 10),
        ("{{ element | nope }}", 0, 20),
    ],
)
def test_refused_with_a_place(source: str, start: int, end: int) -> None:
    with pytest.raises(TemplateError) as caught:
        check_template(source)
    assert (caught.value.span.start, caught.value.span.end) == (start, end)
    assert caught.value.code == "bad_template"
    assert caught.value.help


def test_the_style_is_told() -> None:
    assert check_template("{element}").style == "plain"
    assert check_template("{{ element }}").style == "jinja"


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    with pytest.raises(TemplateError):
        check_template("{{ " + "(" * 5000 + "element" + ")" * 5000 + " }}")
