"""Commands: a line such as ``/dc-rule goal born born+3`` to a ``Command`` (language.md section 4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from . import findings
from .ast import Command, Finding
from .bounds import BoundError, bound_value, parse_bound
from .lalr import expected_by, parser, stopped_at
from .spans import Span

if TYPE_CHECKING:
    from lark import Token

#: Command words that mean another command.
ALIASES: Mapping[str, str] = {"compat": "dc-compact", "pi-canon": "canon"}

#: How each command is written, for messages.
USAGE: Mapping[str, str] = {
    "dc-rule": "/dc-rule element start [end] [forward|add_row|reset_from_now|force_refresh]",
    "dc-addrow": "/dc-addrow element start [end]",
    "dc-end": "/dc-end element|slot",
    "pin": "/pin text",
    "cancelpin": "/cancelpin pNN",
    "dc-keep": "/dc-keep [slot]",
    "dc-unkeep": "/dc-unkeep slot|all",
    "dc-compact": "/dc-compact",
    "dc-recall": "/dc-recall query",
    "dc-status": "/dc-status",
    "cpat": "/cpat [manifest|journal|on|off|undo [n|#t]|why slot]",
    "canon": "/canon [status|settings …]",
}

#: How a rule patch acts.
RULE_MODES = ("forward", "add_row", "reset_from_now", "force_refresh")
#: The terminals of commands.lark in words, for messages.
TERMINALS = {
    "ELEMENT": "an element name",
    "BOUND": "a bound such as born+3, 5 or null",
    "RULE_MODE": "forward, add_row, reset_from_now or force_refresh",
    "TARGET": "an element or a slot such as goal@3",
    "SLOT": "a slot such as toolResult@3",
    "ALL": "all",
    "PIN": "the number of a pin such as p01",
    "TEXT": "a text",
    "VIEW": "manifest, journal, on, off",
    "UNDO": "undo",
    "WHY": "why",
    "COUNT": "a number of transactions",
    "TRANSACTION": "a transaction such as #12",
    "STATUS": "status",
    "SETTINGS": "settings",
    "$END": "the end of the line",
}
_TURN = re.compile(r"-?[0-9]{1,7}")
_WORD = re.compile(r"\S*")


def parse_command(line: str, word: str, at: int) -> tuple[Command | None, tuple[Finding, ...]]:
    """The command on ``line``, or an error finding that says what was expected.

    ``line`` is the trimmed line with its slash, ``word`` the command word it starts with, ``at`` the
    character of the message where it begins.
    """
    from lark import UnexpectedInput

    name = ALIASES.get(word, word)
    try:
        tree = parser("commands").parse(line)
    except UnexpectedInput as error:
        start = stopped_at(error, line)
        wrong = _WORD.match(line, start)
        shown = wrong[0] if wrong else ""
        span = Span(start, start + len(shown)).shift(at)
        expected = expected_by(error, TERMINALS)
        return None, (findings.command_argument(word, shown, expected, USAGE[name], span),)
    parts = cast("list[Token | None]", tree.children)
    try:
        args = _args(tree.data, parts)
    except _WrongBound as wrong_bound:
        return None, (wrong_bound.finding(word, at),)
    span = Span(at, at + len(line))
    command = Command(name, args, span)
    if name == "dc-rule" and parts[2] is None:
        return command, (findings.end_left_out(str(args["element"]), span),)
    return command, ()


class _WrongBound(Exception):
    """A bound that does not parse, with its token."""

    def __init__(self, token: Token, error: BoundError) -> None:
        super().__init__(error.message)
        self.token = token
        self.error = error

    def finding(self, word: str, at: int) -> Finding:
        """The error for people: in a command a mistyped mode, too, is read as a bound first."""
        start, error = self.token.start_pos or 0, self.error
        inner = error.span if error.span.end else Span(0, len(self.token))
        near = (
            get_close_matches(str(self.token)[:40], RULE_MODES, n=1, cutoff=0.7) if word == "dc-rule" else []
        )
        return Finding(
            error.code,
            "error",
            f"in /{word} {error.message}; nothing was changed",
            inner.shift(at + start),
            f"did you mean {near[0]}?" if near else error.help,
        )


def _args(kind: str, parts: list[Token | None]) -> dict[str, object]:
    """The arguments of contracts.md (``dcc parse``) from the parts of a command."""
    match kind, parts:
        case "dc_rule", [element, start, end, mode]:
            return {
                "element": str(element),
                "start": _bound(start),
                "end": _bound(end) if end else "born",
                "mode": str(mode or "forward"),
            }
        case "dc_addrow", [element, start, end]:
            return {"element": str(element), "start": _bound(start), "end": _bound(end)}
        case "dc_end", [target]:
            return {"target": str(target)}
        case "pin", [text]:
            return {"text": str(text)}
        case "cancelpin", [pin]:
            return {"pin": str(pin)}
        case "dc_keep" | "dc_unkeep", [slot]:
            return {"slot": _typed(slot)}
        case "dc_recall", [query]:
            return {"query": str(query)}
        case "cpat", [action, *rest]:
            return {"action": _typed(action), "arg": _count(rest[0]) if rest else None}
        case "canon", [action, *rest]:
            arg: dict[str, object] = {"arg": str(rest[0])} if rest and rest[0] else {}
            return {"action": _typed(action), **arg}
        case _:
            return {}


def _bound(token: Token | None) -> str | int | None:
    """The bound of a token in its canonical form; None also where there is no token."""
    if token is None:
        return None
    text = str(token)
    try:
        if text == "none":
            return None
        return bound_value(parse_bound(int(text) if _TURN.fullmatch(text) else text))
    except BoundError as error:
        raise _WrongBound(token, error) from None


def _typed(token: Token | None) -> str | None:
    return None if token is None else str(token)


def _count(token: Token | None) -> str | int | None:
    return int(token) if token is not None and token.type == "COUNT" else _typed(token)
