"""What is found in rulesets at random is true: a real session shows it, finding by finding."""

from __future__ import annotations

import json
from collections import Counter

from random_rulesets import random_ruleset
from witnesses import WITNESSES, claims

from dcc.compiler.check import all_checks
from dcc.compiler.files import check_file

#: Rulesets that are played; seeds make each run the same.
SEEDS = range(300)
PROVED = {m.CHECK.name for m in all_checks() if m.CHECK.kind in ("time", "provider", "growth")}
TOLD = {m.CHECK.name for m in all_checks() if m.CHECK.severity == "info"}


def test_every_check_that_proves_has_a_witness() -> None:
    assert set(WITNESSES) == PROVED - TOLD


def test_every_finding_is_confirmed_by_a_session() -> None:
    confirmed: Counter[str] = Counter()
    false = []
    for seed in SEEDS:
        data = random_ruleset(seed)
        found = check_file("random.yaml", json.dumps(data)).diagnostics
        for claim in claims(data, found):
            if WITNESSES[claim.found.name](claim):
                confirmed[claim.found.name] += 1
            else:
                false.append((seed, claim.found.name, claim.found.message))
    assert false == []
    assert set(confirmed) == set(WITNESSES), "a check that no ruleset trips is not tried"
