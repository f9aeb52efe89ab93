"""What a verb of the tool answers (contracts.md, ``dcc canon VERB --json``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .errors import CanonError

#: Codes of replies to a call that could not be carried out as it was given.
ERRORS: Final = frozenset(
    {
        "no_path", "no_body", "no_query", "no_article", "nothing_to_restore", "rejected", "stale", "read_only",
        "unknown_action", "bad_address", "outside_store", "not_a_file", "too_large", "schema_unreadable",
        "store_busy", "store_failed", "unreadable_entry", "unknown_option", "bad_option", "bad_settings", "no_folder",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: ``code`` is stable, ``text`` is for the model or a person, ``data`` holds what the text says.

    ``address`` names the article that it is about, with its mount. ``entered`` is the part of an article that
    entered the conversation by it, for those who keep track of what is present.
    """

    code: str
    text: str
    address: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    entered: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether what was asked for was not done."""
        return self.code in ERRORS

    def document(self) -> dict[str, Any]:
        """The reply as JSON holds it."""
        return {
            "schema_version": 1,
            "code": self.code,
            "address": self.address,
            "text": self.text,
            "data": dict(self.data),
        }


def refusal_of(error: CanonError) -> Reply:
    """What canon refuses, as a reply."""
    return Reply(error.code, f"{error.message}: {error.help}." if error.help else f"{error.message}.")
