"""Tags of the tail that a model repeats in its answer: they are no part of what it says (spec/cpat.md section 8)."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})", re.MULTILINE)
_MANIFEST = re.compile(r"<context_manifest(?: base=\"\d*\")?>.*?</context_manifest>\n?", re.DOTALL)
_LONE = re.compile(r"</?context_manifest>|\[block:[\w-]+@\d+(?:\.\d+)?\] ?|\[block:[a-z]+_\d+\] ?")


def without_tags(text: str) -> str:
    """The text without ``[block:…]`` and ``<context_manifest>``, but for what stands in a code fence."""
    if "[block:" not in text and "context_manifest" not in text:
        return text
    return "".join(part if fenced else _LONE.sub("", _MANIFEST.sub("", part)) for part, fenced in _parts(text))


def _parts(text: str) -> list[tuple[str, bool]]:
    """The text cut at its code fences: (part, whether it is fenced). A fence that is not closed reaches to the end."""
    parts: list[tuple[str, bool]] = []
    done = 0
    while (opened := _FENCE.search(text, done)) is not None:
        closing = re.compile(rf"^[ ]{{0,3}}{opened[1]}[ \t]*$", re.MULTILINE).search(text, opened.end())
        end = closing.end() if closing is not None else len(text)
        parts += [(text[done : opened.start()], False), (text[opened.start() : end], True)]
        done = end
    return [*parts, (text[done:], False)]
