"""What `dcc check` knows of scenarios and what the runtime reads of them is one language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dcc.compiler.ir.scenario import Act, CallExpect, StepExpect
from dcc.compiler.notices import NOTICES
from dcc.compiler.scenarios import check_scenario
from dcc.runtime.scenario.load import read_scenario_file
from dcc.runtime.scenario.read import STEP_EXPECTS
from dcc.runtime.scenario.read_act import ARGUMENTS
from dcc.runtime.scenario.read_call import CALL_EXPECTS

ROOT = Path(__file__).parents[2]


def test_acts() -> None:
    assert set(Act.model_fields) == set(ARGUMENTS)


def test_arguments_of_acts() -> None:
    for name, arguments in ARGUMENTS.items():
        model = next(
            (a for a in getattr(Act.model_fields[name].annotation, "__args__", ()) if hasattr(a, "model_fields")), None
        )
        if model is not None:
            assert {field.alias or key for key, field in model.model_fields.items()} == set(arguments)
        else:
            assert len(arguments) == 1


def test_expectations() -> None:
    assert set(StepExpect.model_fields) == set(STEP_EXPECTS)
    assert set(CallExpect.model_fields) == set(CALL_EXPECTS)


#: One wrong scenario a line, as flow YAML: both must refuse it.
WRONG = """
{}
[]
{steps: 3}
{steps: [3]}
{stepz: [], steps: []}
{steps: [{user: hi, replly: ok}]}
{steps: [{user: hi, resume: true}]}
{steps: [{resume: false}]}
{steps: [{user: hi, reply: ok, fail: provider}]}
{steps: [{do: [{close: user@1}], reply: ok}]}
{steps: [{do: [{close: user@1, keep: user@1}]}]}
{steps: [{do: [{clos: user@1}]}]}
{steps: [{do: [{patch: {content: x}}]}]}
{steps: [{do: [{represent: {slot: user@1, as: small}}]}]}
{steps: [{user: hi, calls: [{fail: provider}, {assistant: hi}]}]}
{steps: [{user: hi, calls: [{fail: provider, assistant: hi}]}]}
{steps: [{user: hi, calls: [{usage: {input: 1}}]}]}
{steps: [{user: hi, calls: [{results: [{id: c1, content: x}]}]}]}
{steps: [{user: hi, calls: [{assistant: hi, results: [{id: c1, content: x}]}]}]}
{steps: [{user: hi, expect: {visibel: []}}]}
{steps: [{user: hi, expect: {visible: user@1}}]}
{steps: [{user: hi, expect: {ranges: []}}]}
{steps: [{user: hi, wait: 5m, at: "2030-01-01T00:00:00Z"}]}
{steps: [{user: hi, labels: trap}]}
{ruleset: 3, steps: []}
{system: 3, steps: []}
""".strip().splitlines()


@pytest.mark.parametrize("text", WRONG)
def test_what_the_runtime_refuses_is_found_beforehand(text: str) -> None:
    assert read_scenario_file("a.yaml", text.encode()).scenario is None
    found = check_scenario("a.yaml", text).diagnostics
    assert any(d.severity == "error" for d in found)


def test_every_notice_has_a_line() -> None:
    """Codes stand in the source as `code="…"` of a notice, and in the table of grammar/findings.py."""
    found: set[str] = set()
    for path in (ROOT / "runtime").rglob("*.py"):
        found |= set(re.findall(r'emit\(\s*"notice",\s*code="(\w+)"', path.read_text(encoding="utf-8")))
    table = (ROOT / "grammar" / "findings.py").read_text(encoding="utf-8")
    found |= set(re.findall(r"^    (\w+) +(?:info|warning) ", table, re.MULTILINE))
    assert found - set(NOTICES) == set()
