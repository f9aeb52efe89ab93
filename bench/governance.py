"""What governance costs on a large stage: a transaction with its state hashes, and manifest and report."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from time import perf_counter
from typing import Any

from dcc.compiler.load import load_program
from dcc.runtime.session import Session

from .history import PROGRAM, stored

SLOTS = 10_000

#: The rules of the history, and the shipped operations.
GOVERNED = replace(PROGRAM, ops=load_program({"name": "ops", "governance": {"ops": "cpat"}}).ops, sections={
    "governance": {"window": 200_000},
})  # fmt: skip

#: The most that a figure may be, in milliseconds.
BARS = {"transaction_10k_ms": 5.0, "tail_10k_ms": 2.0, "tail_10k_large_ms": 2.0}

#: What makes a result large, about 400 tokens: from 40 on the tail suggests what may be done to it.
LARGE = "a line of a file as it is read\n" * 43


def run(quick: bool) -> dict[str, float]:
    """Medians in milliseconds, of transactions that archive a chain or bring it back, and of the tail after each.

    ``tail_10k_large_ms``: with results of 400 tokens; the other two: with short ones.
    """
    transaction, tail = _measure(quick, "")
    _, large = _measure(quick, LARGE)
    return {"transaction_10k_ms": transaction, "tail_10k_ms": tail, "tail_10k_large_ms": large}


def _measure(quick: bool, text: str) -> tuple[float, float]:
    """The two medians, with a text in every result."""
    slots = SLOTS // 50 if quick else SLOTS
    session = Session.open(stored(slots, slots, text=text), GOVERNED)
    turns, rounds = slots // 4, 4 if quick else 200
    session.messages()
    assert session.governance.tail_text() is not None
    transactions: list[float] = []
    tails: list[float] = []
    for n in range(rounds):
        turn = 2 + n * (turns - 4) // rounds
        for visibility in ("archived", "model"):
            start = perf_counter()
            outcome = session.update_context(_payload(turn, visibility))
            transactions.append(perf_counter() - start)
            assert outcome.applied == 1, outcome.rejections
            session.tokens()  # What a request renders anew behind a break is the request's own cost.
            start = perf_counter()
            manifest, report = session.governance.short_manifest(), session.governance.report()
            tails.append(perf_counter() - start)
            assert manifest
            assert ("chain_ops" in report) is bool(text)
    return median(transactions) * 1e3, median(tails) * 1e3


def _payload(turn: int, visibility: str) -> dict[str, Any]:
    ids = [f"toolCall@{turn}", f"toolResult@{turn}"]
    return {"reason": "read", "operations": [{"op": "set_visibility", "ids": ids, "visibility": visibility}]}
