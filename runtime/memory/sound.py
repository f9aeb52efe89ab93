"""Text that can be sent: bytes of a file that are not UTF-8 are shown as U+FFFD in a reply, and kept in the file."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from .reply import Reply

_LONE = re.compile("[\ud800-\udfff]")


def sound(reply: Reply) -> Reply:
    """The reply without what no encoder takes."""
    entered = None if reply.entered is None else sound_text(reply.entered)
    data = _sound(dict(reply.data))
    return replace(reply, text=sound_text(reply.text), address=sound_text(reply.address), data=data, entered=entered)


def sound_text(text: str) -> str:
    """A text without what no encoder takes."""
    return text if text.isascii() else _LONE.sub("\ufffd", text)


def _sound(value: Any) -> Any:
    if isinstance(value, str):
        return sound_text(value)
    if isinstance(value, dict):
        return {_sound(key): _sound(item) for key, item in value.items()}
    return [_sound(item) for item in value] if isinstance(value, list | tuple) else value
