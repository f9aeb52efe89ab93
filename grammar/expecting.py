"""What may come next on a line that is being typed: the parsers' own expected tokens, for completion and hints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .ast import Vocabulary
from .bounds import WORDS as BOUND_WORDS
from .commands import RULE_MODES, USAGE
from .commands import TERMINALS as COMMAND_TERMINALS
from .lalr import accepted, parser
from .names import COMMANDS
from .patches import PATCH_MODES, cut
from .patches import TERMINALS as PATCH_TERMINALS


@dataclass(frozen=True, slots=True)
class Expected:
    """What the word under the cursor may be.

    ``at``: the character where that word begins. ``words``: the words that the grammar and the ruleset know for it,
    sorted. ``terminals``: the tokens that may stand there, by their names in the grammars; a host knows which slots
    a SLOT may be. ``said``: the same for people. ``usage``: how the whole command is written, None for a patch.
    """

    at: int
    words: tuple[str, ...] = ()
    terminals: frozenset[str] = frozenset()
    said: tuple[str, ...] = ()
    usage: str | None = None


#: The words of each terminal that has a closed list of them.
_WORDS: Mapping[str, tuple[str, ...]] = {
    "RULE_MODE": RULE_MODES,
    "BOUND": (*(word for word in BOUND_WORDS if word not in ("cycle", "labelled")), "born+"),
    "ALL": ("all",),
    "VIEW": ("manifest", "journal", "on", "off"),
    "UNDO": ("undo",),
    "WHY": ("why",),
    "STATUS": ("status",),
    "SETTINGS": ("settings",),
    "MODE": PATCH_MODES,
    "NONE": ("none",),
}
_LAST_WORD = re.compile(r"\S*\Z")
_COMMAND = re.compile(r"\s*/([\w-]+)\s")
#: A slash where a patch may begin (language.md section 3, rule 1), with its name.
_CANDIDATE = re.compile(r"(?:^|(?<=[\s\u3000-\u303f\u3400-\u9fff\uff00-\uffef]))/([^\W\d][\w-]*)(?=\s)")
#: More of a line than this is not read while somebody types.
_REACH = 2_000


def expecting(text: str, vocabulary: Vocabulary) -> Expected | None:
    """What may come at the end of ``text``; None where plain text is being typed."""
    start = text.rfind("\n") + 1
    line = text[start:]
    if "/" not in line or len(line) > _REACH:
        return None
    word = _LAST_WORD.search(line)
    at = word.start() if word else len(line)
    if line[at:].startswith("/"):
        return _names(start + at, first=not line[:at].strip(), alone=not text[:start].strip(), vocabulary=vocabulary)
    command = _COMMAND.match(line)
    if command and command[1] in COMMANDS:
        return None if text[:start].strip() else _in_command(line[:at], start, command[1], vocabulary)
    return _in_patch(line[:at], start, vocabulary)


def _names(at: int, *, first: bool, alone: bool, vocabulary: Vocabulary) -> Expected:
    """A name after a slash: in the middle of a line a patchable element, at its start any, or a command."""
    names = vocabulary.declared | vocabulary.patchable if first else vocabulary.patchable
    commands = COMMANDS if first and alone else frozenset()
    said = ("a command", "an element to patch") if commands else ("an element to patch",)
    return Expected(at, tuple(sorted(f"/{name}" for name in names | commands)), frozenset({"NAME"}), said)


def _in_command(before: str, start: int, word: str, vocabulary: Vocabulary) -> Expected | None:
    from lark import UnexpectedInput

    reading = parser("commands").parse_interactive(before)
    try:
        read = list(reading.exhaust_lexer())
    except UnexpectedInput:
        return None
    terminals = frozenset({"TEXT"}) if read and read[-1].type == "TEXT" else accepted(reading)
    # An alias is written as the command that it stands for.
    usage = next((line for line in USAGE.values() if line.split()[0] == f"/{word}"), None)
    return _expected(start + len(before), terminals, COMMAND_TERMINALS, vocabulary, usage)


def _in_patch(before: str, start: int, vocabulary: Vocabulary) -> Expected | None:
    """The last patch that the line may hold."""
    named = [
        found for found in _CANDIDATE.finditer(before)
        if found[1] in vocabulary.patchable or not before[: found.start()].strip()
    ]  # fmt: skip
    if not named:
        return None
    reading = parser("patches").parse_interactive()
    from lark import Token

    for terminal, at, text in cut(before, named[-1].start(), len(before.rstrip())):
        if terminal not in accepted(reading):
            return None
        reading.feed_token(Token(terminal, text, start_pos=at))
    terminals = accepted(reading)
    if terminals == {"$END"}:
        return None
    return _expected(start + len(before), terminals, PATCH_TERMINALS, vocabulary, None)


def _expected(
    at: int, terminals: frozenset[str], said: Mapping[str, str], vocabulary: Vocabulary, usage: str | None
) -> Expected:
    known = sorted(vocabulary.declared | vocabulary.patchable)
    words: list[str] = []
    for terminal in said:
        if terminal in terminals:
            words += known if terminal in ("ELEMENT", "TARGET") else _WORDS.get(terminal, ())
    return Expected(at, tuple(words), terminals, tuple(_in_words(terminals, said)), usage)


def _in_words(terminals: frozenset[str], said: Mapping[str, str]) -> Iterable[str]:
    return (words for terminal, words in said.items() if terminal in terminals)
