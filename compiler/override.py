"""A ruleset with one value replaced, for sweeps over a parameter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .documents import read_text, resolve
from .load import find_ruleset, read_ruleset


def override(ruleset: str | Path, path: tuple[str, ...], value: Any, *, folder: Path | None = None) -> dict[str, Any]:
    """The values of a ruleset, with all that it extends, and ``value`` at ``path`` in them.

    ``path`` are keys from the top; mappings that are not there yet are made. A life cycle written as a pair
    ``[start, end]`` is read as the mapping it is short for. Raises ``CompileError`` (``no_ruleset``).
    """
    own = find_ruleset(ruleset, folder if folder is not None else Path())
    chain = resolve(read_text(str(own), read_ruleset(own, ruleset)), own.parent, own)
    return {key: item for key, item in _replaced(chain.data, path, value).items() if key != "extends"}


def _replaced(data: Any, path: tuple[str, ...], value: Any) -> Any:
    if not path:
        return value
    if isinstance(data, list) and len(data) == 2:
        data = {"start": data[0], "end": data[1]}
    mapping = data if isinstance(data, dict) else {}
    return {**mapping, path[0]: _replaced(mapping.get(path[0]), path[1:], value)}
