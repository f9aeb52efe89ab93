"""How long ``dcc check`` takes: 1,000 files of 40 lines, and one ruleset of a megabyte, as fresh processes.

``yamllint_1k_s`` is the same 1,000 files under yamllint, where that is installed. ``python -m bench.check``
prints the figures; ``run()`` returns them.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

FILES, LINES, MEGABYTE = 1_000, 40, 1_000_000

#: yamllint with nothing but what dcc looks at too: syntax, keys that stand twice, words for booleans.
YAMLLINT = "{rules: {key-duplicates: enable, truthy: enable, octal-values: enable}}"


def run(quick: bool = False) -> dict[str, float]:
    """Seconds: ``check_1k_s``, ``check_mb_s`` and, with yamllint, ``yamllint_1k_s``; the best of three each."""
    files, size, rounds = (20, MEGABYTE // 50, 1) if quick else (FILES, MEGABYTE, 3)
    with TemporaryDirectory() as name:
        folder = Path(name) / "rules"
        folder.mkdir()
        for number in range(files):
            (folder / f"r{number}.yaml").write_text(ruleset(number), encoding="utf-8")
        large = Path(name) / "large.yaml"
        large.write_text(large_ruleset(size), encoding="utf-8")
        check = [str(Path(sys.executable).parent / "dcc"), "check", "--isolated", "--format", "concise"]
        figures = {
            "check_1k_s": seconds([*check, str(folder)], rounds),
            "check_mb_s": seconds([*check, str(large)], rounds),
        }
        if find_spec("yamllint") is not None:
            lint = [sys.executable, "-m", "yamllint", "-d", YAMLLINT, str(folder)]
            figures["yamllint_1k_s"] = seconds(lint, rounds)
    return figures


def ruleset(number: int) -> str:
    """A ruleset of 40 lines; no two alike."""
    head = f"# Rules of service {number}.\nextends: [standard]\ncontext:\n  roles: {{goal: user}}\nlife_cycle:\n"
    rules = [f"  note{n}: [born, born+{number % 50 + n}]  # until then" for n in range(LINES - 5)]
    return head + "\n".join(rules) + "\n"


def large_ruleset(size: int) -> str:
    """A ruleset of ``size`` characters, a rule a line."""
    line = "  element_{:06}: {{start: born, end: born+{}, retire: drop}}  # a rule\n"
    rules = (line.format(n, n % 50) for n in range(size // len(line.format(0, 10)) + 1))
    return "life_cycle:\n" + "".join(rules)


def seconds(command: list[str], rounds: int) -> float:
    """The best time of a command; what it finds does not matter here."""
    best = float("inf")
    for _ in range(rounds):
        start = perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        best = min(best, perf_counter() - start)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr.decode())
    return best


if __name__ == "__main__":
    for figure, value in run().items():
        print(f"{figure:16} {value:8.2f}")
