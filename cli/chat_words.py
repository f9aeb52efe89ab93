"""The lines that the chat itself answers, and no model: how it is used, and its end."""

from __future__ import annotations

from typing import Final, Literal

from ..compiler.program import Program

_WORDS: Final[dict[str, Literal["help", "quit"]]] = {"help": "help", "quit": "quit", "exit": "quit"}

HELP: Final = """\
A line is a message for the model, but for these:
/goal ship it remain 3     a patch, for three turns (or roll, refresh, none)
/dc-status                 what is on stage
/dc-rule, /dc-addrow       change a rule, add one
/dc-end goal               ends an element or a slot from the next turn on
/pin text, /cancelpin p01  a note that stays; cancels it
/dc-keep, /dc-unkeep       keeps a slot on stage; no longer
/dc-compact, /dc-recall    sums old turns up; looks for words in them
/cpat, /cpat undo          how full the context is; takes the last change back
/canon                     the project's articles, where the rules have canon
/help, /quit               this list; leaves (the session is kept)
"""


def own_word(text: str, program: Program) -> Literal["help", "quit"] | None:
    """What a whole line asks of the chat, in whatever case; None for every other, and for an element of the rules."""
    line = text.strip()
    word = line.removeprefix("/")
    if word == line or word in program.vocabulary.declared:
        return None
    return _WORDS.get(word.lower())
