"""Arguments as models send them: what is of another type counts as not given, and nothing raises."""

from __future__ import annotations

from collections.abc import Mapping

from ....grammar.canon.lengths import WHITE

Arguments = Mapping[str, object]


def text_of(arguments: Arguments, name: str) -> str | None:
    """The text of an argument; None when it is not given, blank, or no text.

    An empty text never erases what is stored. (In the original one of blanks does.)
    """
    value = arguments.get(name)
    return value if isinstance(value, str) and value.strip(WHITE) else None


def texts_of(arguments: Arguments, name: str) -> tuple[str, ...]:
    """The texts of a list; anything else is none."""
    value = arguments.get(name)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ()
