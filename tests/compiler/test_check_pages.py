"""Every check has an identity, a page, an example that trips it and an `Instead` that does not."""

from __future__ import annotations

import re

import pytest

from dcc.compiler.check import CheckModule, all_checks
from dcc.compiler.files import check_file

HEADINGS = ["What it finds", "Why it matters", "Example", "Instead", "Fix"]
#: Checks whose example is no text that can stand in a file alone.
TOLD_ONLY = {"DCC001", "DCC002", "DCC004", "DCC105", "DCC622"}
MODULES = [pytest.param(module, id=module.CHECK.code) for module in all_checks()]


def _section(module: CheckModule, heading: str) -> str:
    page = module.__doc__ or ""
    block = page.split(f"## {heading}\n\n")[1].split("\n\n## ")[0]
    return re.sub("^    ", "", block, flags=re.MULTILINE)


@pytest.mark.parametrize("module", MODULES)
def test_page(module: CheckModule) -> None:
    assert re.findall(r"^## (.+)$", module.__doc__ or "", re.MULTILINE) == HEADINGS
    assert re.fullmatch(r"DCC\d{3}", module.CHECK.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", module.CHECK.name)


def test_codes_and_names_are_unique() -> None:
    assert (
        len({m.CHECK.code for m in all_checks()}) == len({m.CHECK.name for m in all_checks()}) == len(MODULES)
    )


@pytest.mark.parametrize("module", [m for m in MODULES if m.id not in TOLD_ONLY])
def test_the_example_trips_it_and_the_mend_does_not(module: CheckModule) -> None:
    code, name = module.CHECK.code, "a.ops" if module.CHECK.kind == "ops" else "a.yaml"
    assert code in [d.code for d in check_file(name, _section(module, "Example")).diagnostics]
    assert code not in [d.code for d in check_file(name, _section(module, "Instead")).diagnostics]
