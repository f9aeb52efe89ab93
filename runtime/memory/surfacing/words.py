"""Shell text as simple commands: their words without quotes, and where their output goes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command: its words, and the files that its output is redirected to."""

    words: tuple[str, ...]
    outputs: tuple[str, ...] = ()


_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1")
_REDIRECTION = re.compile(r"(?:\d*|&)>(?:>|\|)?")
_ENDS: Final = ";&|\n()`"

#: Characters of commands that are read, without here-documents; nobody writes more.
LONGEST: Final = 1 << 18

#: Substitutions in substitutions that are read; nobody writes more.
_DEEPEST: Final = 8


@dataclass(slots=True)
class _Reader:
    text: str
    depth: int
    at: int = 0
    words: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    def commands(self) -> Iterator[Command]:
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in _ENDS and not self._is_redirection():
                self.at += 1
                yield from self._ended()
            elif char in " \t\r{}":
                self.at += 1
            elif char == "#":
                self._skip_line()
            elif self._is_redirection():
                self._redirection()
            elif char in "<>":
                self.at += 1  # What comes in changes nothing; the rest is an arrow or a comparison.
            else:
                yield from self._word_and_inner()
        yield from self._ended()

    def _ended(self) -> Iterator[Command]:
        if self.words or self.outputs:
            yield Command(tuple(self.words), tuple(self.outputs))
            self.words.clear()
            self.outputs.clear()

    def _skip_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def _is_redirection(self) -> bool:
        match = _REDIRECTION.match(self.text, self.at)
        # An arrow or a comparison is none: code in other languages comes this way too.
        return match is not None and self.text[match.end() : match.end() + 1] not in ("=", "(")

    def _redirection(self) -> None:
        match = _REDIRECTION.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        if self.text.startswith("&", self.at):
            # To a descriptor; `>&file` is as good as never written.
            self.at += 1
            self._word()
            return
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        target, _ = self._word()
        if target:
            self.outputs.append(target)

    def _word_and_inner(self) -> Iterator[Command]:
        word, inner = self._word()
        self.words.append(word)
        if self.depth < _DEEPEST:
            for text in inner:
                yield from commands_in(text, self.depth + 1)

    def _word(self) -> tuple[str, list[str]]:
        """One word without its quotes, and the texts of the commands that are substituted in it."""
        parts: list[str] = []
        inner: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "'":
                parts.append(self._until("'", self.at + 1))
            elif char == '"':
                quoted = self._quoted()
                parts.append(quoted)
                inner += _substituted(quoted)
            elif char == "\\":
                parts.append(self.text[self.at + 1 : self.at + 2])
                self.at += 2
            elif self.text.startswith("$(", self.at):
                end = _closing(self.text, self.at + 2)
                inner.append(self.text[self.at + 2 : end])
                self.at = end + 1
            elif char in " \t\r<" or char in _ENDS or (char == ">" and self.text[self.at - 1] not in "=-"):
                break
            else:
                parts.append(char)
                self.at += 1
        return "".join(parts), inner

    def _until(self, quote: str, start: int) -> str:
        end = self.text.find(quote, start)
        end = len(self.text) if end < 0 else end
        self.at = end + 1
        return self.text[start:end]

    def _quoted(self) -> str:
        parts: list[str] = []
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != '"':
            if self.text[self.at] == "\\":
                self.at += 1
            parts.append(self.text[self.at : self.at + 1])
            self.at += 1
        self.at += 1
        return "".join(parts)


def commands_in(text: str, depth: int = 0) -> Iterator[Command]:
    """The simple commands of a text, those in substitutions and subshells among them; texts of here-documents are none.

    It never fails: what is no shell gives words that mean nothing. ``depth``: substitutions around the text.
    """
    return _Reader(_without_heredocs(text.replace("\\\n", " "))[:LONGEST], depth).commands()


def _without_heredocs(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (match := _HEREDOC.search(text, at)) is not None and (line_end := text.find("\n", match.end())) >= 0:
        kept.append(text[at : line_end + 1])
        end = re.compile(rf"^[ \t]*{match.group(2)}[ \t\r]*$", re.MULTILINE).search(text, line_end + 1)
        at = len(text) if end is None else end.end()
    return "".join((*kept, text[at:]))


def _substituted(quoted: str) -> list[str]:
    """The texts of the commands that are substituted inside of double quotes."""
    found: list[str] = []
    at = 0
    while (start := quoted.find("$(", at)) >= 0:
        at = _closing(quoted, start + 2)
        found.append(quoted[start + 2 : at])
    return found


def _closing(text: str, start: int) -> int:
    """Where the parenthesis closes that was opened before ``start``; the end of the text, if it does not."""
    depth = 1
    for position in range(start, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if not depth:
            return position
    return len(text)
