"""Stores of rules that belong to no asset, as the gates of retrieval use them, and a session that is shown some."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from canon_project import Project

from dcc.runtime.memory.search.intents import Intents, intent_of_call
from dcc.runtime.memory.search.retrieval import Retrieval
from dcc.runtime.memory.search.standout import Ranked

ROUNDING = "policy/rounding"

#: One rule that the first query of the gates is about, and fourteen that share a word or two with that.
CAPSULES = {
    ROUNDING: "Ledger totals round half to even; never round half up in reconciliation.",
    "policy/ledger-names": "A ledger column is named for what it holds, not for the job that filled it.",
    "policy/totals-review": "Any change to a totals query is reviewed by whoever owns the ledger.",
    "policy/check-order": "A check that can fail cheaply runs before one that cannot.",
    "policy/python-version": "The python in the runner is the python in the lockfile, always.",
    "policy/vendor-contact": "A vendor question goes to the partner channel, never to a person.",
    "policy/check-naming": "A check is named for the condition it asserts, not for the bug that prompted it.",
    "policy/totals-rerun": "A totals check that fails is re-run once before anyone is told.",
    "policy/python-imports": "The python check imports nothing the runner does not already install.",
    "policy/reconciliation-window": "A reconciliation covers a whole day, never a partial one.",
    "policy/python-runner-flags": "The python runner takes its flags from the file, never from the shell.",
    "policy/totals-precision": "A totals column keeps the precision it was stored with.",
    "policy/check-budget": "A check that takes longer than the build is moved out of the build.",
    "policy/reconciliation-owner": "A reconciliation has one owner, named in the runbook.",
    "policy/python-lint-scope": "The python lint runs over the whole package, never over one file.",
}
ROUNDING_BODY = "Decided after a vendor reconciliation mismatch. Applies wherever money is summed."

FIRST = "python reconciliation totals rounding check"
SECOND = "python reconciliation totals rounding recheck"
STEP_BACK = "let me step back and think about this differently"


class Shown:
    """A project with retrieval, and a session that keeps what it was shown."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.project = Project(folder, **{"retrieval": "lexical", **options})
        self.traced: list[tuple[str, Mapping[str, Any]]] = []
        self.retrieval = Retrieval(self.project.canon.desk, lambda kind, fields: self.traced.append((kind, fields)))
        self.intents = Intents()
        self.taken: set[str] = set()

    def call(self, *commands: str, words: tuple[str, ...] | None = None) -> list[str]:
        """Tool calls, then the ranking of the call; the addresses that ride along, which are taken from then on."""
        if words is not None:
            self.intents.hear(words)
        for command in commands:
            self.intents.note(intent_of_call("shell", {"command": command}))
        ranked = self.rank(self.intents.query)
        self.intents.clear()
        riders = [hit.key for hit in ranked.riders] if ranked else []
        self.taken.update(riders)
        return riders

    def rank(self, query: str, staged: int = 0) -> Ranked | None:
        """Rank for a query; nothing is taken by it."""
        return self.retrieval.rank(query, self.taken, staged)

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        """What was traced of a kind."""
        return [fields for traced, fields in self.traced if traced == kind]


def crowd(folder: Path, **options: Any) -> Shown:
    """A session over the fifteen rules."""
    shown = Shown(folder, **options)
    for address, capsule in CAPSULES.items():
        body = ROUNDING_BODY if address == ROUNDING else f"{capsule} Recorded so it is not re-litigated."
        shown.project.write(address, capsule=capsule, body=body)
    return shown


def fan(folder: Path, **options: Any) -> Shown:
    """A session over nine rules that are nearly the same, with nothing cut off."""
    shown = Shown(folder, standout=1, **options)
    for n in range(9):
        body = f"Reconciliation rounding, variant {n}. " + "detail " * (n + 1)
        shown.project.write(f"{ROUNDING}-{n}", capsule=f"Rule {n}: reconciliation rounding rule number {n}.", body=body)
    return shown
