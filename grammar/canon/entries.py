"""A journal entry: what happened, in one file that is never written again (specification of canon, section 3)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from .front_matter import read_front_matter
from .lengths import WHITE
from .quoting import quote_value, read_list, read_value

#: Longest slug in UTF-8 bytes: with date, number and `.md` it fits a file name of 255 bytes.
LONGEST_SLUG = 120

#: The slug of an entry that has none.
NO_SLUG = "entry"

#: Characters of a file name that are the date.
DATE_LENGTH = len("2026-08-11")

_SUBJECT = re.compile(r"subject:(.*)", re.DOTALL)
_ITEM = re.compile(r"\s*-\s+(\S.*)")
#: What is longer is a word of digits, not a number of entries.
_NUMBER = re.compile(r"-([0-9]{1,9})\.md$", re.ASCII)


@dataclass(frozen=True, slots=True)
class Entry:
    """A journal entry. ``logged`` is an ISO 8601 instant; empty when the file does not say."""

    body: str
    subjects: tuple[str, ...] = ()
    logged: str = ""
    harness: str = ""
    session: str = ""

    @property
    def text(self) -> str:
        """The file of the entry."""
        lines = ["---"]
        if self.subjects:
            lines.append(f"subject: [{', '.join(map(quote_value, self.subjects))}]")
        lines.append(f"logged: {self.logged}")
        by = (("harness", self.harness), ("session", self.session))
        lines += [f"{key}: {quote_value(' '.join(value.split()))}" for key, value in by if value.split()]
        return "\n".join([*lines, "---", self.body.rstrip(WHITE), ""])


def read_entry(text: str) -> Entry:
    """The entry of a file, also of one that was made by hand; only its front matter says what it is about.

    (The original looks for `subject:` in the whole file, so it takes a line of the body for one.)
    """
    front = read_front_matter(text)
    plain = {entry.key: entry.value for entry in front.entries}
    lines = [line for entry in front.entries for line in entry.lines]
    return Entry(
        front.body.rstrip(WHITE),
        _subjects(lines),
        plain.get("logged", ""),
        plain.get("harness", ""),
        plain.get("session", ""),
    )


def _subjects(lines: Sequence[str]) -> tuple[str, ...]:
    """The subjects: a list on the line, one text, or a list with an item on each line below."""
    for at, line in enumerate(lines):
        match = _SUBJECT.match(line)
        if match is None:
            continue
        written = match[1].strip(WHITE)
        if written:
            found = read_list(written)
            return tuple(filter(None, (read_value(written),) if found is None else found))
        items = []
        for below in lines[at + 1 :]:
            item = _ITEM.match(below)
            if item is None:
                break
            items.append(read_value(item[1].strip(WHITE)))
        return tuple(filter(None, items))
    return ()


def slug_of(text: str) -> str:
    """The slug of a title: lower case, every run of what is no letter or digit of any script one hyphen.

    (The original keeps `a-z0-9` alone, so that a Chinese title gives `entry`.)
    """
    text = unicodedata.normalize("NFC", text.lower())
    kept = "".join(char if unicodedata.category(char)[0] in "LNM" else " " for char in text)
    slug = "-".join(kept.split()).encode("utf-8", "ignore")[:LONGEST_SLUG].decode("utf-8", "ignore")
    return slug.strip("-") or NO_SLUG


def number_of(name: str) -> int:
    """The number that tells entries of one date and slug apart: 1 for `…-slug.md`, 10 for `…-slug-10.md`.

    A slug that ends in a number is read as one, as by the original: numbers only order entries of one instant.
    """
    match = _NUMBER.search(name)
    return int(match[1]) if match else 1
