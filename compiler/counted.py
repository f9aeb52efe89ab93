"""A number of things, in words."""

from __future__ import annotations


def counted(n: int, one: str, many: str = "") -> str:
    """``1 article``, ``2 articles``; ``many`` for a plural that is more than an s."""
    return f"{n} {one if n == 1 else many or f'{one}s'}"
