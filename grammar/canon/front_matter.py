"""Front matter, read so that every byte of it can be written again (specification of canon, section 2).

The block exists when a file starts with a line `---` and a later line is exactly `---`, with at least one line
between them. A byte order mark before it is stepped over (the original then sees no front matter).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .lengths import WHITE
from .quoting import comment_after, quote_value, read_value

BOM = "\ufeff"

#: Keys that dcc writes; all others are somebody else's and are kept to the byte.
OWNED = ("capsule", "updated", "scope")

#: The one that holds a date, which is never more than one line.
DATE = "updated"

#: The order in which owned keys stand, for one that is added.
_RANK = {key: number for number, key in enumerate(OWNED)}

_KEY = re.compile(r"([A-Za-z][\w-]*):(.*)", re.ASCII | re.DOTALL)
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*(?:\s+#.*)?")


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with the lines that belong to it; ``key`` is empty for lines before the first key.

    ``lines`` keep their line ends; the first holds the key.
    """

    key: str
    lines: tuple[str, ...]

    @property
    def value(self) -> str:
        """The value as one text: plain, quoted, folded over lines or a block; empty for a list or a mapping."""
        written, below = self._written, self.lines[1 : self._length]
        texts = [text for line in below if (text := line.strip(WHITE))]
        return " ".join(texts if self._is_block else [read_value(written), *texts])

    @property
    def _written(self) -> str:
        match = _KEY.match(self.lines[0]) if self.key else None
        return match[2].strip(WHITE) if match else ""

    @property
    def _is_block(self) -> bool:
        return _BLOCK_SCALAR.fullmatch(self._written) is not None

    @property
    def _length(self) -> int:
        """The lines of the value: that of the key, and those below it on which a plain text or a block goes on."""
        written = self._written
        if not written or written[0] in "\"'" or self.key == DATE:
            return 1
        length = 1
        for number, line in enumerate(self.lines[1:], start=2):
            text = line.strip(WHITE)
            if text and line[:1] not in " \t":
                break
            if not self._is_block and (not text or text.startswith("#")):
                break
            length = number if text else length
        return length

    def with_value(self, value: str) -> Entry:
        """The same entry with another value on one line; what is not of the old value stays.

        A comment behind the old value gets a line of its own: the original would read it as a part of the new one.
        """
        start = self.lines[0]
        end = start[len(start.rstrip("\r\n")) :]
        comment = comment_after(self._written).strip(WHITE)
        beside = (*([f"{comment}{end}"] if comment else []), *self.beside)
        made = replace(self, lines=(f"{self.key}: {value}{end}", *beside))
        if made._length > 1:
            # What stood behind a quoted value would be read as a part of a plain one.
            made = replace(self, lines=(f"{self.key}: {json.dumps(value, ensure_ascii=False)}{end}", *beside))
        return made

    @property
    def beside(self) -> tuple[str, ...]:
        """The lines behind the value: comments, empty lines, keys that are not of ASCII letters."""
        return self.lines[self._length :]

    @property
    def is_structure(self) -> bool:
        """Whether the key has no value on its line but indented lines or a list below it."""
        return not self._written and any(line[:1] in " \t-" for line in self.lines[1:])


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A text in parts: ``bom``, the fences as they are written, the entries between them, and the body.

    ``fences`` is empty when there is no front matter: then all of the text is body.
    """

    bom: str
    fences: tuple[str, str] | None
    entries: tuple[Entry, ...]
    body: str

    @property
    def text(self) -> str:
        """The whole text, as it was read when nothing was set."""
        if self.fences is None:
            return self.bom + self.body
        lines = [line for entry in self.entries for line in entry.lines]
        return "".join([self.bom, self.fences[0], *lines, self.fences[1], self.body])

    @property
    def line_end(self) -> str:
        """The line end that the front matter is written with; that of the body when there is none."""
        sample = self.fences[0] if self.fences else self.body.partition("\n")[0] + "\n"
        return "\r\n" if sample.endswith("\r\n") else "\n"

    @property
    def foreign(self) -> tuple[str, ...]:
        """The lines that are not an owned key's, without line ends and empty lines."""
        lines = [
            line.rstrip("\r\n")
            for entry in self.entries
            for line in (entry.lines[1:] if entry.key in OWNED and entry.value else entry.lines)
        ]
        return tuple(line for line in lines if line.strip(WHITE))

    def get(self, key: str) -> str:
        """The value of an owned key: that of its last entry with a value; empty when there is none."""
        found = self._last(key)
        return "" if found is None else self.entries[found].value

    @staticmethod
    def _is(entry: Entry, key: str) -> bool:
        """Whether an entry is an owned key's value, or an empty place for one."""
        return entry.key == key and not entry.is_structure

    def times(self, key: str) -> int:
        """How often a key stands with a value."""
        return sum(entry.key == key and bool(entry.value) for entry in self.entries)

    def _last(self, key: str) -> int | None:
        held = [n for n, entry in enumerate(self.entries) if entry.key == key and entry.value]
        return held[-1] if held else None

    def with_value(self, key: str, value: str) -> FrontMatter:
        """The front matter with an owned key set to a value, or without the key when the value is empty."""
        if not value:
            kept = (Entry("", one.beside) if self._is(one, key) else one for one in self.entries)
            return replace(self, entries=tuple(entry for entry in kept if entry.lines))
        # A date is written as it is: YAML readers take it for one.
        written = value if key == DATE else quote_value(value)
        base = self if self.fences is not None else self._fenced()
        at = base._last(key)
        if at is None:
            empty = (n for n, entry in enumerate(base.entries) if self._is(entry, key))
            at = next(empty, None)
        if at is not None:
            return replace(base, entries=_put(base.entries, at, base.entries[at].with_value(written)))
        entry = Entry(key, (f"{key}: {written}{base.line_end}",))
        at = base._place_for(key)
        return replace(base, entries=(*base.entries[:at], entry, *base.entries[at:]))

    def with_body(self, body: str) -> FrontMatter:
        """The front matter before another body. A fence that ends the file gets the line end that it lacks."""
        fences = self.fences
        if fences is not None and not fences[1].endswith("\n"):
            fences = fences[0], fences[1] + self.line_end
        return replace(self, fences=fences, body=body)

    def _fenced(self) -> FrontMatter:
        fence = f"---{self.line_end}"
        return replace(self, fences=(fence, fence))

    def _place_for(self, key: str) -> int:
        """Behind the last owned key that comes before it; else in front of all keys."""
        before = [n for n, entry in enumerate(self.entries) if _RANK.get(entry.key, len(OWNED)) < _RANK[key]]
        if before:
            return before[-1] + 1
        return int(bool(self.entries) and not self.entries[0].key)


