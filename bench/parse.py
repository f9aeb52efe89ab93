"""How long it takes to read a message: short ones in microseconds, hostile texts of 1 MB in milliseconds.

``python bench/parse.py`` prints the figures; ``run()`` returns them. A name that ends in ``_x2`` is the time
for twice the text divided by the time for the text: 2 means linear.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from dcc.grammar.ast import Vocabulary
from dcc.grammar.message import parse_message

MEGABYTE = 1_000_000
_PATCHABLE = frozenset({"goal", "constraint", "task_state"})
VOCABULARY = Vocabulary(declared=_PATCHABLE | {"user", "assistant", "system"}, patchable=_PATCHABLE)
_PROSE = "See https://example.org/a/b for /usr/lib and the rest; roll on, remain calm, read 3 more lines. "

PLAIN = "Could you look at the failing test once more and tell me what it expects, please?"
PATCH = "/goal translate the page remain 3"

HOSTILE: dict[str, Callable[[int], str]] = {
    "slashes": lambda size: "/" * size,
    "blanks": lambda size: "/a b" + " " * size,
    "remain": lambda size: "/" + "remain " * (size // 7),
    "patches": lambda size: "/goal a remain 3 " * (size // 17),
    "names": lambda size: "/goal " * (size // 10),
    "names_then_pair": lambda size: "/goal " * (size // 6) + "a remain 3",
    "fences": lambda size: "/\n" + "```\n" * (3 * size // 10),
    "open_lines": lambda size: "/goal a\n" * (3 * size // 10),
    "open_lines_then_pair": lambda size: "/goal a\n" * (size // 8) + "b remain 3",
    "pairs": lambda size: "/goal a\n\n" + "b remain 3\n" * (size // 11),
    "quotes": lambda size: "/\n" + "> /goal a remain 3\n" * (size // 19),
    "one_fence": lambda size: "```\n" + "/goal a remain 3\n" * (size // 17),
    "run_on": lambda size: "/goal a\n" + "the x remain 3 y\n" * (size // 17),
    "prose": lambda size: (_PROSE * (size // 64 // len(_PROSE)) + "\n/goal a b remain 3\n") * 64,
}


def run() -> dict[str, float]:
    """Microseconds for short messages (``_us``), milliseconds for hostile ones (``_ms``), growth."""
    figures = {
        "plain_us": _best(lambda: parse_message(PLAIN, VOCABULARY), 2_000) * 1e6,
        "patch_us": _best(lambda: parse_message(PATCH, VOCABULARY), 500) * 1e6,
    }
    for name, text in HOSTILE.items():
        once, twice = (_seconds(text(size)) for size in (MEGABYTE, 2 * MEGABYTE))
        figures[f"{name}_ms"] = once * 1e3
        figures[f"{name}_x2"] = twice / once
    return figures


def _seconds(source: str) -> float:
    return _best(lambda: parse_message(source, VOCABULARY), 1)


def _best(work: Callable[[], object], times: int) -> float:
    """Seconds for one ``work``: the best of three rounds, each the mean of ``times``."""
    rounds = []
    for _ in range(3):
        start = perf_counter()
        for _ in range(times):
            work()
        rounds.append((perf_counter() - start) / times)
    return min(rounds)


if __name__ == "__main__":
    for figure, value in run().items():
        print(f"{figure:24} {value:10.2f}")
