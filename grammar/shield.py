"""Hides from the scanner what a message only shows: fenced code and quoted lines (language.md section 3)."""

from __future__ import annotations

import re

from .blanks import BLANK


def _fence(mark: str, info: str) -> str:
    """Fenced code from its opening line to its closing line or the text's end; ``info``: what may follow."""
    name = "tick" if mark == "`" else "tilde"
    close = rf"{BLANK}*+(?P={name}){mark}*+{BLANK}*+$"
    return rf"{BLANK}*+(?P<{name}>{mark}{{3,}}+){info}*+$(?:\n(?!{close}).*+)*+(?:\n.*+)?+"


_FENCES = "|".join((_fence("`", r"[^`\n]"), _fence("~", ".")))
_SHIELDED = re.compile(
    rf"^(?:(?P<fence>(?:(?:{_FENCES})(?:\n|\Z))++)|(?:{BLANK}*+>.*+(?:\n|\Z))++)", re.MULTILINE
)


def shield(source: str) -> str:
    """``source`` with nothing to read in fenced code and quoted lines; every character keeps its place.

    Fenced code becomes a blank line, which stops a patch that runs on just as a fence does. A quoted line
    does not stop it, so it only loses the letters that a slash name or a pair begins with.
    """
    if not (">" in source or "```" in source or "~~~" in source):
        return source
    return _SHIELDED.sub(_hide, source)


def _hide(block: re.Match[str]) -> str:
    text = block[0]
    if block["fence"] is None:
        return text.replace("/", ">").replace("r", ">")
    return " " * (len(text) - 1) + text[-1] if text[-1] == "\n" else " " * len(text)
