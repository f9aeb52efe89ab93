"""An article: what is true now of an asset, in one Markdown file (specification of canon, section 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from .front_matter import OWNED, FrontMatter, read_front_matter
from .lengths import WHITE

_KEY_LINE = re.compile(rf"[\w-]+:[{WHITE}].*", re.ASCII)
_YAML_LINE = re.compile(r"[A-Za-z][\w-]*:.*|\s+\S.*|-\s.*|#.*", re.ASCII)
_RUN = re.compile(f"[{WHITE}]+")
_ENDS_LINE = re.compile("[\n\u2028\u2029]")
_TITLE = re.compile(f"#[{WHITE}]+([^{WHITE}].*)")


@dataclass(frozen=True)
class Article:
    """An article as it is stored: ``text`` is the whole file."""

    text: str

    @cached_property
    def front(self) -> FrontMatter:
        """The front matter and the body."""
        return read_front_matter(self.text)

    @cached_property
    def capsule(self) -> str:
        """The one line that surfaces, however it is written: a file may have been made by hand."""
        return one_line(self.front.get("capsule"))

    @property
    def updated(self) -> str:
        """The date of the last write that changed something, YYYY-MM-DD; empty when unknown."""
        return one_line(self.front.get("updated"))

    @property
    def scope(self) -> str:
        """``rule`` for an article that is declared to govern no asset of its own; else empty."""
        return one_line(self.front.get("scope"))

    @cached_property
    def body(self) -> str:
        """What follows the front matter, without white space at its end."""
        return self.front.body.rstrip(WHITE)

    @property
    def foreign(self) -> tuple[str, ...]:
        """The front matter lines of keys that are not canon's, without line ends."""
        return self.front.foreign

    @property
    def title(self) -> str:
        """The heading that the body begins with; empty when it begins with anything else."""
        return title_of(self.body)


def title_of(body: str) -> str:
    """The text of a leading `#` heading: the first line that is not blank counts, `##` is no title."""
    match = _TITLE.fullmatch(body.lstrip(WHITE).partition("\n")[0].rstrip(WHITE))
    return match[1] if match else ""


def one_line(capsule: str) -> str:
    """A capsule as it is stored: line ends with the white space around them become one space."""
    return _RUN.sub(lambda run: " " if _ENDS_LINE.search(run[0]) else run[0], capsule).strip(WHITE)


def without_pasted_front_matter(body: str) -> str:
    """A body without the front matter of a whole article that was pasted as body.

    It is taken off when each of its lines is blank or `key: value` (as the original does), or when it looks like
    YAML and holds a key of canon. A body that starts with a rule (`---`, prose, `---`) stays.
    """
    front = read_front_matter(body)
    lines = [line.rstrip("\r\n") for entry in front.entries for line in entry.lines]
    lines = [line for line in lines if line.strip(WHITE)]
    if front.fences is None:
        return body
    owned = any(front.times(key) for key in OWNED)
    plain = all(_KEY_LINE.fullmatch(line) for line in lines)
    if plain or (owned and all(_YAML_LINE.fullmatch(line) for line in lines)):
        return front.body.lstrip(WHITE)
    return body


@dataclass(frozen=True, slots=True)
class Change:
    """What a write asks for; None: this part stays as it is. An empty ``scope`` takes a declaration back."""

    capsule: str | None = None
    body: str | None = None
    scope: str | None = None


def composed(prior: Article | None, change: Change, today: str) -> Article | None:
    """The article after a write on ``today`` (YYYY-MM-DD); None when the write changes nothing.

    Only what is asked for changes in the text, and the date with it: other front matter, comments, line ends and a
    byte order mark stay to the byte. A body that is given in `\\n` takes the line ends of the file.
    """
    before = prior or Article("")
    front = before.front
    if change.capsule is not None and (capsule := one_line(change.capsule)) != before.capsule:
        front = front.with_value("capsule", capsule)
    if change.scope is not None and (scope := change.scope.strip(WHITE)) != before.scope:
        front = front.with_value("scope", scope)
    if change.body is not None:
        body = without_pasted_front_matter(change.body).rstrip(WHITE)
        if prior is not None and front.line_end == "\r\n" and "\r" not in body:
            body = body.replace("\n", "\r\n")
        # What is left of a body that was front matter alone says nothing, and erases nothing.
        if body and body != before.body:
            front = front.with_body(body + front.line_end)
    if prior is not None and front == before.front:
        return None
    if before.updated != today:
        front = front.with_value("updated", today)
    if prior is None and not front.body:
        front = front.with_body("\n")
    return Article(front.text)
