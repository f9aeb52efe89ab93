"""What the work is about, in words: tool calls and what people said, never results (specification, section 9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ....grammar.canon.lengths import WHITE

#: The arguments of a tool call that say what it is after; the first of them that is there counts.
TELLING: Final = ("path", "file_path", "pattern", "query", "command", "description")

#: Characters of an argument that are used.
LONGEST_ARGUMENT: Final = 200

#: Characters of what people said that are used, the newest first.
LONGEST_WORDS: Final = 1_500

#: How canon's own messages begin, here and in the original: they are no words of people.
MARKS: Final = ("[pi-canon]", "[canon]")

#: What the original calls its messages where hosts give them a type.
_CUSTOM: Final = frozenset({"pi-canon", "canon"})

_CUT: Final = "\n...\n"


class Intents:
    """What one call is about. Tool calls count until they are cleared, words until others are heard."""

    def __init__(self) -> None:
        self._words: tuple[str, ...] = ()
        self._noted: list[str] = []

    def note(self, intent: str) -> None:
        """A tool was called, or something was said in this call."""
        if intent:
            self._noted.append(intent)

    def hear(self, words: Sequence[str]) -> None:
        """This is what people have said so far, oldest first (see ``user_words``)."""
        self._words = tuple(words)

    def clear(self) -> None:
        """The call is over: what comes is about itself alone."""
        self._noted.clear()

    @property
    def query(self) -> str:
        """What to look for, the newest first; blank when there is nothing."""
        return query_of([*self._words, *self._noted])


def query_of(intents: Sequence[str]) -> str:
    """The query of intents in the order in which they came: the newest leads."""
    return "\n".join(intents[::-1])


def intent_of_call(tool: str, arguments: Mapping[str, object]) -> str:
    """What a tool call is after: the name of the tool, and the first argument that tells."""
    for name in TELLING:
        value = arguments.get(name)
        if isinstance(value, str) and (text := value.strip(WHITE)):
            return f"{tool} {text[:LONGEST_ARGUMENT]}"
    return tool


def words_of(message: object) -> str:
    """What a message of a conversation says in a person's words; nothing for any other message."""
    if not isinstance(message, Mapping) or message.get("role") != "user":
        return ""
    custom = message.get("customType")
    text = _text(message.get("content")).strip(WHITE)
    is_ours = (isinstance(custom, str) and custom in _CUSTOM) or text.startswith(MARKS)
    return "" if is_ours else text


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def user_words(messages: object) -> tuple[str, ...]:
    """What people said in the messages of a conversation, oldest first; the newest of it when it is long."""
    if not isinstance(messages, list | tuple):
        return ()
    return bounded(text for message in reversed(messages) if (text := words_of(message)))


def bounded(newest_first: Iterable[str]) -> tuple[str, ...]:
    """Texts that come newest first, as many as there is room for, oldest first. One that is too long loses its middle.

    (In the original a message slips in whole when room for a few characters is left.)
    """
    kept: list[str] = []
    room = LONGEST_WORDS
    for text in newest_first:
        if len(text) > room:
            half = (room - len(_CUT)) // 2
            if half > 0:
                kept.append(f"{text[:half]}{_CUT}{text[-half:]}")
            break
        kept.append(text)
        room -= len(text)
    return tuple(kept[::-1])
