"""The measurements run and say what they measured; how fast is for ``make bench`` to tell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

FIGURES = {
    "version_ms", "check_ms", "turn_1k_ms", "turn_100k_ms", "turn_ratio", "stage_10k_ms", "slot_bytes",
    "open_100k_ms", "stored_call_ms",
    "fold_million_s", "fold_calls_s", "check_1k_s", "check_mb_s", "policy_compile_s", "policy_read_s",
    "recall_median_ms", "recall_p99_ms", "transaction_10k_ms", "tail_10k_ms", "tail_10k_large_ms",
    "first_count_s", "agent_plan_s",
}  # fmt: skip


def test_quick_run_prints_every_figure_with_its_bar() -> None:
    command = [sys.executable, "-m", "bench", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    shown = json.loads(done.stdout)
    assert {figure["name"] for figure in shown["figures"]} >= FIGURES
    assert all(figure["value"] > 0 and set(figure) == {"name", "value", "bar", "ok"} for figure in shown["figures"])
