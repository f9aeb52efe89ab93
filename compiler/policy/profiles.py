"""The profiles: ready allow lists by name (agent runtime spec, section 1.3)."""

from __future__ import annotations

from collections.abc import Mapping

from .names import OWN_GROUPS

#: Profiles, looked up exactly. None: no policy at all.
PROFILES: Mapping[str, tuple[str, ...] | None] = {
    "coding": ("group:fs", "group:runtime", "group:sessions", "group:memory", "image"),
    "full": None,
    "messaging": ("group:messaging", "sessions_list", "sessions_history", "sessions_send", "session_status"),
    "minimal": ("session_status",),
}


def own_entries(profile: str, *, offloads: bool) -> tuple[str, ...]:
    """The entries for dcc's own tools that a profile has besides.

    Every profile but minimal has them all; minimal has ``artifact_get`` where a rule makes results into addresses
    (``offloads``), which a model could not open otherwise.
    """
    if profile == "minimal":
        return ("artifact_get",) if offloads else ()
    return tuple(OWN_GROUPS)
