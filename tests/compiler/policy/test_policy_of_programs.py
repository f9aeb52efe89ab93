"""The policy of a compiled ruleset, and what the table says besides allowed or not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dcc.compiler.load import load_program
from dcc.compiler.policy.known import built_in, known_tools
from dcc.compiler.policy.table import Where, compile_policy
from dcc.compiler.policy.verdicts import Decision
from dcc.compiler.program import Program

RULES: dict[str, Any] = {
    "life_cycle": {"toolResult": {"end": "born+9", "retire": "offload"}},
    "tools": {
        "profile": "coding",
        "alsoAllow": ["web_*"],
        "deny": ["group:runtime"],
        "subagents": {"tools": {"deny": ["edit"]}},
        "sandbox": {"tools": {"deny": ["write"]}},
        "byProvider": {"OpenAI": {"deny": ["web_fetch"]}},
    },
    "agents": {"main": {"tools": {"allow": ["read", "edit", "web_search", "artifact_get"]}}},
    "groups": {"family": {"tools": {"deny": [" READ "]}}},
}
TOOLS = [(name, None) for name in ("read", "write", "edit", "exec", "web_search", "web_fetch", "artifact_get", "cron")]


@pytest.mark.parametrize(
    ("where", "tool", "decision"),
    [
        (Where(), "read", Decision(True, "allow", 1, "tools.profile (coding)", "group:fs")),
        (Where(), "web_search", Decision(True, "allow", 3, "tools.allow", "web_*")),
        (Where(), "exec", Decision(False, "deny", 3, "tools.allow", "group:runtime")),
        (Where(), "cron", Decision(False, "not_listed", 1, "tools.profile (coding)")),
        (Where(agent="main"), "read", Decision(True, "allow", 5, "agents.main.tools.allow", "read")),
        (Where(agent="main"), "write", Decision(False, "not_listed", 5, "agents.main.tools.allow")),
        (Where(agent="nobody"), "write", Decision(True, "allow", 1, "tools.profile (coding)", "group:fs")),
        (Where(group="family"), "read", Decision(False, "deny", 7, "group tools.allow", " READ ")),
        (Where(provider="openai"), "web_fetch", Decision(False, "deny", 4, "tools.byProvider.allow", "web_fetch")),
        (Where(depth=1), "edit", Decision(False, "deny", 9, "subagent tools.allow", "edit")),
        (Where(sandbox=True), "write", Decision(False, "deny", 8, "sandbox tools.allow", "write")),
        (Where(sandbox=True), "web_search", Decision(False, "not_listed", 8, "sandbox tools.allow")),
        (Where(), "artifact_get", Decision(True, "allow", 1, "tools.profile (coding)", "group:context")),
    ],
)
def test_the_step_that_decides(where: Where, tool: str, decision: Decision) -> None:
    table = compile_policy(load_program(RULES).policy, TOOLS)
    assert dict(zip(table.names, table.decide(where), strict=True))[tool] == decision


def test_without_rules_everything_is_allowed() -> None:
    table = compile_policy(load_program("standard").policy, TOOLS)
    assert set(table.decide(Where(agent="a", group="g", provider="p"))) == {Decision(True, "no_rule")}


def test_a_program_keeps_its_policy() -> None:
    program = load_program(RULES)
    again = Program.from_json(program.to_json())
    assert again.policy == program.policy
    assert again.policy.offloads


def test_a_tool_that_is_not_in_the_table() -> None:
    with pytest.raises(KeyError):
        compile_policy(load_program(RULES).policy, TOOLS).cell("nope")


def test_the_tools_that_are_known() -> None:
    assert built_in({}) == ("read", "write", "edit", "exec", "artifact_get", "dc_recall")
    assert built_in({"governance": {"ops": ["cpat"]}, "canon": {}})[6:] == ("context_update",)
    assert built_in({"canon": {"root": ".canon"}})[6:] == ("canon",)
    known = known_tools({"tools": {"plugins": {"lobster": ["lobster_run"]}}}, [("crab_run", "crab")])
    assert known[-2:] == (("lobster_run", "lobster"), ("crab_run", "crab"))
    assert ("web_search", None) in known
    assert not {"context_update", "canon"} & {name for name, _ in known}


def test_the_table_needs_neither_yaml_nor_pydantic(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    path.write_text(load_program(RULES).to_json(), encoding="utf-8")
    code = (
        "import sys, pathlib\n"
        "from dcc.compiler.program import Program\n"
        "from dcc.compiler.policy.table import compile_policy\n"
        f"compile_policy(Program.from_json(pathlib.Path({str(path)!r}).read_text('utf-8')).policy, [('read', None)])\n"
        "print([name for name in ('yaml', 'pydantic', 'lark', 'jinja2', 're2') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
