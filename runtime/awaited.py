"""Awaited: what the next request will hold otherwise than the last one, and why, when a session is taken up again.

The breaks that it comes to have the causes that they would have had without the interruption (kernel.md section 5).
"""

from __future__ import annotations

from .kernel.events import Event
from .store.interface import Store

#: Events that are read at first, from the newest back; if the last reply lies before them, eight times as many.
_FIRST = 64


def causes_since_reply(store: Store, last: int) -> dict[str, str]:
    """The cause of the last event of each slot that had one since the last reply; ``last``: the seq of the last event.

    Costs O(events since the last reply). Raises EventError (``damaged_events``).
    """
    back = _FIRST
    while True:
        start = max(0, last - back)
        events = list(Event.from_rows(store.rows(start)))
        replies = [n for n, event in enumerate(events) if event.kind == "reply"]
        if replies or start == 0:
            since = events[replies[-1] + 1 :] if replies else events
            return {event.data["slot"]: event.cause for event in since if "slot" in event.data}
        back *= 8
