"""How many tokens the views of a recorded session truly had: what calibration is measured by.

Recorded is the length of every prompt that the host sent: system prompt, schemas and the whole history. What a ruleset
would have sent in its place is not recorded, so its length is put together from pieces whose length is:

- The prompt grows from call to call by the reply (whose tokens were charged as output) and by what came after it
  (results, a message): the difference. Each is shared out among its pieces by their weight: the counter's tokens
  times a density, and a frame for each tool call and result. Densities and frames are the least squares over all
  increments of that session.
- An increment across a compaction of the host, or one that cannot be (three times its weight, or a third of it), is
  left out, and its pieces have their weight. So do replies that broke off, with their results: the host never sent
  them again.
- A stand-in (an address in place of a result, a call with shorter arguments) was never sent: it has its weight, and
  never more than the piece itself.
- What every prompt has besides is the first prompt less its pieces.

How sound that is shows in the full views: put together so, they are within a few percent of what was recorded
(``Views.unexplained``). This looks at the whole session; the calibration that is measured only at what came before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from dcc.compiler.load import load_program
from dcc.runtime.hosts.pi_session import read_pi_session
from dcc.runtime.hosts.recording import Recording, Reply
from dcc.runtime.hosts.session_file import read_records
from dcc.runtime.kernel.tokens import ASCII, count_tokens
from dcc.runtime.providers.usage import BROKEN_OFF
from dcc.runtime.replay.history import History, PastCall, PastSlot, read_history
from dcc.runtime.replay.run import replay
from dcc.runtime.session import Request

#: Increments beyond this factor of their weight, either way, are not believed.
BELIEVED = 3.0


class View(NamedTuple):
    """One request: tokens by the counter, tool calls in it, tokens in truth, characters of its texts."""

    raw: int
    chains: int
    tokens: float
    characters: int


@dataclass(frozen=True, slots=True)
class Views:
    """A session's requests as the host sent them (``full``), and as rulesets would have (``reduced``).

    ``full`` has the recorded lengths; ``unexplained``: by which shares the pieces put together miss them.
    """

    full: list[View]
    reduced: dict[str, list[View]]
    unexplained: list[float]


class _Scale(NamedTuple):
    """What a kind of piece costs: a frame each, and a density for each of the counter's tokens."""

    frame: float
    density: float

    def of(self, tokens: int, pieces: int = 1) -> float:
        return self.frame * pieces + self.density * tokens


class _Increment(NamedTuple):
    """What joined between two calls: the pieces of the reply and those behind it, and what each cost."""

    reply: list[int]
    rest: list[int]
    output: int
    behind: int
    is_whole: bool


def views_of(path: Path, rulesets: Iterable[str]) -> Views:
    """The views of a session in a file."""
    recording = read_pi_session(path)
    history, _ = read_history(recording)
    pieces = _Pieces(history, recording)
    summaries = [count_tokens(text) for record in read_records(path) if (text := _summary_of(record)) is not None]
    full, unexplained = [], []
    for call in history.calls:
        ids = [i for i in range(call.dropped, call.held) if i not in pieces.unsent]
        summary = summaries[pieces.compactions(call) - 1] if call.dropped else 0
        tokens = _prompt(call)
        full.append(
            View(
                sum(history.slots[i].tokens for i in ids) + summary,
                sum(_is_call(history.slots[i]) for i in ids),
                tokens,
                sum(len(history.slots[i].text) for i in ids),
            )
        )
        unexplained.append(abs(pieces.base + summary + sum(pieces.tokens[i] for i in ids) - tokens) / tokens)
    return Views(full, {name: _reduced(recording, history, pieces, name) for name in rulesets}, unexplained)


