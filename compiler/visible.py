"""Text that others wrote, as a terminal may be given it."""

from __future__ import annotations

import json
import re

#: C0 and C1 controls but tab and line feed, which terminals obey, and what turns the direction of the text around it
#: (Unicode Standard Annex 9: embeddings, overrides, isolates), which hides what a line says.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with every character that a terminal would obey written as its escape (``\\x1b``)."""
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def visible_line(text: str) -> str:
    """The same of a text that stands on one line, such as a path: a line end in it is written as its escape, too."""
    return visible(text).replace("\n", "\\n")


def visible_json(value: object, indent: int = 2) -> str:
    """A value as JSON, which a terminal may be given; it is the same value when it is read."""
    return visible_json_text(json.dumps(value, ensure_ascii=False, indent=indent))


def visible_json_text(document: str) -> str:
    """A JSON document with the characters that a terminal would obey as JSON writes them (``\\u202e``)."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


def visible_xml(document: str) -> str:
    """An XML document with the characters that a terminal would obey as references (``&#x202e;``)."""
    return _OBEYED.sub(lambda found: f"&#x{ord(found[0]):x};", document)
