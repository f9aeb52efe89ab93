"""What an agent saves that looks after its own context, and what a ruleset saves without any help (spec/cpat.md 0).

``python -m bench.agents`` plays one piece of research of 60 steps four ways and prints the tokens of all prompts:

- threshold: everything stays until the window is nearly full, then a summary takes its place (the common way).
- agent: at every step the model offloads what it has just read, by ``context_update``, and goes on; what it says and
  writes to do so, and the manifest that it is shown for it, are counted.
- research: ``rulesets/research.yaml``, and a model that does nothing for its context.
- budget: no rule at all; the critical pass of a window of 100,000 tokens.

A step searches or fetches, and says in a sentence what was found. What is compared is what the agent saves of what
threshold costs, and how much of that the ruleset saves alone.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.replay.table import aligned
from dcc.runtime.session import Reply, Request, Session, ToolCall

STEPS: Final = 60
#: Tokens of a result, on average, and how far one may be from that.
RESULT, RANGE = 5_000, 2_000
#: The window of the threshold way, what of it stays free, what a summary keeps of the newest and how long it is: pi's
#: defaults (contracts.md, ``dcc replay``).
WINDOW, RESERVE, KEEP_RECENT, SUMMARY = 200_000, 16_384, 20_000, 1_000

#: The most that the figures may be. ``help_needed``: the share of the agent's saving that the ruleset does not reach
#: alone; ``budget_breaks``: breaks of the prompt cache by critical passes.
BARS = {"agents_help_needed": 0.10, "budget_breaks": 4.0}

_STAYS: Final = {element: ["born", None] for element in ("user", "assistant", "think", "toolCall", "toolResult")}


@dataclass(frozen=True, slots=True)
class Way:
    """One way through the work: tokens of all prompts, of the largest, and how often an earlier part changed."""

    name: str
    tokens: int
    peak: int
    breaks: int


def ways(steps: int = STEPS) -> list[Way]:
    """All four."""
    budget = {"name": "budget", "life_cycle": _STAYS, "governance": {"window": 100_000}}
    governed = {"name": "agent", "life_cycle": _STAYS, "governance": {"max_context": WINDOW, "ops": "cpat"}}
    return [
        _threshold(steps),
        _run("agent", load_program(governed), steps, helps=True),
        _run("research", load_program("research"), steps),
        _run("budget", load_program(budget), steps),
    ]


def _run(name: str, program: Program, steps: int, *, helps: bool = False) -> Way:
    """The work under a program; ``helps``: the model offloads what it has read."""
    session = Session.create(program, system="You do research, and say what you find.")
    session.begin("Find out when the tides of the northern harbours were first written down, and by whom.")
    sizes: list[int] = []
    for step in range(steps):
        sizes.append(_size(session.request()))
        calls = [ToolCall(f"f{step}", *_question(step))]
        if helps and step:
            calls.insert(0, ToolCall(f"u{step}", "context_update", _offload(session, step - 1)))
        session.add_reply(Reply(_finding(step - 1) if step else "", calls=tuple(calls)))
        if helps and step:
            served = session.serve(f"u{step}")
            assert served is not None
            assert not served.is_error, served.content
        session.add_result(f"f{step}", page(step))
    sizes.append(_size(session.request()))
    session.add_reply(Reply(_finding(steps - 1)))
    session.commit()
    return Way(name, sum(sizes), max(sizes), len(session.take_happenings().breaks))


def _threshold(steps: int) -> Way:
    """The same requests, and a summary whenever one would be too long: as ``dcc replay`` carries the policy out."""
    session = Session.create(load_program({"name": "all", "life_cycle": _STAYS}), system="You do research.")
    session.begin("Find out when the tides of the northern harbours were first written down, and by whom.")
    sizes: list[int] = []
    gone = breaks = 0
    marks: list[int] = []
    for step in range(steps + 1):
        whole = session.request().tokens
        marks.append(whole)
        if whole - gone > WINDOW - RESERVE:
            gone, breaks = max(mark for mark in marks if whole - mark >= KEEP_RECENT) - SUMMARY, breaks + 1
        sizes.append(whole - gone)
        session.add_reply(
            Reply(_finding(step - 1) if step else "", calls=(ToolCall(f"f{step}", *_question(step)),))
        )
        session.add_result(f"f{step}", page(step))
    return Way("threshold", sum(sizes), max(sizes), breaks)


def _size(request: Request) -> int:
    return request.tokens + request.tail_tokens


def page(step: int) -> str:
    """What a step brings: lines of words that no other step has."""
    chosen = random.Random(step)
    lines = (RESULT + chosen.randint(-RANGE, RANGE)) * 10 // 33
    return "".join(f"{chosen.randrange(10**5):05d} tide\n" for _ in range(lines))


def _question(step: int) -> tuple[str, dict[str, Any]]:
    if step % 3 == 0:
        return "search", {"query": f"tide tables of harbour {step}"}
    return "fetch", {"url": f"https://example.org/harbours/{step}/tides"}


def _finding(step: int) -> str:
    return f"Harbour {step} kept a table from the year {1700 + step} on, by the hand of its pilot; no source says more."


def _offload(session: Session, step: int) -> dict[str, Any]:
    """What an agent sends to offload the result of a step: the fields that its tool asks for, in few words."""
    result = next(slot for slot in reversed(session.stage()) if _answers(session, slot, f"f{step}"))
    operation = {
        "op": "payload_offload",
        "ids": [result],
        "description": f"tide tables of harbour {step}",
        "content": _finding(step),
        "retrieval_hint": "for the exact figures of the table",
    }
    return {"reason": "read and noted", "operations": [operation]}


def _answers(session: Session, slot: str, call: str) -> bool:
    link = session._recorder.ledger.slots[slot].link
    return link is not None and link.answers is not None and link.wire == call


def figures(found: list[Way]) -> dict[str, float]:
    """The figures of ``BARS``."""
    threshold, agent, research, budget = found
    saved = threshold.tokens - agent.tokens
    alone = threshold.tokens - research.tokens
    return {"agents_help_needed": max(0.0, 1 - alone / saved), "budget_breaks": float(budget.breaks)}


def run(quick: bool = False) -> dict[str, float]:
    """The figures; none in a quick run: they have one size."""
    return {} if quick else figures(ways())


def table(found: list[Way]) -> Iterator[str]:
    """The ways for people."""
    whole = found[0].tokens
    rows: list[tuple[str, ...]] = [("way", "prompt tokens", "of threshold", "largest prompt", "breaks")]
    rows += [(w.name, f"{w.tokens:,}", f"{w.tokens / whole:.3f}", f"{w.peak:,}", str(w.breaks)) for w in found]
    yield from aligned(rows)


def main() -> int:
    """Measure and print; exit 1 when a figure is over its bar."""
    found = ways()
    print("\n".join(table(found)))
    values = figures(found)
    for name, value in values.items():
        print(f"{name:20} {value:6.3f}  bar {BARS[name]}")
    return 0 if all(value <= BARS[name] for name, value in values.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
