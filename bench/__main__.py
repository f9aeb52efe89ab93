"""Runs every measurement and prints the figures as one JSON document; exit 1 when one is over its bar.

``--quick`` uses small sizes and few rounds: it shows that the measurements work, its figures mean nothing.
"""

from __future__ import annotations

import json
import platform
import sys

from . import (
    agent_plan,
    agents,
    calibration,
    canon,
    canon_search,
    canon_surfacing,
    check,
    fold,
    governance,
    hull,
    memory,
    parse,
    policy,
    recall,
    replay,
    startup,
    store,
    turns,
)

#: The most that a figure may be, in the unit that its name ends in.
BARS = {
    "turn_1k_ms": 1.0,
    "turn_100k_ms": 1.0,
    "turn_ratio": 1.3,
    "stage_10k_ms": 2.0,
    "fold_million_s": 10.0,
    "slot_bytes": 700.0,
    "version_ms": 120.0,
    "check_ms": 350.0,
    "check_1k_s": 3.0,
    "check_mb_s": 2.0,
    "replay_s": 8.0,
    "open_100k_ms": 300.0,
    "stored_call_ms": 5.0,
    "recall_median_ms": 10.0,
    "recall_p99_ms": 60.0,
    "recall_first_ms": 60.0,
    "recall_stored_ms": 10.0,
    "recall_stored_p99_ms": 60.0,
    "parse_plain_us": 5.0,
    "parse_patch_us": 80.0,
    **policy.BARS,
    **canon.BARS,
    **canon_search.BARS,
    **canon_surfacing.BARS,
    **hull.BARS,
    **governance.BARS,
    **calibration.BARS,
    **agents.BARS,
    **agent_plan.BARS,
}

#: Reading a hostile megabyte, and how much longer two take: near 2 is linear.
PARSE_MS, PARSE_GROWTH = 100.0, 2.6


def measure(quick: bool) -> dict[str, float]:
    """Every figure by name. Start-up comes first, before this process has grown."""
    figures: dict[str, float] = {}
    parts = (
        startup, check, turns, memory, fold, recall, replay, store, policy, hull, governance, calibration, agents,
        agent_plan, canon, canon_search, canon_surfacing,
    )  # fmt: skip
    for part in parts:
        figures |= part.run(quick)
    return figures if quick else figures | {f"parse_{name}": value for name, value in parse.run().items()}


def bar_of(name: str) -> float | None:
    """The most that a figure may be; None: it is only told."""
    if name in BARS or not name.startswith("parse_"):
        return BARS.get(name)
    return PARSE_MS if name.endswith("_ms") else PARSE_GROWTH if name.endswith("_x2") else None


def document(figures: dict[str, float], quick: bool) -> dict[str, object]:
    """The figures, each with its bar and whether it keeps to it."""
    rows = []
    for name, value in figures.items():
        bar = bar_of(name)
        rows.append({"name": name, "value": round(value, 4), "bar": bar, "ok": bar is None or value <= bar})
    return {
        "schema_version": 1,
        "quick": quick,
        "python": platform.python_version(),
        "figures": rows,
        "ok": all(row["ok"] for row in rows),
    }


def main() -> int:
    """Measure, print, and give the exit code."""
    quick = sys.argv[1:] == ["--quick"]
    if sys.argv[1:] and not quick:
        print("usage: python -m bench [--quick]", file=sys.stderr)
        return 2
    shown = document(measure(quick), quick)
    print(json.dumps(shown, indent=1))
    return 0 if shown["ok"] or quick else 1


if __name__ == "__main__":
    sys.exit(main())
