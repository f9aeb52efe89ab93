"""``match`` of a refinement: its fields, how they are tested, and regular expressions in linear time."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ..grammar.errors import DccError
from ..grammar.linear import compiled
from .ir.life_cycle import Entry
from .program import Match

#: The fields with a name of their own (language.md section 2); any other is ``args.<path>``.
FIELDS = ("tool", "is_error", "tokens", "args.<path>")

_ARGS = re.compile(r"args(?:\.[^.\s]+)+")
_AT_LEAST = re.compile(r">=\s*([0-9]{1,9})")


class MatchError(DccError):
    """A bad ``match`` field or regular expression; ``check`` names the check that owns it."""

    def __init__(self, check: str, message: str, help: str) -> None:
        super().__init__(check.replace("-", "_"), message, help=help)
        self.check = check


def is_args_path(text: str) -> bool:
    """Whether a text is ``args.<path>``, the way to an argument of a tool call."""
    return _ARGS.fullmatch(text) is not None


def lower_match(entry: Entry) -> tuple[Match, ...]:
    """The tests of a refinement. Raises ``MatchError``."""
    return tuple(match_field(field, values) for field, values in entry.match.items())


def match_field(field: str, values: tuple[Any, ...]) -> Match:
    """One test: a value is equal, several are any of, ``/…/`` is a regular expression, ``>=n`` counts tokens.

    Raises ``MatchError`` with the check ``bad-match`` or ``bad-regex``.
    """
    if field == "tokens":
        return Match(field, "at_least", (_tokens(values),))
    if field == "is_error":
        if not all(isinstance(value, bool) for value in values) or not values:
            raise MatchError("bad-match", "is_error is true or false", "write `is_error: true`")
        return Match(field, "equal", values)
    if field != "tool" and not is_args_path(field):
        raise MatchError(
            "bad-match",
            f"unknown match field `{field}`",
            f"the fields are {', '.join(FIELDS[:-1])} and {FIELDS[-1]}",
        )
    if not values:
        raise MatchError("bad-match", f"{field} has no value to match", "name at least one value")
    if field == "tool" and not all(isinstance(value, str) for value in values):
        raise MatchError("bad-match", "a tool is named by text", "put the name in quotes")
    patterns = [value[1:-1] for value in values if _is_regex(value)]
    if not patterns:
        return Match(field, "equal", values)
    if len(values) > 1:
        help = "write one regular expression with `|`, such as /^(read|write)$/"
        raise MatchError("bad-regex", "a list holds plain values, not regular expressions", help)
    check_regex(patterns[0])
    return Match(field, "regex", (patterns[0],))


def _is_regex(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == "/"


def _tokens(values: tuple[Any, ...]) -> int:
    if len(values) == 1 and isinstance(values[0], str) and (match := _AT_LEAST.fullmatch(values[0].strip())):
        return int(match[1])
    raise MatchError("bad-match", "tokens is matched by `>=n`", 'write for example `tokens: ">=500"`')


@lru_cache(maxsize=256)
def check_regex(pattern: str) -> None:
    """Make sure that a pattern is a regular expression that runs in linear time.

    Raises ``MatchError`` (``bad-regex``): RE2 has no look-around and no back-references.
    """
    import re2

    try:
        compiled(pattern)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error.args[0])
        help = "use RE2 syntax: no look-around, no back-references"
        raise MatchError("bad-regex", f"bad regular expression: {reason}", help) from error
