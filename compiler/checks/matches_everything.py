"""A pattern tells something from something else.

## What it finds

A regular expression, under `match` or `recall.trigger`, that matches the empty text: `.*`, `x?`, `a|`.

## Why it matters

Patterns are searched for anywhere in a text, and the empty text is in every one: the test always holds.

## Example

    recall: {type: grep, search_fields: [user], trigger: {type: pattern, pattern: ".*"}}

## Instead

    recall: {type: grep, search_fields: [user], trigger: {type: pattern, pattern: "before|again"}}

## Fix

Write what must be there; leave the test out, or use `trigger: always`, if nothing must.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.linear import occurs
from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..match import MatchError, check_regex
from ..problem import KeyPath, quote

CHECK = Check("DCC505", "matches-everything", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    for path, pattern in _patterns(context):
        if _takes_nothing(pattern):
            yield from context.report(
                CHECK,
                path,
                f"the pattern {quote(pattern)} matches any text, even none",
                help="write a pattern that needs at least one character",
            )


def _patterns(context: Context) -> Iterator[tuple[KeyPath, str]]:
    for row in context.rows.values():
        for match in row.match:
            if match.test == "regex":
                yield ("life_cycle", row.name, "match", match.field), match.values[0]
    recall = context.ruleset.recall
    if recall is not None and recall.trigger.type == "pattern" and (recall.trigger.pattern or "").strip():
        yield ("recall", "trigger", "pattern"), recall.trigger.pattern or ""


def _takes_nothing(pattern: str) -> bool:
    try:
        check_regex(pattern)
    except MatchError:
        return False
    return occurs(pattern, "")
