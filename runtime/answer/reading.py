"""A provider's reply, read by the ruleset's parser: what becomes thinking, text, elements and pins."""

from __future__ import annotations

from dataclasses import replace

from ...compiler.program import Program
from ..values import Reply, ReplyPiece
from .parse import Parser, parse_answer, parser_named


def parser_of(program: Program) -> Parser:
    """The parser that a program names (``answer.parser``). Raises DccError (``unknown_parser``)."""
    return parser_named((program.sections.get("answer") or {}).get("parser"))


def read_reply(reply: Reply, parser: Parser) -> Reply:
    """The reply with its text read (spec/dynamiccontext.md section 16).

    Thinking that stands in the text joins that of the provider. Signed parts must stay as they are: beside them it
    becomes a think slot of its own.
    """
    answer = parse_answer(reply.text, parser)
    thinking, elements = reply.thinking, answer.elements
    if answer.thinking is not None:
        if isinstance(thinking, str):
            thinking = "\n".join(filter(None, (thinking, answer.thinking)))
        else:
            elements = (("think", answer.thinking), *elements)
    pieces = reply.pieces if answer.assistant == reply.text else _with_text(reply.pieces, answer.assistant)
    return replace(reply, text=answer.assistant, thinking=thinking, elements=elements, pins=answer.pins, pieces=pieces)


def _with_text(pieces: tuple[ReplyPiece, ...], text: str) -> tuple[ReplyPiece, ...]:
    """The pieces of a reply with what was read of its text, where the first of it stood."""
    first = next((n for n, (kind, _) in enumerate(pieces) if kind == "text"), None)
    read: tuple[ReplyPiece, ...] = (("text", text),) if text else ()
    return tuple(
        piece
        for n, own in enumerate(pieces)
        for piece in (read if n == first else () if own[0] == "text" else (own,))
    )
