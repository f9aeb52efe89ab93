"""Pins that a model sets: ``<pin>…</pin>`` in its answer."""

from __future__ import annotations

import re

_PIN = re.compile(r"<pin>(.*?)(?:</pin>|\Z)", re.IGNORECASE | re.DOTALL)


def take_pins(text: str) -> tuple[str, tuple[str, ...]]:
    """(the text without its pins, the pins), trimmed; a pin that is not closed reaches to the end.

    An empty pin is none.
    """
    pins = [match.group(1).strip() for match in _PIN.finditer(text)]
    return _PIN.sub("", text).strip(), tuple(pin for pin in pins if pin)
