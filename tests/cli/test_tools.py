"""``dcc tools``: the document of contracts.md, the table, who asks, and rulesets with errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dcc.cli.entry import run

RULES = """\
tools:
  profile: coding
  deny: [exec]
  alsoAllow: [lobster]
  plugins: {lobster: [lobster_run]}
  byProvider: {openai: {deny: [edit]}}
agents: {main: {tools: {allow: [read, crab]}}}
groups: {family: {tools: {deny: [write]}}}
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.yaml").write_text(RULES, encoding="utf-8")


def shown(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> dict[str, Any]:
    assert run(["tools", "--json", *args]) == code
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == 1
    return document | {"by_name": {row["name"]: row for row in document["tools"]}}


def test_every_tool_with_the_step_that_decided(capsys: pytest.CaptureFixture[str]) -> None:
    rows = shown(capsys, "--ruleset", "rules.yaml")["by_name"]
    assert rows["exec"] == {
        "name": "exec", "allowed": False, "step": 3, "label": "tools.allow", "rule": "exec", "plugin": None,
        "why": "deny", "of": "dcc",
    }  # fmt: skip
    assert rows["read"]["allowed"]
    assert rows["read"]["label"] == "tools.profile (coding)"
    assert (rows["lobster_run"]["allowed"], rows["lobster_run"]["plugin"]) == (True, "lobster")
    assert (rows["web_search"]["allowed"], rows["web_search"]["rule"]) == (False, None)
    assert "context_update" not in rows


@pytest.mark.parametrize(
    ("args", "absent", "step"),
    [
        (["--provider", "OpenAI", "--model", "gpt-5"], "edit", 4),
        (["--agent", "main"], "edit", 5),
        (["--group", "family"], "write", 7),
        (["--sandbox"], "memory_get", 8),
        (["--depth", "1"], "session_status", 9),
        (["--sender", "other"], "whatsapp_login", 0),
    ],
)
def test_who_asks_and_where(
    capsys: pytest.CaptureFixture[str], args: list[str], absent: str, step: int
) -> None:
    row = shown(capsys, "--ruleset", "rules.yaml", *args)["by_name"][absent]
    assert (row["allowed"], row["step"]) == (False, step)


def test_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules.yaml").write_text(RULES.partition("groups:")[0], encoding="utf-8")
    args = ("--ruleset", "rules.yaml", "--agent", "main", "--group", "nobody", "--provider", "Opnai")
    warnings = shown(capsys, *args)["warnings"]
    assert [(w["code"], w["severity"], w["entries"]) for w in warnings] == [
        ("unknown_group", "info", ["nobody"]),
        ("unknown_provider", "warning", ["Opnai"]),
        ("unknown_entries", "warning", ["crab"]),
    ]
    assert warnings[1]["message"].endswith("did you mean openai?")
    assert warnings[2]["label"] == "agents.main.tools.allow"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--agent", "Mian"), "the ruleset has no agent `Mian`\nhelp: did you mean `main`? its agents are main;"),
        (("--group", "x"), "the ruleset has no group `x`\nhelp: its groups are family; to add one: groups: {x: {}}, "
            "to let in every other group: groups: {'*': {}}"),
        (("--model", "gpt-5"), "a policy for a model is looked up under its provider, and none is named"),
    ],
)
def test_who_is_not_declared_has_no_tools(
    args: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slip would be shown the tools that the entry takes away."""
    assert run(["tools", "--ruleset", "rules.yaml", *args]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


@pytest.mark.parametrize(
    "rules", ["groups: {family: {}, '*': {tools: {deny: [write]}}}\n", "groups: {family: {}}\ncompat: openclaw\n"]
)
def test_any_group_where_the_ruleset_says_so(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules.yaml").write_text(f"extends: [standard]\n{rules}", encoding="utf-8")
    told = shown(capsys, "--ruleset", "rules.yaml", "--group", "x")
    denies = "deny" in rules
    assert told["by_name"]["write"]["allowed"] is not denies
    assert [w["code"] for w in told["warnings"]] == ([] if denies else ["unknown_group"])


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules.yaml").write_text(RULES.partition("agents:")[0], encoding="utf-8")
    assert run(["tools", "--ruleset", "rules.yaml", "--agent", "nobody"]) == 0
    out, err = capsys.readouterr()
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["tool", "of", "allowed", "step", "rule"]
    assert ["exec", "dcc", "no", "3", "tools.allow", "exec"] in lines
    assert ["web_search", "host", "no", "1", "tools.profile", "(coding)", "not", "listed"] in lines
    assert "`nobody` is not under `agents` of the ruleset: it has no policy of its own" in err


def test_without_a_policy(capsys: pytest.CaptureFixture[str]) -> None:
    rows = shown(capsys)["tools"]
    assert all(row["allowed"] and row["step"] is None and row["label"] is None for row in rows)


def test_a_wrong_policy_is_shown_as_it_would_be_asked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("wrong.yaml").write_text("tools: {profile: Minimal}\n", encoding="utf-8")
    document = shown(capsys, "--ruleset", "wrong.yaml", code=1)
    assert not any(row["allowed"] for row in document["tools"])
    assert [w["code"] for w in document["warnings"]] == ["unknown_profile"]


def test_the_original_allows_all_under_a_profile_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    Path("wrong.yaml").write_text("compat: openclaw\ntools: {profile: Minimal}\n", encoding="utf-8")
    assert all(row["allowed"] for row in shown(capsys, "--ruleset", "wrong.yaml")["tools"])


def test_a_text_that_cannot_be_read_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.yaml").write_text("tools: {deny: [exec]\n", encoding="utf-8")
    assert run(["tools", "--ruleset", "broken.yaml"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "broken.yaml:" in err


def test_no_ruleset(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tools", "--ruleset", "nowhere"]) == 2
    assert "cannot read ruleset nowhere" in capsys.readouterr().err
