"""The reserve of a window: what stays free for an answer, and how much of the window it may take.

Source: spec of the agent runtime, section 5 and its issue 87102: with a reserve of 70,000 tokens in a window of
120,000 a prompt of 54,000 tokens was refused for ever.
"""

from __future__ import annotations

from typing import Final

#: Of so many parts of the window the reserve is at most one.
PARTS: Final = 2


def kept_free(written: int, window: int) -> int:
    """The tokens of ``window`` that a written reserve keeps free: never more than half of it."""
    return min(written, window // PARTS)
