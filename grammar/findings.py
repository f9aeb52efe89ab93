"""Everything that a message may be told about, with its words (language.md sections 3 and 4).

Codes are stable. A wrong bound in a command keeps the code of its BoundError (bounds.py).

    code               severity   when
    protocol_element   warning    a patch of user, assistant, think, toolCall, toolResult or recall
    undeclared_element info       a patch of a name that the ruleset declares as no element, a refinement too
    misspelt_mode      info       remian
    full_width_count   info       ３ for 3
    over_limit         info       more than 64 patches, or a content of more than 65,536 bytes
    slash_line         info       a line that starts with / and is neither a patch nor a command
    command_in_text    info       a command word at the start of a later line
    hint_limit         info       more than 64 slash lines
    end_left_out       info       /dc-rule without an end
    command_argument   error      a wrong or missing argument of a command
    command_not_alone  error      a command with further lines
"""

from __future__ import annotations

from .ast import Finding
from .lalr import any_of
from .spans import Span

#: The first patches of a message that are read (language.md section 3, bounds).
MAX_PATCHES = 64

#: The longest content of a patch, in bytes of UTF-8 (language.md section 3, bounds).
MAX_CONTENT_BYTES = 65_536

#: The hints for slash lines that one message may get; the next hint says that there are more.
MAX_SLASH_HINTS = 64


def protocol_element(element: str, span: Span) -> Finding:
    return Finding(
        "protocol_element",
        "warning",
        f"this patch writes {element}, an element of the conversation itself",
        span,
        "patch an element of your own, such as goal, unless this is what you want",
    )


def undeclared_element(element: str, span: Span) -> Finding:
    return Finding(
        "undeclared_element",
        "info",
        f"{short(element)} is not declared in the ruleset: without an end of its own it lives [born, null]",
        span,
        f"declare {short(element)} under life_cycle to give it a rule",
    )


def refinement(element: str, span: Span) -> Finding:
    return Finding(
        "undeclared_element",
        "info",
        f"{short(element)} is a refinement, meant for what tools bring: the slot of this patch goes by its row",
        span,
        "patch an element, such as goal, or one of another name",
    )


def misspelt_mode(typed: str, span: Span) -> Finding:
    return Finding("misspelt_mode", "info", f"{typed} was read as remain", span, "write remain")


def full_width_count(typed: str, turns: int, span: Span) -> Finding:
    return Finding("full_width_count", "info", f"{typed} was read as {turns}", span, f"write {turns}")


def over_limit(what: str, span: Span) -> Finding:
    return Finding(
        "over_limit",
        "info",
        f"{what}: what is over stays in the text",
        span,
        "send the rest in another message",
    )


def slash_line(shown: str, wrong: str, expected: tuple[str, ...], help: str, span: Span) -> Finding:
    return Finding(
        "slash_line",
        "info",
        f"{short(shown)!r} is neither a patch nor a command and goes to the model as text: "
        f"{_found(wrong)} where {any_of(expected)} was expected",
        span,
        help,
    )


def command_in_text(word: str, span: Span) -> Finding:
    return Finding(
        "command_in_text",
        "info",
        f"/{word} is text here: a command is the only line of its message",
        span,
        f"send /{word} in a message of its own",
    )


def hint_limit(span: Span) -> Finding:
    return Finding(
        "hint_limit",
        "info",
        f"more lines start with a slash; only the first {MAX_SLASH_HINTS} got a hint",
        span,
        "paste code between lines of three backticks: nothing is read in there",
    )


def end_left_out(element: str, span: Span) -> Finding:
    return Finding(
        "end_left_out",
        "info",
        f"no end was given, so {short(element)} ends at its birth turn (born)",
        span,
        "write null after the start for no end",
    )


def command_argument(word: str, wrong: str, expected: tuple[str, ...], usage: str, span: Span) -> Finding:
    return Finding(
        "command_argument",
        "error",
        f"in /{word} {_found(wrong)} where {any_of(expected)} was expected; nothing was changed",
        span,
        f"write {usage}",
    )


def command_not_alone(word: str, span: Span) -> Finding:
    return Finding(
        "command_not_alone",
        "error",
        f"/{word} is a command, but the message has further lines; nothing was done",
        span,
        f"send /{word} in a message of its own",
    )


def _found(wrong: str) -> str:
    return f"{short(wrong)!r} stands" if wrong else "the line ends"


def short(text: str) -> str:
    """``text`` as it is quoted in a message: at most 40 characters."""
    return text if len(text) <= 40 else text[:39] + "…"
