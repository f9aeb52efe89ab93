"""The ``schema.json`` that a new store gets: it asks nothing that advice does not say anyway."""

from __future__ import annotations

import json
from typing import Any, Final

from .limits import BODY_LARGE, CAPSULE_LONG

_DEFAULTS: Final[dict[str, Any]] = {
    "schema_version": 1,
    "about": (
        "What this store asks of its articles. A rule with required true refuses a write that breaks it; "
        "all others warn. Delete a rule to drop it, or the file to ask nothing. It is never overwritten."
    ),
    "article": {
        "capsule": {
            "required": False,
            "max_chars": CAPSULE_LONG,
            "hint": "One dense line of what is true now; it surfaces when the asset is touched.",
        },
        "title": {"required": False, "hint": "Begin the body with a # heading that names the asset."},
        "body": {
            "max_chars": BODY_LARGE,
            "hint": "Keep a summary here, and move detail into articles below this address.",
        },
    },
    "relations": {
        "refs": {"required": False, "hint": "Link what this concerns: [[address]]."},
        "orphan": {"warn": False, "hint": "Link this article from another one."},
        "children": {"listed": False, "hint": "Link every article directly below this address."},
    },
}


def default_schema() -> str:
    """The text of the file."""
    return json.dumps(_DEFAULTS, ensure_ascii=False, indent=2) + "\n"
