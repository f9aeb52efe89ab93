"""Elements that a model writes: ``<name>…</name>`` becomes a slot of that name."""

from __future__ import annotations

import re
from bisect import bisect

from ...grammar.names import ELEMENT_NAME, PROTOCOL_ELEMENTS

_TAG = re.compile(rf"<(/?)({ELEMENT_NAME.pattern})>")

#: Names that a model cannot write a slot of: those a protocol is made of, and those dcc itself makes (pins,
#: summaries, endings). Their tags are text.
_NOT_WRITTEN = PROTOCOL_ELEMENTS | {"system"}
_MADE = re.compile(r"pin_.*|\d+_summary|.+_end")


def take_elements(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """(the text beside the elements, (name, content) of each in order), trimmed.

    An element reaches from ``<name>`` to the first ``</name>`` after it; what stands inside is its content as it
    is. A tag without a partner is text, and so is a pin: whoever takes the pins looks at both. Reads the text
    once.
    """
    tags = list(_TAG.finditer(text))
    closes: dict[str, list[int]] = {}
    for at, tag in enumerate(tags):
        if tag.group(1):
            closes.setdefault(tag.group(2), []).append(at)
    beside: list[str] = []
    elements: list[tuple[str, str]] = []
    done, at = 0, 0
    while at < len(tags):
        name = tags[at].group(2)
        partners = closes.get(name, [])
        partner = bisect(partners, at)
        if tags[at].group(1) or partner == len(partners):
            at += 1
            continue
        close = partners[partner]
        if is_written(name):
            beside.append(text[done : tags[at].start()])
            elements.append((name, text[tags[at].end() : tags[close].start()].strip()))
            done = tags[close].end()
            at = close + 1
        else:
            # A pin is whole: what stands in it is no element. Other names are transparent.
            at = close + 1 if name.lower() == "pin" else at + 1
    return "".join((*beside, text[done:])).strip(), tuple(elements)


def is_written(name: str) -> bool:
    """Whether an answer may bear slots of this name."""
    return name not in _NOT_WRITTEN and name.lower() not in ("think", "pin") and not _MADE.fullmatch(name)
