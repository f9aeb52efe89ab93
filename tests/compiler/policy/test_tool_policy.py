"""Runs tests/conformance/tool_policy.yaml: the answers of dcc, and with ``compat`` those of the original."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.compiler.policy.limits import group_of
from dcc.compiler.policy.matching import Matcher, Present, members_of, pattern_of
from dcc.compiler.policy.names import GROUP_PREFIX, GROUPS, normal_name
from dcc.compiler.policy.profiles import PROFILES
from dcc.compiler.policy.rules import policy_rules
from dcc.compiler.policy.steps import provider_keys, written_policy
from dcc.compiler.policy.table import PolicyTable, Where, compile_policy

CASES = yaml.safe_load((Path(__file__).parents[2] / "conformance" / "tool_policy.yaml").read_text("utf-8"))
MODES = ("openclaw", "dcc")

CORE = ("read", "write", "edit", "exec", "process", "session_status", "web_search")
LOBSTER = Present.of([("lobster_run", "lobster")])


def ids(cases: list[dict[str, Any]]) -> list[str]:
    return [case.get("id") or str(next(iter(case.values()))) for case in cases]


def tools_of(case: dict[str, Any]) -> list[tuple[str, str | None]]:
    core = [*(case.get("tools") or CORE), *case.get("with", ())]
    plugins = dict([case["plugin"]]) if "plugin" in case else case.get("plugins")
    if plugins is None:
        plugins = {} if "tools" in case else {"lobster": ["lobster_run"]}
    return [*((name, None) for name in core), *((name, plugin) for plugin, names in plugins.items() for name in names)]


def table_of(case: dict[str, Any], mode: str) -> PolicyTable:
    rules = {**(case.get("rules") or {}), "compat": "openclaw" if mode == "openclaw" else None}
    made = policy_rules(rules, offloads=case.get("offloads", False))
    return compile_policy(made, tools_of(case), case.get("ids", ()))


def expected(answer: Any, tools: list[str]) -> list[str]:
    if answer == "all":
        return tools
    left = answer["but"] if isinstance(answer, dict) else None
    assert set(left if left is not None else answer) <= set(tools)
    return [name for name in tools if (name not in left if left is not None else name in answer)]


@pytest.mark.parametrize("case", CASES["names"], ids=ids(CASES["names"]))
def test_names(case: dict[str, Any]) -> None:
    assert normal_name(case["in"]) == case["out"]


@pytest.mark.parametrize("case", CASES["groups"], ids=ids(CASES["groups"]))
def test_groups(case: dict[str, Any]) -> None:
    assert members_of(case["entry"], LOBSTER) == tuple(case["out"])


def test_groups_are_not_nested() -> None:
    assert not {name for members in GROUPS.values() for name in members if name.startswith(GROUP_PREFIX)}
    assert {case["entry"] for case in CASES["groups"]} >= set(GROUPS)


def test_group_plugins_without_plugins() -> None:
    """The name stays, and matches nothing: a list of it alone is not an empty one."""
    assert members_of("group:plugins", Present.of([("read", None)])) == ("group:plugins",)


@pytest.mark.parametrize("case", CASES["globs"], ids=ids(CASES["globs"]))
def test_globs(case: dict[str, Any]) -> None:
    matcher = Matcher.of([case["pattern"]], LOBSTER)
    assert (matcher.entry_for(normal_name(case["name"])) is not None) is case["matches"]
    assert matcher.empty is (not case["pattern"].strip())


def test_profiles() -> None:
    assert PROFILES == {
        "minimal": ("session_status",),
        "coding": ("group:fs", "group:runtime", "group:sessions", "group:memory", "image"),
        "messaging": ("group:messaging", "sessions_list", "sessions_history", "sessions_send", "session_status"),
        "full": None,
    }


@pytest.mark.parametrize("case", CASES["also_allow"], ids=str)
def test_also_allow(case: dict[str, Any]) -> None:
    block = policy_rules({"tools": case["block"]}, offloads=False).tools.block
    policy, out = written_policy(block), case["out"]
    if out is None:
        assert policy is None
    else:
        assert policy is not None
        assert {k: list(v) for k in ("allow", "deny") if (v := getattr(policy, k)) is not None} == out


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES["provider_keys"], ids=str)
def test_provider_keys(case: dict[str, Any], mode: str) -> None:
    assert list(provider_keys(case["provider"], case["model"], compat=mode == "openclaw")) == case[mode]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES["labels"], ids=ids(CASES["labels"]))
def test_labels(case: dict[str, Any], mode: str) -> None:
    table, ask = table_of(case, mode), case["ask"]
    keys = table.keys_of(ask.get("provider"), ask.get("model"))
    asked = table.verdicts(ask.get("agent"), ask.get("group"), keys)
    assert {one.step.number: one.step.label for one in asked} == case.get(mode, case.get("steps"))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES["pipeline"], ids=ids(CASES["pipeline"]))
def test_pipeline(case: dict[str, Any], mode: str) -> None:
    table, where = table_of(case, mode), Where(**case.get("ask", {}))
    names = [name for name, _ in tools_of(case)]
    assert list(table.allowed(where)) == expected(case[mode], names)
    # What is said of a list at the profile is said again of the block that widened it.
    codes = list(dict.fromkeys(note.code for note in table.notes(where)))
    assert codes == case.get("notes", {}).get(mode, [])


@pytest.mark.parametrize("part", ["pipeline", "labels", "provider_keys"])
def test_rows_that_differ_say_why(part: str) -> None:
    for case in CASES[part]:
        notes = case.get("notes", {})
        answers = [case[column] for column in ("seed", *MODES) if case.get(column) is not None]
        differs = any(answer != answers[0] for answer in answers) or notes.get("openclaw") != notes.get("dcc")
        assert differs == ("reason" in case), case


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES["warnings"], ids=ids(CASES["warnings"]))
def test_warnings(case: dict[str, Any], mode: str) -> None:
    notes = table_of(case, mode).notes(Where(**case.get("ask", {})))
    assert [[note.code, note.severity, note.label, list(note.entries)] for note in notes] == case[mode]
    for note in notes:
        assert note.message.startswith(f"{note.label}: ")
        assert all(f"`{entry}`" in note.message for entry in note.entries if note.code != "additive")


def test_openclaw_45269_the_plugin_is_not_spoken_of_where_a_tool_of_the_catalogue_is_missing() -> None:
    case = {"rules": {"tools": {"profile": "coding", "alsoAllow": ["apply_patch"]}}}
    said = [note.message for note in table_of(case, "dcc").notes(Where())]
    assert said
    assert not any("plugin" in message for message in said)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES["limits"]["cases"], ids=ids(CASES["limits"]["cases"]))
def test_limits(case: dict[str, Any], mode: str) -> None:
    case = {"tools": CASES["limits"]["tools"], **case}
    answer = case["only"] if "only" in case else {"but": case["but"]}
    names = [name for name, _ in tools_of(case)]
    assert list(table_of(case, mode).allowed(Where(**case["ask"]))) == expected(answer, names)


@pytest.mark.parametrize("case", CASES["group_of"], ids=str)
def test_group_of(case: dict[str, Any]) -> None:
    assert group_of(case["explicit"], case["key"], case["parent"]) == case["out"]


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("a*b*c", "abc", True), ("a*b*c", "a-b-b-c", True), ("a*b*c", "acb", False), ("ab*ba", "aba", False),
        ("*ab*ab", "abab", True), ("*ab*ab", "ab", False), ("*a*", "bab", True), ("a**b", "a\nb", True),
        ("*" * 5_000 + "x", "read", False), ("a*" * 40 + "b", "a" * 64, False), ("*a" * 40 + "*", "a" * 64, True),
    ],
)  # fmt: skip
def test_a_name_with_many_stars_is_matched_in_one_way(pattern: str, name: str, matches: bool) -> None:
    assert (pattern_of(pattern).fullmatch(name) is not None) == matches
