"""A trace of what surfacing does, for those who study it: lines of JSON that are appended to a file (section 9).

``DCC_CANON_TRACE`` names the file, and ``PI_CANON_TRACE``, as for the original, another one. That it cannot be
written changes nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from ...kernel.clock import Clock, SystemClock
from ..store.files import at_once

#: The variables that name files.
VARIABLES: Final = ("DCC_CANON_TRACE", "PI_CANON_TRACE")


class Trace:
    """Appends to the files that are named; to none without them."""

    def __init__(self, environ: Mapping[str, str] = os.environ, clock: Clock | None = None) -> None:
        self.files = tuple(dict.fromkeys(environ[name] for name in VARIABLES if environ.get(name)))
        self._clock = clock or SystemClock()

    def __call__(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Tell of a step."""
        if not self.files:
            return
        now = datetime.fromtimestamp(self._clock.now(), UTC)
        at = now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z"
        row = json.dumps({"at": at, "kind": kind, **fields}, ensure_ascii=False, default=str) + "\n"
        for name in self.files:
            with suppress(OSError), open(name, "ab", opener=at_once) as file:
                file.write(row.encode("utf-8", "backslashreplace"))