def _put(entries: Sequence[Entry], at: int, entry: Entry) -> tuple[Entry, ...]:
    return (*entries[:at], entry, *entries[at + 1 :])


def read_front_matter(text: str) -> FrontMatter:
    """The parts of a text. The first line that is exactly `---` ends the block."""
    bom = BOM if text.startswith(BOM) else ""
    rest = text[len(bom) :]
    if not rest.startswith(("---\n", "---\r\n")):
        return FrontMatter(bom, None, (), rest)
    start = rest.index("\n") + 1
    at, lines = start, list[str]()
    while at < len(rest):
        stop = rest.find("\n", at) + 1 or len(rest)
        line = rest[at:stop]
        if line.rstrip("\r\n") == "---" and line in ("---", "---\n", "---\r\n"):
            # A block of no lines is none: the original takes the whole file for body, and so does dcc.
            if not lines:
                break
            return FrontMatter(bom, (rest[:start], line), tuple(_entries(lines)), rest[stop:])
        lines.append(line)
        at = stop
    return FrontMatter(bom, None, (), rest)


def _entries(lines: Sequence[str]) -> Iterator[Entry]:
    key, held = "", list[str]()
    for line in lines:
        match = _KEY.match(line)
        if match:
            if held:
                yield Entry(key, tuple(held))
            key, held = match[1], []
        held.append(line)
    yield Entry(key, tuple(held))
