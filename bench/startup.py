"""How long the command takes to answer, as fresh processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

RULES = "life_cycle:\n  user: [born, null]\n  toolResult: [born, born+4 calls]\n"


def run(quick: bool) -> dict[str, float]:
    """Medians in milliseconds."""
    times = 3 if quick else 21
    with TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.yaml"
        rules.write_text(RULES, encoding="utf-8")
        return {"version_ms": _ms(["--version"], times), "check_ms": _ms(["check", str(rules)], times)}


def _ms(arguments: list[str], times: int) -> float:
    command = [str(Path(sys.executable).parent / "dcc"), *arguments]
    seconds = []
    for _ in range(times):
        start = perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(perf_counter() - start)
    return median(seconds) * 1e3
