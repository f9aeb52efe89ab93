"""Errors of a canon store and of its settings."""

from __future__ import annotations

from ...grammar.errors import DccError


class CanonError(DccError):
    """A store that cannot be read or written, or options that cannot be used; nothing was changed.

    Codes: ``store_busy``, ``outside_store``, ``not_a_file``, ``too_large``, ``bad_address``, ``unreadable_entry``,
    ``unknown_option``, ``bad_option``, ``bad_settings``, ``no_folder``.
    """
