"""What events say in words of their own. They are never written anew, so no redaction takes it out of them.

All else that a session holds is a content, which events name by its hash alone (kernel.md section 3).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..kernel.events import Event
from ..kernel.slots import Link


def said_in(event: Event) -> Iterator[tuple[str, str]]:
    """(what it is, its text) for every text in an event that a person, a host or a model chose."""
    data = event.data
    match event.kind:
        case "session":
            yield "the folder of the session", data["folder"]
        case "queued":
            yield _element(data["patch"][1])
        case "turn_begun" if data.get("labels"):
            labels = json.dumps(data["labels"], ensure_ascii=False)
            yield f"a label of turn {event.turn + 1}", labels
        case "slot_born":
            yield _element(data["element"])
            link = Link(*data.get("link") or ())
            for what, text in (("call id", link.wire), ("tool name", link.tool), ("key", link.key)):
                if text:
                    yield f"the {what} of {data['slot']}", text
        case "rule_changed":
            yield _element(data["element"])
        case "canon":
            yield f"what canon noted in turn {event.turn}", json.dumps(data, ensure_ascii=False)
        case "notice" if "message" in data:
            yield f"a notice of turn {event.turn}", data["message"]
        case "operated" if "reason" in data:
            yield f"the reason of a transaction in turn {event.turn}", data["reason"]


def _element(name: str) -> tuple[str, str]:
    return f"the element name {name}", name
