"""How the original reads and writes articles, in a few lines: an independent model to hold dcc's files against.

Made from the facts of its format alone: what it takes for front matter, which lines it drops, what it quotes.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_FRONT = re.compile(r"---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)")
_KEY = re.compile("([A-Za-z][a-zA-Z0-9_-]*):([^\n\r\u2028\u2029]*)")
_QUOTED = re.compile(r"""[:#\[\]{}"'`,&*!|>%@\\]|^\s|\s$""")


class Original(NamedTuple):
    """An article as the original holds it in memory."""

    capsule: str
    updated: str
    scope: str
    extra: tuple[str, ...]
    body: str


def read(text: str) -> Original:
    """An article from the text of its file."""
    match = _FRONT.match(text)
    if match is None:
        return Original("", "", "", (), text)
    owned = {"capsule": "", "updated": "", "scope": ""}
    extra: list[str] = []
    foreign = False
    for line in re.split(r"\r?\n", match[1]):
        key = _KEY.fullmatch(line)
        if key is not None:
            value = key[2].strip()
            foreign = key[1] not in owned or not value
            if not foreign:
                owned[key[1]] = _value(value)
        if foreign and line.strip():
            extra.append(line)
    return Original(owned["capsule"], owned["updated"], owned["scope"], tuple(extra), text[match.end() :])


def _value(written: str) -> str:
    if len(written) > 1 and written[0] == written[-1] == '"':
        try:
            return str(json.loads(written))
        except ValueError:
            return written
    return written


def write(article: Original) -> str:
    """The text of an article's file."""
    lines = ["---"]
    lines += [f"capsule: {_quoted(article.capsule)}"] if article.capsule else []
    lines += [f"updated: {article.updated}"]
    lines += [f"scope: {_quoted(article.scope)}"] if article.scope else []
    return "\n".join([*lines, *article.extra, "---", article.body.rstrip(), ""])


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False) if _QUOTED.search(value) else value
