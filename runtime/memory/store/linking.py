"""Where a link in an article leads: an address of its own store, or of a mount that it names."""

from __future__ import annotations

from ....grammar.canon.addresses import contained, flaw_of, without_extension
from .layout import SUFFIX
from .mounts import Mount, Mounts


def linked(mounts: Mounts, mount: Mount, target: str) -> tuple[Mount, str] | None:
    """The mount and address of the article that ``[[target]]`` in an article of ``mount`` leads to; None: to none.

    Tried as it is written, then without an extension. The target is contained, so a link can neither look outside a
    store nor tell what is there; it may name a mount (``[[lake:prices]]``).
    """
    name, colon, rest = target.partition(":")
    other = mounts.named(name) if colon else None
    if other is not None:
        mount, target = other, rest
    address = contained(target.removesuffix(SUFFIX))
    for tried in (address, without_extension(address)):
        if flaw_of(tried) is None and mount.store.articles.path_of(tried) is not None:
            return mount, tried
    return None
