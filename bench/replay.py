"""How long six policies over two recorded sessions take, where the sessions are (``../shared/data``)."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from dcc.runtime.hosts.pi_session import read_pi_session
from dcc.runtime.replay.choice import NAMES
from dcc.runtime.replay.compare import compare

DATA = Path(__file__).parents[2] / "shared" / "data"

#: The measure, what was recorded, a ruleset, and one of each family of reference policies.
POLICIES = tuple(name for name in NAMES if name != "clear-results-batched")


def run(quick: bool = False) -> dict[str, float]:
    """Seconds for all of it, reading included; without the sessions nothing is measured."""
    sessions = sorted(DATA.glob("*.jsonl.gz"))[: 1 if quick else None]
    if not sessions:
        return {}
    start = perf_counter()
    for path in sessions:
        compare(read_pi_session(path), [], POLICIES)
    return {"replay_s": perf_counter() - start}


if __name__ == "__main__":
    for figure, value in run().items():
        print(f"{figure:24} {value:10.2f}")
