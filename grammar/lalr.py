"""The LALR parsers of this folder: built once, on first use, so that Lark is imported only where needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from lark import Lark, UnexpectedInput
    from lark.parsers.lalr_interactive_parser import InteractiveParser


@cache
def parser(grammar: str) -> Lark:
    """The LALR parser of ``<grammar>.lark``, the file beside this one."""
    from lark import Lark

    assert __package__ is not None
    text = files(__package__).joinpath(f"{grammar}.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def accepted(reading: InteractiveParser) -> frozenset[str]:
    """The terminals that a parser would take next."""
    accepts = cast("Callable[[], set[str]]", reading.accepts)
    return frozenset(accepts())


def any_of(expected: tuple[str, ...]) -> str:
    """``a, b or c``."""
    return " or ".join(filter(None, (", ".join(expected[:-1]), expected[-1]))) if expected else "nothing more"


def expected_by(error: UnexpectedInput, words: Mapping[str, str]) -> tuple[str, ...]:
    """What the parser would have taken where ``error`` stopped it, in the words of ``words``."""
    from lark import UnexpectedCharacters, UnexpectedToken

    match error:
        case UnexpectedToken():
            return _in_words(error.accepts or error.expected, words)
        case UnexpectedCharacters():
            return _in_words(error.allowed or (), words)
        case _:
            return ()


def stopped_at(error: UnexpectedInput, text: str) -> int:
    """Where in ``text`` the parser stopped (at the end of text Lark would give its last token)."""
    token = getattr(error, "token", None)
    at_end = token is not None and token.type == "$END"
    return len(text) if at_end else error.pos_in_stream or 0


def _in_words(terminals: Iterable[str], words: Mapping[str, str]) -> tuple[str, ...]:
    wanted = set(terminals)
    return tuple(dict.fromkeys(said for terminal, said in words.items() if terminal in wanted))
