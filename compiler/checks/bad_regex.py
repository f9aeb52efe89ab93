"""Regular expressions run in linear time.

## What it finds

A pattern, under `match` or `recall.trigger`, that RE2 does not take: an open bracket, look-around, a back-
reference.

## Why it matters

Patterns run on text that models and tools write; one that backtracks can hang a session.

## Example

    recall:
      type: grep
      search_fields: [user]
      trigger: {type: pattern, pattern: "(?=again)"}

## Instead

    recall:
      type: grep
      search_fields: [user]
      trigger: {type: pattern, pattern: "again|before"}

## Fix

Write it without look-around and back-references; `|`, classes and repeats are all there.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..match import MatchError, check_regex, match_field
from ..problem import KeyPath

CHECK = Check("DCC211", "bad-regex", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    for name, entry in context.ruleset.life_cycle.items():
        for field, values in entry.match.items():
            try:
                match_field(field, values)
            except MatchError as error:
                if error.check == CHECK.name:
                    path: KeyPath = ("life_cycle", name, "match", field)
                    yield from context.report(CHECK, path, error.message, help=error.help or "")
    recall = context.ruleset.recall
    if recall is not None and recall.trigger.pattern is not None:
        try:
            check_regex(recall.trigger.pattern)
        except MatchError as error:
            path = ("recall", "trigger", "pattern")
            yield from context.report(CHECK, path, error.message, help=error.help or "")
