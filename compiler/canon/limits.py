"""The sizes at which advice begins (specification of canon, section 5), in UTF-16 code units."""

from __future__ import annotations

from typing import Final

#: A body longer than this is long; one longer than the next should be several articles.
BODY_LONG: Final = 8_000
BODY_LARGE: Final = 20_000

#: A body shorter than this may as well stand in the article above it.
BODY_TINY: Final = 400

#: A capsule longer than this is a second body.
CAPSULE_LONG: Final = 1_000

#: Bytes of the largest schema.json that is read; the usual one has 1,000.
LARGEST_SCHEMA: Final = 1 << 20

#: Most dropped constraints that one write is told of, and characters of each that are repeated.
DROPPED: Final = 2
QUOTED: Final = 160
