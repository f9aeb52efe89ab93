"""Bounds: one side of a rule, from its YAML scalar to a ``Bound`` and back (language.md section 2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from .ast import BORN, OPEN, Bound, BoundKind, Unit
from .errors import GrammarError
from .lalr import any_of, expected_by, parser, stopped_at
from .spans import Span

if TYPE_CHECKING:
    from lark import Token, Tree

#: The greatest offset, length or turn that can be written: 6 digits (language.md section 2).
MAX_N = 999_999

#: What follows the plus of a bound whose unit is misspelt: `8call`.
_COUNT_AND_WORD = re.compile(r"\s*([1-9]\d{0,5})\s*[a-z]+")

#: Bounds that are one word. The keys are the terminals WORD and "born" of bounds.lark.
WORDS: Mapping[str, Bound] = {
    "born": BORN,
    "null": OPEN,
    "permanent": OPEN,
    "until_cancelled": Bound("until_cancelled"),
    "until_goal_end": Bound("until_end", element="goal"),
    "until_superseded": Bound("until_superseded"),
    "cycle": Bound("cycle"),
    "labelled": Bound("labelled"),
}

#: Every way to write a bound, for messages.
FORMS = (
    "a turn (a whole number from 0)", "born", "born+n", "born+n turns", "born+n calls", "null", "permanent",
    "until_cancelled", "until_goal_end", "until_end(element)", "until_superseded", "idle+n calls",
    "idle+n turns", "cycle", "labelled",
)  # fmt: skip

#: ``born+n``, ``born+n calls``, ``idle+n calls`` … as ``bound_value`` writes them; tests hold it to bounds.lark.
_COUNTED = re.compile(r"(born|idle)\+([1-9][0-9]{0,5})(?: (turns|calls))?")

_TERMINALS = {
    "BORN": "born",
    "IDLE": "idle",
    "PLUS": "+",
    "COUNT": "a whole number of at most 6 digits",
    "UNIT": "turns or calls",
    "ELEMENT": "an element name",
    "RPAR": ")",
    "$END": "the end of the bound",
}


class BoundError(GrammarError):
    """A bound that does not parse.

    ``code`` is bound_bool, bound_not_whole, bound_empty, bound_bad_n, bound_negative, bound_type or
    unknown_rule. ``span`` counts characters of the string (0..0 for other scalars).
    """


def parse_bound(value: object) -> Bound:
    """The bound that a YAML scalar means.

    ``value`` is the scalar as a Python value: None, a whole number (a turn) or a string.
    Raises BoundError for everything that language.md section 2 does not list.
    """
    match value:
        case None:
            return OPEN
        case bool():
            raise _scalar_error("bound_bool", f"{str(value).lower()} is no bound", "write null for no end")
        case int():
            return _turn(value)
        case float():
            raise _scalar_error(
                "bound_not_whole", f"the turn {value} is not a whole number", "write it without a fraction"
            )
        case str():
            return WORDS.get(value) or _counted(value) or _parse_text(value)
        case _:
            kind = "mapping" if isinstance(value, dict) else type(value).__name__
            raise _scalar_error("bound_type", f"a bound is one word or number, not a {kind}", None)


def _counted(text: str) -> Bound | None:
    """A count in its canonical form, the commonest bound, without the parser that takes so long to import."""
    found = _COUNTED.fullmatch(text)
    if found is None:
        return None
    kind, n, unit = found.groups()
    if kind == "idle" and unit is None:
        return None
    return Bound(cast(BoundKind, kind), int(n), cast(Unit, unit or "turns"))


def bound_value(bound: Bound) -> str | int | None:
    """The scalar that means ``bound``, in its canonical form: ``parse_bound(bound_value(b)) == b``."""
    plus = f"{bound.kind}+{bound.n}"
    match bound.kind:
        case "turn":
            return bound.n
        case "open":
            return None
        case "born" if bound.unit == "turns":
            return plus if bound.n else "born"
        case "born" | "idle":
            return f"{plus} {bound.unit}"
        case "until_end":
            return "until_goal_end" if bound.element == "goal" else f"until_end({bound.element})"
        case word:
            return word


def show_bound(bound: Bound) -> str:
    """The canonical text of ``bound`` as it stands in a ruleset: read as YAML it means ``bound``."""
    value = bound_value(bound)
    return "null" if value is None else str(value)


def _turn(n: int) -> Bound:
    if n < 0:
        raise _scalar_error("bound_negative", f"the turn {n} is negative", "turns count from 0")
    if n > MAX_N:
        raise _scalar_error("bound_bad_n", "the turn has more than 6 digits", "write null for no end")
    return Bound("turn", n)


def _scalar_error(code: str, message: str, help: str | None) -> BoundError:
    message = f"{message}; expected {any_of(FORMS)}"
    return BoundError(code, message, span=Span(0, 0), expected=FORMS, help=help)


@lru_cache(maxsize=1024)
def _parse_text(text: str) -> Bound:
    if not text.strip():
        raise BoundError(
            "bound_empty",
            f"the bound is blank; expected {any_of(FORMS)}",
            span=Span(0, len(text)),
            expected=FORMS,
            help="write null for no end",
        )
    from lark import UnexpectedInput

    try:
        tree = parser("bounds").parse(text)
    except UnexpectedInput as error:
        raise _text_error(text, stopped_at(error, text), expected_by(error, _TERMINALS)) from None
    return _bound(text, tree)


def _bound(text: str, tree: Tree[Token]) -> Bound:
    parts = [None if part is None else str(part) for part in tree.children]
    match tree.data, parts:
        case "born" | "idle" as kind, [str(count), unit]:
            n = int(count)
            if n == 0 and unit == "calls":
                at = text.index("+") + 1
                raise _text_error(text, at, ("a number of calls from 1",))
            return Bound(kind, n, cast(Unit, unit or "turns"))
        case "until_end", [element]:
            return Bound("until_end", element=element)
        case _:
            return WORDS[text.strip()]


def _text_error(text: str, at: int, expected: tuple[str, ...]) -> BoundError:
    """The error for a text that stopped making sense at character ``at``."""
    shown = text.strip()
    start = len(text) - len(text.lstrip())
    end = start + len(shown)
    head, plus, _ = shown.partition("+")
    if plus and head.rstrip() in ("born", "idle"):
        wrong = text[at:end]
        what = f"{_short(wrong)!r} stands" if wrong else "the bound ends"
        meant = _COUNT_AND_WORD.fullmatch(shown, len(head) + 1)
        n = meant[1] if meant is not None else "5"
        return BoundError(
            "bound_bad_n",
            f"{what} where {any_of(expected)} was expected in {_short(shown)!r}",
            span=Span(min(at, end), end),
            expected=expected,
            help=f"write {head.rstrip()}+{n} turns or {head.rstrip()}+{n} calls",
        )
    return BoundError(
        "unknown_rule",
        f"{_short(shown)!r} is no bound; expected {any_of(FORMS)}",
        span=Span(start, end),
        expected=FORMS,
        help=_nearest(shown),
    )


def _nearest(shown: str) -> str | None:
    if shown.isascii() and shown.isdigit():
        return f"write {_short(shown)} without quotes to mean the turn"
    known = [*WORDS, "until_end(element)", "born+n", "idle+n turns"]
    near = get_close_matches(shown[:40], known, n=1)
    return f"did you mean {near[0]}?" if near else None


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
