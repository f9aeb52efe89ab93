"""Content patches: from a window that the scanner cut to a ``Patch`` (language.md section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from . import findings
from .ast import Finding, Mode, Patch, Vocabulary
from .bounds import MAX_N
from .errors import GrammarError
from .lalr import expected_by, parser
from .names import COMMANDS, ELEMENT_NAME, PROTOCOL_ELEMENTS
from .scan import MODES, PAIR, Window
from .spans import Span

if TYPE_CHECKING:
    from lark import Token, Tree

#: The terminals of patches.lark in words, for messages.
TERMINALS = {
    "SLASH": "a slash",
    "ELEMENT": "an element name directly after the slash",
    "CONTENT": "the content of the patch",
    "MODE": "remain, roll or refresh",
    "TURNS": "a number of turns from 1 to 999999",
    "NONE": "none",
    "$END": "the end of the line",
}
#: The modes of a patch.
PATCH_MODES: tuple[Mode, ...] = ("remain", "roll", "refresh")
_NAME = re.compile(r"[^\W\d][\w-]*+(?!\S)")
_LAST_MODE = re.compile(rf"[^\n]*(?<=\s)(?P<mode>{'|'.join(MODES)})(?!\S)")
_WORD = re.compile(r"\S+")
#: The last two words of a line, where the second can be a count.
_NEARLY_MODE = re.compile(
    r"[^\n]{0,2000}(?<=\s)(?P<mode>[^\W\d]{3,9})[^\S\n]{1,9}(?P<count>none|\d{1,6})[^\S\n]*+(?![^\n])"
)
#: What stands behind /cpat, and is typed alone by who does not know that.
_OF_CPAT = frozenset({"manifest", "journal", "undo", "why"})


def read_patch(source: str, window: Window) -> Patch:
    """The patch that stands in ``window`` of ``source``."""
    name, pair = window.name, window.pair
    mode, count = pair[0].split()
    tree = _parse(
        [
            ("SLASH", window.start, "/"),
            ("ELEMENT", name.start("name"), name["name"]),
            ("CONTENT", name.end(), source[name.end() : pair.start()]),
            ("MODE", pair.start(), mode),
            (_count_terminal(count), window.end - len(count), count),
        ]
    )
    slash, element, content, mode_token, count_token = cast("list[Token]", tree.children)
    return Patch(
        element=str(element),
        content=content.strip(),
        mode=_mode(mode_token),
        turns=None if count_token.type == "NONE" else int(count_token),
        span=Span(cast(int, slash.start_pos), cast(int, count_token.end_pos)),
    )


def remarks(window: Window, patch: Patch, vocabulary: Vocabulary) -> Iterator[Finding]:
    """What the writer of a patch should know of it."""
    element = patch.element
    name = Span(window.start, window.name.end("name"))
    if element in PROTOCOL_ELEMENTS:
        yield findings.protocol_element(element, name)
    elif element in vocabulary.refinements:
        yield findings.refinement(element, name)
    elif element not in vocabulary.declared | vocabulary.patchable:
        yield findings.undeclared_element(element, name)
    mode, count = window.pair[0].split()
    if mode != patch.mode:
        yield findings.misspelt_mode(mode, Span(window.pair.start(), window.pair.start() + len(mode)))
    if patch.turns and not count.isascii():
        yield findings.full_width_count(count, patch.turns, Span(window.end - len(count), window.end))


def missing(text: str, slash: int, end: int, *, patch_follows: bool) -> tuple[str, tuple[str, ...]]:
    """Why the characters from ``slash`` to ``end`` are no patch: what stands there, and what was expected.

    ``patch_follows``: whether another patch of the same line begins at ``end``. The first part is empty
    where the text ends too early.
    """
    from lark import UnexpectedToken

    tokens = list(cut(text, slash, end))
    if patch_follows:
        tokens.append(("OTHER", end, "the next patch"))
    try:
        _parse(tokens)
    except UnexpectedToken as error:
        return "" if error.token.type == "$END" else str(error.token).strip(), expected_by(error, TERMINALS)
    return text[slash:end], (TERMINALS["$END"],)


def help_for(text: str, slash: int, vocabulary: Vocabulary) -> str:
    """How to mend a line that starts with a slash and is neither a patch nor a command."""
    word = _WORD.match(text, slash + 1, slash + 42)
    if word and word[0] not in (known := vocabulary.declared | vocabulary.patchable):
        folded = {name.lower(): name for name in sorted(known | COMMANDS)}
        if word[0].lower() in _OF_CPAT:
            return f"did you mean /cpat {word[0].lower()}?"
        near = get_close_matches(word[0].lower(), folded, n=1)
        if near:
            return f"did you mean /{folded[near[0]]}?"
    elif word and (typed := _NEARLY_MODE.match(text, word.end())):
        near = get_close_matches(typed["mode"].lower(), PATCH_MODES, n=1)
        if near and typed["mode"] != near[0]:
            return f"did you mean {near[0]} {typed['count']}?"
    return "write /goal, the content, remain and a number of turns for a patch; a text may stay as it is"


def make_patch(creator: str, element: str, content: str, mode: str, turns: object) -> Patch:
    """A patch that a program writes, not a person; its span is 0..0.

    ``creator`` says who writes it. Slashes before ``element`` and white space around ``content`` go.
    ``turns`` is a whole number from 1 to 999999, or None or ``none`` for no end.
    Raises GrammarError: empty_creator, empty_element, bad_element, empty_content, bad_mode, bad_turns.
    """
    element, content = element.strip().lstrip("/"), content.strip()
    if not creator.strip():
        raise _unmade("empty_creator", "the patch has no creator", "a name, such as user")
    if not element:
        raise _unmade("empty_element", "the patch names no element", "an element name, such as goal")
    if not ELEMENT_NAME.fullmatch(element):
        raise _unmade(
            "bad_element", f"{findings.short(element)!r} is no element name", "letters, digits, _ and -"
        )
    if not content:
        raise _unmade("empty_content", f"the patch of {element} has no content", "at least one character")
    if mode not in PATCH_MODES:
        raise _unmade("bad_mode", f"{findings.short(mode)!r} is no mode", TERMINALS["MODE"])
    if turns is not None and turns != "none" and not (type(turns) is int and 1 <= turns <= MAX_N):
        raise _unmade(
            "bad_turns", f"{turns!r} is no number of turns", "a whole number from 1 to 999999, or none"
        )
    lasting = turns if isinstance(turns, int) else None
    return Patch(element, content, mode, lasting, Span(0, 0))


def _unmade(code: str, wrong: str, expected: str) -> GrammarError:
    return GrammarError(code, f"{wrong}; expected {expected}", span=Span(0, 0), expected=(expected,))


def _parse(tokens: list[tuple[str, int, str]]) -> Tree[Token]:
    """Has patches.lark read a window that is already cut: terminal, first character, text."""
    from lark import Token

    reading = parser("patches").parse_interactive()
    for terminal, start, text in tokens:
        reading.feed_token(Token(terminal, text, start_pos=start, end_pos=start + len(text)))
    return cast("Tree[Token]", reading.feed_token(Token("$END", "")))


def cut(text: str, slash: int, end: int) -> Iterator[tuple[str, int, str]]:
    """The tokens of a line that is no patch, up to the first that says why. OTHER: what no terminal takes."""
    yield "SLASH", slash, "/"
    name = _NAME.match(text, slash + 1, end)
    if not name:
        if slash + 1 < end:
            word = _WORD.match(text, slash + 1, end)
            yield "OTHER", slash + 1, word[0] if word else text[slash + 1]
        return
    yield "ELEMENT", name.start(), name[0]
    pair = PAIR.search(text, name.end(), end)
    mode = _LAST_MODE.match(text, name.end(), end)
    mode_start = pair.start() if pair else mode.start("mode") if mode else end
    content = text[name.end() : mode_start]
    if content.strip():
        yield "CONTENT", name.end(), content
    if pair:
        typed, count = pair[0].split()
        yield "MODE", pair.start(), typed
        yield _count_terminal(count), pair.end() - len(count), count
        if text[pair.end() : end].strip():
            yield "OTHER", pair.end(), text[pair.end() : end]
    elif mode:
        yield "MODE", mode_start, mode["mode"]
        if after := _WORD.search(text, mode.end(), end):
            yield "OTHER", after.start(), after[0]


def _count_terminal(count: str) -> str:
    return "NONE" if count == "none" else "TURNS"


def _mode(typed: str) -> Mode:
    """The mode that a typed one means: ``remian`` is read as remain."""
    return next((mode for mode in PATCH_MODES if mode == typed), "remain")
