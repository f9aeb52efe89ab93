"""Plugins that installed distributions bring: entry points of the group ``dcc.tools``, by name alone.

Nothing of them is imported: what their tools are called is known when they are (``runtime/agent/tools/plugins.py``).
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Final

#: The group of entry points whose names are ids of plugins.
GROUP: Final = "dcc.tools"


def installed_plugins() -> tuple[str, ...]:
    """The ids of the plugins that are installed. They are looked for once for a search path of modules."""
    return _on(tuple(sys.path))


@cache
def _on(path: tuple[str, ...]) -> tuple[str, ...]:
    from importlib.metadata import entry_points

    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))
