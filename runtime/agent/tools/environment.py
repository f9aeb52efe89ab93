"""The environment of child processes: what is on a list, and never a secret."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from ....compiler.secret_names import names_a_secret

#: What programs need to find their way: no variable of these holds a secret.
ALLOWED: Final = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "TMPDIR",
    "SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
})  # fmt: skip

#: ``LC_ALL``, ``LC_CTYPE``, …
_ALLOWED_PREFIX: Final = "LC_"

#: Shorter values are too common to be looked for inside others.
_SHORTEST_SECRET = 8


def child_environment(
    environ: Mapping[str, str], more: Collection[str] = (), secrets: Collection[str] = (), *, trusted: bool = False
) -> dict[str, str]:
    """The variables of ``environ`` that a child process gets.

    ``more`` are names beside the list. ``secrets`` are values that dcc holds (keys of providers): a variable that
    contains one is left out whatever its name. A name that says secret is left out too, unless a person named it in
    ``more`` for a program of their own (``trusted``).
    """
    held = [secret for secret in secrets if len(secret) >= _SHORTEST_SECRET]
    short = {secret for secret in secrets if 0 < len(secret) < _SHORTEST_SECRET}
    return {
        name: value
        for name, value in environ.items()
        if name in ALLOWED or name.startswith(_ALLOWED_PREFIX) or name in more
        if not names_a_secret(name) or (trusted and name in more)
        if value not in short and not any(secret in value for secret in held)
    }
