"""Completion and hints for the line of a chat, from what the grammars expect next."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..compiler.program import Program
from ..grammar.expecting import Expected, expecting
from ..grammar.lalr import any_of
from ..grammar.message import parse_message
from ..runtime.session import Session
from .chat_words import own_word


def suggestions(text: str, session: Session) -> tuple[int, list[str]]:
    """(where the word under the cursor begins, what it may be), for a text up to the cursor."""
    found = expecting(text, session.program.vocabulary)
    if found is None:
        return len(text), []
    typed = text[found.at :]
    words = (*found.words, *_of_session(found, session))
    return found.at, [word for word in dict.fromkeys(words) if word.startswith(typed) and word != typed]


def hint(text: str, program: Program) -> str:
    """What the line expects next, or what is wrong with it; blank for plain text."""
    if own_word(text, program) is not None:
        return ""
    found = expecting(text, program.vocabulary)
    if found is not None and found.said:
        expected = f"expected: {any_of(found.said)}"
        return f"{expected}    {found.usage}" if found.usage else expected
    if not text.lstrip().startswith("/"):
        return ""
    findings = parse_message(text, program.vocabulary).findings
    if not findings:
        return ""
    return f"{findings[0].message}: {findings[0].help}" if findings[0].help else findings[0].message


def _of_session(found: Expected, session: Session) -> Iterable[str]:
    """The words that only the session knows: slots on stage, the newest first, and pins."""
    sources: dict[str, Callable[[Session], Iterable[str]]] = {"SLOT": _slots, "TARGET": _slots, "PIN": _pins}
    for terminal, source in sources.items():
        if terminal in found.terminals:
            yield from source(session)


def _slots(session: Session) -> Iterable[str]:
    return reversed(session.stage())


def _pins(session: Session) -> Iterable[str]:
    for slot in session.stage():
        element = slot.partition("@")[0]
        if element.startswith("pin_"):
            yield element.rpartition("_")[2]
