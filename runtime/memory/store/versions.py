"""The texts that writes replaced: kept for a while, so that a write over somebody else's can be taken back."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ....grammar.canon.articles import Article
from ..errors import CanonError
from .articles import Stored
from .files import as_bytes, as_text, read_file
from .layout import OWN, SUFFIX, Layout

#: The name of a version; a file of any other name is not dcc's, and never taken away.
_NAME: Final = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9a-f]+")

#: How its instant is written.
_STAMP: Final = "%Y%m%dT%H%M%S.%fZ"

#: Versions of an article that are kept; older ones go.
KEPT: Final = 20


@dataclass(frozen=True, slots=True)
class Version:
    """A text that was replaced: its name (an instant, with ``base`` behind it), oldest first in order of names."""

    name: str
    path: str

    @property
    def base(self) -> str:
        """The fingerprint of the text."""
        return self.name.rpartition("-")[2]


class Versions:
    """The replaced texts of a store's articles, a folder an address."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def keep(self, stored: Stored, instant: str) -> None:
        """Keep the text that is about to be replaced. The caller holds the lock of the store.

        A text that is the newest version already, since a write before did not come to its end, is not kept twice.
        Raises CanonError (``outside_store``) when a link leads out of the folder of versions.
        """
        folder = self._folder(stored.address)
        if not self._is_inside(folder):
            raise CanonError("outside_store", f"{folder} leads out of the store", help="take the link away")
        os.makedirs(folder, exist_ok=True)
        known = self.of(stored.address)
        if known and known[-1].base == stored.base:
            return
        path = f"{folder}/{_stamp(instant, known)}-{stored.base}"
        try:
            # The old file itself, under a second name: nothing is copied.
            os.link(os.path.realpath(stored.path), path)
        except OSError:
            with open(path, "xb") as copy:
                copy.write(as_bytes(stored.article.text))
        for old in known[: max(0, len(known) + 1 - KEPT)]:
            with suppress(OSError):
                os.unlink(old.path)

    def of(self, address: str) -> list[Version]:
        """The versions of an address, oldest first."""
        folder = self._folder(address)
        names = os.listdir(folder) if os.path.isdir(folder) and self._is_inside(folder) else []
        return [Version(name, f"{folder}/{name}") for name in sorted(filter(_NAME.fullmatch, names))]

    def read(self, version: Version) -> Article | None:
        """The text of a version; None when it is gone, or a link."""
        data = None if os.path.islink(version.path) else read_file(version.path)
        return None if data is None else Article(as_text(data))

    def _folder(self, address: str) -> str:
        return f"{self._layout.replaced}/{address}{SUFFIX}"

    def _is_inside(self, folder: str) -> bool:
        """Whether no link leads out of the folder of versions on the way to one of its folders."""
        root = os.path.join(os.path.realpath(self._layout.root), OWN, os.path.basename(self._layout.replaced))
        return os.path.realpath(folder).startswith(root + os.sep)


def _stamp(instant: str, known: Sequence[Version]) -> str:
    """The instant (ISO 8601, milliseconds) as a version's name begins with it, always behind those that are known.

    The clock may have gone back, or not on: the next millisecond behind the newest is taken then.
    """
    stamp = instant.replace(":", "").replace("-", "")
    newest = known[-1].name.rpartition("-")[0] if known else ""
    if stamp > newest:
        return stamp
    with suppress(OverflowError, ValueError):
        following = datetime.strptime(newest, _STAMP) + timedelta(milliseconds=1)
        return f"{following:%Y%m%dT%H%M%S}.{following.microsecond // 1000:03d}Z"
    return stamp
