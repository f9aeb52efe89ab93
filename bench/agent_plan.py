"""How long planning takes over a very long history: 20,000 messages, half of them Chinese, two million tokens and more.

``first_count_s`` counts its eight megabytes for the first time; ``agent_plan_s`` is everything that is planned of it
then: the critical pass, pruning, truncation, and the parts of a summary, with the texts that would stand there. Run
with ``python -m bench.agent_plan``.
"""

from __future__ import annotations

import json
from time import perf_counter

from dcc.runtime.agent.compaction.entries import Entry, entries_of
from dcc.runtime.agent.compaction.parts import most_of, shed, split_by_most, split_by_share
from dcc.runtime.agent.pruning import Act, PruningSettings, Size, plan_pruning
from dcc.runtime.agent.pruning import Entry as Message
from dcc.runtime.agent.truncation_plan import Result, plan_truncation
from dcc.runtime.compaction.transcript import Told, transcript
from dcc.runtime.governance.budget.limits import Limits
from dcc.runtime.governance.critical import Held, plan
from dcc.runtime.governance.critical import Result as Reduced
from dcc.runtime.governance.cutting import Room, Short, shortened
from dcc.runtime.kernel.content import content_hash
from dcc.runtime.kernel.representation import stand_in
from dcc.runtime.kernel.tokens import count_tokens

MESSAGES, TOKENS = 20_000, 125

BARS = {"first_count_s": 4.0, "agent_plan_s": 1.0}

_ENGLISH = "the tide tables of the harbour were read and compared with those of last year, line by line. "
_CHINESE = "港口的潮汐表已经读过，并与去年的逐行比较，没有发现差别。"


def texts(messages: int) -> list[str]:
    """English and Chinese messages in turn, of about ``TOKENS`` tokens on the average; one in a hundred is long."""
    made = []
    for n in range(messages):
        sentence, tokens = (_CHINESE, 22) if n % 2 else (_ENGLISH, 28)
        times = TOKENS * 20 // tokens if n % 100 == 2 else TOKENS * 4 // 5 // tokens
        made.append(f"{n}: " + "\n".join([sentence] * max(1, times)))
    return made


def planned(texts: list[str], counts: list[int]) -> int:
    """Plan everything there is to plan; how many changes that would be."""
    used, window = sum(counts), 1_000_000
    names = [f"m{n}" for n in range(len(texts))]
    found = dict(zip(names, texts, strict=True))
    digests = {name: content_hash(text) for name, text in found.items()}

    def shorten(slot: str, room: Room) -> Short | None:
        return shortened(found[slot], digests[slot], room)

    settings = PruningSettings(most=1_000, head=300, tail=300, least=0)

    def short(message: Message, act: Act) -> Size | None:
        note = settings.placeholder if act == "clear" else settings.trimmed(found[message.slot])
        text = stand_in(found[message.slot], "ref", digests[message.slot], note=note)
        return None if text is None else Size(count_tokens(text), len(text))

    kinds = ("user", "assistant", "result", "result")
    messages = [
        Message(name, kinds[n % 4], counts[n], len(texts[n])) for n, name in enumerate(names)
    ]  # fmt: skip
    results = names[2::4]
    sized = dict(zip(names, counts, strict=True))
    limits = Limits(window, 0, window, 700_000, 800_000, 950_000)
    reduced = [Reduced(name, sized[name], 10, False, digests[name].encode(), len(found[name])) for name in results]
    passed = plan(reduced, (), Held(used, 0), limits, lambda raw, chains: raw, shorten)
    pruned = plan_pruning(messages, settings, window, now=600.0, touched=0.0, short=short)
    cuts = plan_truncation([Result(n, len(found[n]), sized[n]) for n in results], used, window, shorten)
    entries = [Entry("user", text, tokens) for text, tokens in zip(texts, counts, strict=True)]
    parts = split_by_share(entries[shed(entries, window).entries :])
    summaries = sum(len(split_by_most(part, most_of(part, window))) for part in parts)
    changes = len(pruned.trimmed) + len(pruned.cleared) if pruned is not None else 0
    return len(passed.offloads) + changes + len(cuts) + summaries


def run(quick: bool = False) -> dict[str, float]:
    """Seconds: ``first_count_s`` and ``agent_plan_s``."""
    history = texts(MESSAGES // 100 if quick else MESSAGES)
    told = transcript(Told(n, "user", text) for n, text in enumerate(history))
    started = perf_counter()
    counted = sum(entry.tokens for entry in entries_of(told))
    counts = [count_tokens(text) for text in history]
    first_count = perf_counter() - started
    started = perf_counter()
    changes = planned(history, counts)
    figures = {"first_count_s": first_count, "agent_plan_s": perf_counter() - started}
    if not quick and not (counted > 2_000_000 and changes):
        raise SystemExit(f"the history is not what it should be: {counted} tokens, {changes} changes")
    return figures


if __name__ == "__main__":
    print(json.dumps(run(), indent=1))
