"""An answer as it is shown while it comes: what will not be part of its text is held back (see ``parse``).

What is shown cannot be taken back: where a model leaves the opening ``<think>`` out, its thinking was shown as text
before the closing one tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...grammar.names import ELEMENT_NAME
from .parse import Parser, parse_answer
from .tags import is_written

Show = Callable[[str], None]

_THINK_OR_PIN = re.compile(r"<(/?)(think|pin)>", re.IGNORECASE)
_ANY = re.compile(rf"<(/?)({ELEMENT_NAME.pattern})>")

#: What may yet become a tag, at the end of what has come. A name is no longer than this.
_BEGUN = re.compile(r"</?[\w-]{0,64}\Z")


class StreamedAnswer:
    """Takes the pieces of one answer, and shows its text and its thinking as far as they are known."""

    def __init__(self, parser: Parser, on_text: Show, on_thinking: Show) -> None:
        self._tag = _ANY if parser == "tagged" else _THINK_OR_PIN
        self._on_text = on_text
        self._on_thinking = on_thinking
        self._waiting = ""
        self._held: list[str] = []
        self._inside = ""
        self._has_begun = False

    def take(self, piece: str) -> None:
        """The next piece."""
        self._waiting += piece
        while self._inside or self._waiting:
            if not (self._go_on_inside() if self._inside else self._go_on()):
                return

    def end(self) -> None:
        """There are no more pieces: what was held back for a tag that never came is shown."""
        inside, waiting, held = self._inside, self._waiting, "".join(self._held)
        self._waiting, self._inside = "", ""
        self._held.clear()
        if inside == "think":
            self._think(waiting)
        elif inside and inside != "pin":
            # A tag without a partner is text; those behind it may have theirs.
            self._show(parse_answer(held + waiting, "tagged").assistant)
        elif not inside:
            self._show(waiting)

    def _go_on(self) -> bool:
        """Show what is surely text, up to the next tag; False: more must come first."""
        text = self._waiting
        tag = self._tag.search(text)
        if tag is None:
            begun = _BEGUN.search(text)
            at = begun.start() if begun is not None else len(text)
            self._show(text[:at])
            self._waiting = text[at:]
            return False
        self._show(text[: tag.start()])
        self._waiting = text[tag.end() :]
        closes, name = bool(tag.group(1)), tag.group(2)
        kind = name.lower()
        if kind == "think" or name == "assistant":
            self._inside = "think" if kind == "think" and not closes else ""
        elif not closes and (kind == "pin" or is_written(name)):
            self._inside = "pin" if kind == "pin" else name
            self._held.append(tag.group())
        else:
            self._show(tag.group())
        return True

    def _go_on_inside(self) -> bool:
        """Take what stands in a tag, up to its end; False: more must come first."""
        text, close = self._waiting, f"</{self._inside}>"
        found = re.search(re.escape(close), text, re.IGNORECASE if self._inside in ("think", "pin") else 0)
        is_over = found is not None
        # What may be the beginning of the end waits.
        begun = text.rfind("<", max(0, len(text) - len(close) + 1))
        at, after = found.span() if found is not None else (begun if begun >= 0 else len(text),) * 2
        self._waiting = text[after:]
        if self._inside == "think":
            self._think(text[:at])
        elif not is_over:
            self._held.append(text[:at])
        if is_over:
            self._inside = ""
            self._held.clear()
        return is_over

    def _show(self, text: str) -> None:
        """Show text; blanks before the first of it are none."""
        text = text if self._has_begun else text.lstrip()
        if text:
            self._has_begun = True
            self._on_text(text)

    def _think(self, text: str) -> None:
        if text:
            self._on_thinking(text)
