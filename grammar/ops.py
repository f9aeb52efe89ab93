"""Reads ``*.ops`` files: each op by the LALR parser, so that an error in one leaves the others whole."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from .errors import GrammarError
from .lalr import accepted, any_of, parser, stopped_at
from .ops_syntax import (
    ArgumentSyntax,
    EffectSyntax,
    Name,
    Node,
    NodeKind,
    OpsSyntax,
    OpSyntax,
    RefusalSyntax,
)
from .spans import Span

if TYPE_CHECKING:
    from lark import Token, Tree

#: Longest file that is read, in characters; the eight operations that ship take about six thousand.
MAX_TEXT = 100_000

#: Deepest expression; a precondition that people can read has three or four levels.
MAX_DEPTH = 40

#: Words and marks of ops.lark for messages, the likeliest first.
TERMINALS = {
    "OP": "op", "REVERSED": "reversed by", "GATE": "gate", "BY": "by", "LBRACE": "{",
    "REFUSE": "refuse", "GUARD": "guard", "EFFECT": "effect", "RBRACE": "}",
    "NAME": "a name", "NUMBER": "a whole number", "TRUE": "true", "FALSE": "false", "TEXT": 'a "text"',
    "COLON": ":", "EQUAL": "=", "ELSE": "else", "WHEN": "when", "COMMA": ",", "VBAR": "|", "LPAR": "(", "RPAR": ")",
    "LSQB": "[", "RSQB": "]", "COMPARISON": "a comparison (== != < <= > >=)", "IN": "in",
    "AND": "and", "OR": "or", "NOT": "not", "ANY": "any(…)", "ALL": "all(…)", "TARGET": "target.fact", "DOT": ".",
    "MISSING": "missing(…)", "BLANK": "blank(…)", "COUNT": "count(…)", "$END": "the end of the op",
}  # fmt: skip

#: What stands at the left margin of an op. A quoted text is of one line, so none of its words begin one.
_OP = re.compile(r"(?:^|(?<=\A\ufeff))[ \t]*op(?=[ \t]+[^\s:])", re.MULTILINE)
_SKIPPED = re.compile(r"(?:[ \t\r\n\ufeff]+|#[^\n]*)*")
_TEXT_OR_COMMENT = re.compile(r'"(?:[^"\\\n\r]|\\["\\n])*"|#[^\n]*')
_WORD = re.compile(r'[\w-]+|"[^"\n]*"?|\S')
_ESCAPE = re.compile(r"\\(.)")


def read_ops(text: str) -> OpsSyntax:
    """The declared operations of a file, in their order, and a ``GrammarError`` (``ops_syntax``) for each that is none.

    Takes time linear in the text; never raises.
    """
    if len(text) > MAX_TEXT:
        message = f"the file has {len(text):,} characters, the limit is {MAX_TEXT:,}"
        return OpsSyntax((), (GrammarError("ops_too_large", message, span=Span(0, 0), help="split it"),), ())
    ops: list[OpSyntax] = []
    errors: list[GrammarError] = []
    starts = [match.start() for match in _OP.finditer(text)]
    lead = _SKIPPED.match(text)
    first = starts[0] if starts else len(text)
    if lead is not None and lead.end() < first:
        errors.append(_error(text, Span(lead.end(), first), lead.end(), ("op",)))
    for start, end in pairwise([*starts, len(text)]):
        try:
            ops.append(_read_op(text, Span(start, end)))
        except GrammarError as error:
            errors.append(error)
    texts = tuple(Span(m.start(), m.end()) for m in _TEXT_OR_COMMENT.finditer(text) if m[0].startswith('"'))
    return OpsSyntax(tuple(ops), tuple(errors), texts)


def _read_op(text: str, piece: Span) -> OpSyntax:
    from lark import UnexpectedInput

    own = text[piece.start : piece.end]
    try:
        tree = parser("ops").parse(own)
    except UnexpectedInput as error:
        at = piece.start + stopped_at(error, own)
        raise _error(text, piece, at, _expected(own)) from None
    return _Reader(piece.start).op(tree)


def _expected(own: str) -> tuple[str, ...]:
    """What the parser would take where it stops in the text of an op; at a strange character Lark names too much."""
    from lark import UnexpectedInput

    reading = parser("ops").parse_interactive(own)
    with suppress(UnexpectedInput):
        reading.exhaust_lexer()
    takes = accepted(reading)
    return tuple(said for terminal, said in TERMINALS.items() if terminal in takes)


def _error(text: str, piece: Span, at: int, expected: tuple[str, ...]) -> GrammarError:
    """The error of a piece that stopped making sense at ``at``. At its end the place is after its last word."""
    wrong = _WORD.match(text, at, piece.end)
    if wrong is None:
        at = piece.start + len(text[piece.start : at].rstrip())
        what, span = "the op ends here", Span(at, at)
    elif wrong[0].startswith('"') and not (len(wrong[0]) > 1 and wrong[0].endswith('"')):
        what, span = "this text is not closed on its line", Span(at, wrong.end())
    else:
        what, span = f"`{_short(wrong[0])}` stands here", Span(at, wrong.end())
    return GrammarError(
        "ops_syntax",
        f"{what}, expected {any_of(expected)}",
        span=span,
        expected=expected,
        help=_help(wrong[0] if wrong else "", expected),
    )


#: What people write who know other languages, and what stands in its place here.
_SLIPS = {
    "'": 'texts stand between "', "=": "equality is written ==", "if": "a condition begins with `when`",
    "/": "comments begin with #", "[": "a list of ids is of type slots, a list of texts of type texts",
    "_by": "`reversed by` are two words",
    **dict.fromkeys(("&", "&&", "|", "||", "!"), "write and, or, not"),
    **dict.fromkeys((",", ";"), "nothing stands between the parts of an op: take it out"),
}  # fmt: skip


def _help(wrong: str, expected: tuple[str, ...]) -> str:
    if wrong == "op" and expected == ("the end of the op",):
        return "an op begins on a line of its own"
    if wrong == "" and "}" in expected:
        return "close the op with `}`"
    if expected == (":",):
        return "an argument is written `name: type`, such as `ids: slots`"
    if expected == ("op",):
        return "a file holds ops only: `op name { … }`, and comments after `#`"
    if wrong.startswith('"'):
        return _help_with_text(wrong, expected)
    if "effect" in expected and "refuse" not in expected and wrong == "refuse":
        return "refusals stand before guards and effects"
    if wrong == ":" and (expected == ("a name",) or "when" in expected):
        return "take the : out"
    if wrong == ":" or wrong in ("refuse", "guard"):
        return "the order in an op is: what it says, arguments, refusals, guards, effects"
    if wrong[:1].isdecimal() or wrong[:1] in ("-", "."):
        return "a whole number has at most 9 digits, 0 to 9"
    if "{" in expected and wrong == "(":
        return "arguments stand inside of the braces, one after the other: `ids: slots`"
    if wrong in _SLIPS:
        return _SLIPS[wrong]
    if expected == ('a "text"',):
        return 'say in a "text" what is refused and why; `{ids}` are the targets'
    if ")" in expected:
        return "close the bracket, or join conditions with and, or"
    return "`dcc explain ops-syntax` shows an operation"


def _help_with_text(wrong: str, expected: tuple[str, ...]) -> str:
    """How a text that stands in the wrong place is mended, or one that is not closed."""
    if len(wrong) < 2 or not wrong.endswith('"'):
        return 'texts stand between " on one line; write \\" and \\\\ inside; several in a row are joined by a blank'
    if ")" in expected:
        return "close the bracket before the text"
    if expected == ("when",):
        return 'the condition comes first: `refuse code when condition "message"`'
    if "reversed by" in expected or "gate" in expected:
        return "what an op does is said inside of its braces"
    return "a word of the language stands here, without quotes"


class _Reader:
    """Reads the tree of one op; ``at`` is the character of the file where its text begins."""

    def __init__(self, at: int) -> None:
        self._at = at

    def op(self, tree: Tree[Token]) -> OpSyntax:
        name, *rest = tree.children
        gates: list[Name] = []
        reverses: list[Name] = []
        arguments: list[ArgumentSyntax] = []
        refusals: list[RefusalSyntax] = []
        guards: list[Name] = []
        effects: list[EffectSyntax] = []
        texts: list[Token] = []
        for part in rest:
            if not _is_tree(part):
                texts.append(cast("Token", part))
                continue
            item = cast("Tree[Token]", part)
            match item.data:
                case "gate":
                    gates.append(self._name(item.children[0]))
                case "reversed":
                    reverses.append(self._name(item.children[0]))
                case "argument":
                    arguments.append(self._argument(item))
                case "refusal":
                    refusals.append(self._refusal(item))
                case "guard":
                    guards += map(self._name, item.children)
                case _:
                    effects.append(self._effect(item))
        return OpSyntax(
            self._name(name), _joined(texts), tuple(gates), tuple(reverses), tuple(arguments), tuple(refusals),
            tuple(guards), tuple(effects), self._span(tree),
        )  # fmt: skip

    def _argument(self, tree: Tree[Token]) -> ArgumentSyntax:
        name, type_, default, otherwise, *texts = cast("list[Any]", tree.children)
        kind, *words = type_.children
        return ArgumentSyntax(
            self._name(name),
            self._name(kind),
            tuple(self._name(word) for word in words if word is not None),
            None if default is None else self._node(default.children[0], 0),
            None if otherwise is None else self._name(otherwise.children[0]),
            _joined(texts),
            self._span(tree),
        )

    def _refusal(self, tree: Tree[Token]) -> RefusalSyntax:
        code, when, *texts = cast("list[Any]", tree.children)
        return RefusalSyntax(self._name(code), self._node(when, 0), _joined(texts), self._span(tree))

    def _effect(self, tree: Tree[Token]) -> EffectSyntax:
        kind, how, options, condition = cast("list[Any]", tree.children)
        given = [] if options is None else options.children
        return EffectSyntax(
            self._name(kind),
            None if how is None else self._name(how),
            tuple((self._name(option.children[0]), self._leaf(option.children[1])) for option in given),
            None if condition is None else self._node(condition.children[0], 0),
            self._span(tree),
        )

    def _node(self, item: Any, depth: int) -> Node:
        """One node of an expression."""
        span = self._span(item)
        if depth > MAX_DEPTH:
            message = f"the expression is nested more than {MAX_DEPTH} levels deep"
            raise GrammarError("ops_too_deep", message, span=span, help="split it into several refusals")
        parts = item.children
        match item.data:
            case "any_of" | "all_of" as kind:
                joined: NodeKind = "or" if kind == "any_of" else "and"
                return Node(joined, span, tuple(self._node(part, depth + 1) for part in parts))
            case "negation":
                return Node("not", span, (self._node(parts[0], depth + 1),))
            case "comparison":
                left, sign, right = parts
                return Node(cast(NodeKind, str(sign)), span, (self._node(left, depth), self._node(right, depth)))
            case "membership":
                left, *values = parts
                listed = tuple(self._node(value, depth) for value in values)
                within = Node("list", Span(listed[0].span.start, listed[-1].span.end), listed)
                return Node("in", span, (self._node(left, depth), within))
            case "over":
                return Node(cast(NodeKind, str(parts[0])), span, (self._node(parts[1], depth + 1),))
            case "call":
                return Node(cast(NodeKind, str(parts[0])), span, (self._leaf(parts[1]),))
            case "fact":
                return Node("fact", span, value=str(parts[0]))
            case "argument_name" | "word":
                return Node("name", span, value=str(parts[0]))
            case "number":
                return Node("number", span, value=int(parts[0]))
            case "text":
                return Node("text", span, value=_unquoted(parts[0]))
            case word:
                return Node("flag", span, value=word == "yes")

    def _leaf(self, token: Token) -> Node:
        quoted = token.type == "TEXT"
        return Node("text" if quoted else "name", self._span(token), value=_unquoted(token) if quoted else str(token))

    def _name(self, token: Any) -> Name:
        return Name(str(token), self._span(token))

    def _span(self, item: Any) -> Span:
        place = item.meta if _is_tree(item) else item
        return Span(place.start_pos, place.end_pos).shift(self._at)


def _is_tree(item: object) -> bool:
    return hasattr(item, "children")


def _joined(texts: list[Token]) -> str:
    return " ".join(_unquoted(text) for text in texts)


def _unquoted(token: Token) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[1], token[1:-1])


def _short(text: str) -> str:
    """What stands there, as a message can show it: not too long, and visible."""
    if not text.isprintable():
        text = repr(text)[1:-1]
    return text if len(text) <= 40 else text[:39] + "…"
