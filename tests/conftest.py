"""Property tests draw the same examples everywhere: a failure here is a failure on every machine.

What dcc derives goes to a folder of the test run, never to the user's cache. Ctrl-C works in what the tests start.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("dcc", derandomize=True, database=None, deadline=None)
settings.load_profile("dcc")

# A shell starts what runs in the background with Ctrl-C ignored, and what the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The folder of everything that is derived."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DCC_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
