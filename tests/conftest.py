"""Property tests draw the same examples everywhere: a failure here is a failure on every machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("dcc", derandomize=True, database=None, deadline=None)
settings.load_profile("dcc")
