"""Two long recorded sessions, where their files are: what keeping everything must print of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcc.runtime.hosts.pi_session import read_pi_session
from dcc.runtime.replay.compare import compare

DATA = Path(__file__).parents[4] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded sessions are not here")


@pytest.mark.parametrize(("name", "counted"), [("feature", 146), ("refactor", 125)])
def test_keeping_everything_keeps_all_evidence(name: str, counted: int) -> None:
    found = compare(read_pi_session(DATA / f"pi-{name}-session.jsonl.gz"), [], processes=1)
    keep, *others = (result.totals for result in found.results)
    assert (keep.evidence.counted, keep.evidence.kept) == (counted, counted)
    assert (keep.repeated_reads, keep.unread_removed, keep.user_verbatim, keep.restorable) == (0, 0, True, True)
    assert all(other.evidence.kept <= counted for other in others)
    assert all(other.peak <= keep.peak for other in others if other.name != "as-recorded")