class _Pieces:
    """The true tokens of every slot of a session (see the module)."""

    def __init__(self, history: History, recording: Recording) -> None:
        self._slots = history.slots
        self._dropped = sorted({call.dropped for call in history.calls if call.dropped})
        replies = [step for turn in recording.turns if turn.user for step in turn.steps if isinstance(step, Reply)]
        self.unsent = self._broken_off(history, replies)
        increments = [self._increment(a, b) for a, b in pairwise(history.calls)]
        # The output of a reply that was cut at its first token says nothing of its text.
        said = [one for one in increments if one.reply and one.output > 1]
        self.replies = _fit((sum(map(self._is_call, i.reply)), self._raw(i.reply), i.output) for i in said)
        brought = [i for i in increments if i.is_whole and i.rest and all(map(self._is_result, i.rest))]
        believable = [i for i in brought if self._raw(i.rest) / BELIEVED < i.behind < BELIEVED * self._raw(i.rest)]
        self.results = _fit((len(i.rest), self._raw(i.rest), i.behind) for i in believable)
        self.tokens = {i: self.weight(i, history.slots[i].tokens) for i in range(len(history.slots))}
        for one in increments:
            self._share(one.reply, one.output)
            if one.is_whole:
                self._share(one.rest, one.behind)
        first = history.calls[0]
        self.base = _prompt(first) - sum(self.tokens[i] for i in range(first.held))

    def weight(self, i: int, tokens: int) -> float:
        """What a slot costs if it has so many tokens by the counter."""
        if self._is_call(i):
            return self.replies.of(tokens)
        if self._is_result(i):
            return self.results.of(tokens)
        return (self.replies if self._slots[i].kind == "reply" else self.results).density * tokens

    def compactions(self, call: PastCall) -> int:
        """How many compactions of the host came before a call."""
        return sum(first <= call.dropped for first in self._dropped)

    def _broken_off(self, history: History, replies: list[Reply]) -> set[int]:
        """Replies that broke off, with their results."""
        return {
            i
            for reply, (a, b) in zip(replies, pairwise(history.calls), strict=False)
            if reply.stop_reason in BROKEN_OFF
            for i in range(a.held, b.held)
            if history.slots[i].kind in ("reply", "result")
        }

    def _increment(self, a: PastCall, b: PastCall) -> _Increment:
        new = [i for i in range(a.held, b.held) if i not in self.unsent]
        reply = [i for i in new if self._slots[i].kind == "reply"]
        output = a.usage.output if reply else 0
        rest = [i for i in new if self._slots[i].kind != "reply"]
        return _Increment(reply, rest, output, _prompt(b) - _prompt(a) - output, a.dropped == b.dropped)

    def _share(self, ids: list[int], tokens: int) -> None:
        """Share tokens out among pieces by their weight, if they can be theirs."""
        whole = sum(self.tokens[i] for i in ids)
        if whole and 1 / BELIEVED < tokens / whole < BELIEVED:
            for i in ids:
                self.tokens[i] *= tokens / whole

    def _raw(self, ids: list[int]) -> int:
        return sum(self._slots[i].tokens for i in ids)

    def _is_call(self, i: int) -> bool:
        return _is_call(self._slots[i])

    def _is_result(self, i: int) -> bool:
        return self._slots[i].kind == "result"


def _reduced(recording: Recording, history: History, pieces: _Pieces, ruleset: str) -> list[View]:
    """The requests that a ruleset would have sent, each with the length that its pieces tell."""
    numbers = {slot.id: i for i, slot in enumerate(history.slots)}
    found: list[View] = []

    def watch(request: Request, reply: Reply, items: int) -> None:
        tokens, chains, characters = pieces.base, 0, 0
        for visible in request.visible:
            i = numbers[visible.slot]
            if visible.how == "full" and visible.on_stage:
                tokens += pieces.tokens[i]
                characters += len(history.slots[i].text)
            else:
                tokens += min(pieces.tokens[i], pieces.weight(i, visible.tokens))
                characters += visible.tokens * 1000 // ASCII
            chains += _is_call(history.slots[i])
        found.append(View(request.tokens, chains, tokens, characters))

    replay(recording, load_program(ruleset), slots=history.ids, watch=watch)
    return found


def _fit(rows: Iterable[tuple[int, int, int]]) -> _Scale:
    """The least squares of ``cost = frame * pieces + density * tokens``."""
    nn = nx = xx = ny = xy = 0.0
    for pieces, tokens, cost in rows:
        nn += pieces * pieces
        nx += pieces * tokens
        xx += tokens * tokens
        ny += pieces * cost
        xy += tokens * cost
    one = nn * xx - nx * nx
    return _Scale((ny * xx - xy * nx) / one, (nn * xy - nx * ny) / one)


def _prompt(call: PastCall) -> int:
    usage = call.usage
    return usage.input + usage.cache_read + usage.cache_write


def _is_call(slot: PastSlot) -> bool:
    return slot.id.startswith("toolCall@")


def _summary_of(record: object) -> str | None:
    """The text that a recorded compaction put in the place of what it took away."""
    if isinstance(record, dict) and record.get("type") == "compaction":
        return str(record.get("summary") or "")
    return None
