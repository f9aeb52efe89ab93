"""Thinking that a model writes into its text, between ``<think>`` and ``</think>``."""

from __future__ import annotations

import re

_OPEN = re.compile(r"<think>", re.IGNORECASE)
_CLOSE = re.compile(r"</think>", re.IGNORECASE)


def take_thinking(text: str) -> tuple[str, str]:
    """(thinking, the rest), both trimmed: all before the last ``</think>`` is thinking, tags or not.

    Servers often swallow the opening tag, so it is not needed. A ``<think>`` that is never closed was cut off in
    its thinking: without any ``</think>`` all of the text is thinking, else what follows it.
    """
    thinking, rest = "", text
    closes = list(_CLOSE.finditer(text))
    if closes:
        thinking, rest = text[: closes[-1].start()], text[closes[-1].end() :]
        again = _OPEN.search(rest)
        if again is not None:
            thinking, rest = thinking + rest[again.end() :], rest[: again.start()]
    elif _OPEN.search(text):
        thinking, rest = text, ""
    return _CLOSE.sub("", _OPEN.sub("", thinking)).strip(), rest.strip()
