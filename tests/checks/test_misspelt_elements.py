"""misspelt-element (DCC225) finds every slip by one letter of a built-in element, and no word that is further away."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from dcc.compiler.files import check_file
from dcc.compiler.lower import SHIPPED_RULES


def slips(name: str) -> Iterator[str]:
    """The name with one letter left out, doubled, changed, or swapped with the next."""
    for at, letter in enumerate(name):
        yield name[:at] + name[at + 1 :]
        yield name[:at] + letter + name[at:]
        yield name[:at] + "x" + name[at + 1 :]
        yield name[:at] + name[at + 1 : at + 2] + letter + name[at + 2 :]


def found_in(names: set[str]) -> set[str]:
    """Those of the names that the check tells of, declared in one ruleset."""
    text = json.dumps({"life_cycle": {name: ["born", "born"] for name in names}})
    found = check_file("rules.json", text).diagnostics
    return {text[d.start.offset : d.end.offset].strip('"') for d in found if d.name == "misspelt-element"}


@pytest.mark.parametrize("name", SHIPPED_RULES)
def test_one_letter(name: str) -> None:
    written = {slip for slip in slips(name) if slip not in SHIPPED_RULES}
    assert found_in(written) == written


def test_two_letters_are_a_slip_in_a_long_name_only() -> None:
    assert found_in({"asistnt", "toolRezzult", "consraitn"}) == {"asistnt", "toolRezzult", "consraitn"}
    assert found_in({"systtm", "sysem", "ystme", "gaolx", "ok", "note"}) == {"systtm", "sysem"}
