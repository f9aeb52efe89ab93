"""Runs tests/conformance/ops_decisions.yaml, and what holds of any decision table."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.compiler.documents import shipped_ops_path
from dcc.compiler.ops.cases import KINDS
from dcc.compiler.ops.decisions import Decision, decisions, summary
from dcc.compiler.ops.evaluate import holds
from dcc.compiler.ops.model import OpTable
from dcc.compiler.ops.source import read_ops_file

CASES = yaml.safe_load((Path(__file__).parents[2] / "conformance" / "ops_decisions.yaml").read_text("utf-8"))

#: A slot on stage, read, in full.
ORDINARY = {"visibility": "model", "storage": "inline", "tokens": 1_000}
RESULT = {**ORDINARY, "kind": "toolResult", "json_object": True}


def table_of(text: str) -> OpTable:
    file = read_ops_file("mine.ops", text)
    assert file.faults == ()
    return OpTable(file.table)


@cache
def cpat() -> OpTable:
    path = shipped_ops_path("cpat")
    assert path is not None
    return table_of(path.read_text(encoding="utf-8"))


@cache
def rows() -> tuple[Decision, ...]:
    return tuple(decisions(cpat()))


def test_every_op_is_decided_for_every_kind() -> None:
    assert {(row.op, row.kind) for row in rows()} == {(op, kind) for op in cpat().ops for kind in KINDS}


@pytest.mark.parametrize("case", CASES["cases"], ids=str)
def test_decision(case: dict[str, Any]) -> None:
    choice, state = case.get("choice", {}), {**ORDINARY, **case.get("state", {})}
    found = {
        row.result
        for row in rows()
        if (row.op, dict(row.choice), row.kind) == (case["op"], choice, case["kind"])
        and all(value == state[fact] if fact in state else value == (fact == "protected") or _only(row, fact, value)
                for fact, value in row.state)
    }  # fmt: skip
    assert found == {case["result"]}


def _only(row: Decision, fact: str, value: object) -> bool:
    """Whether slots of the row's kind have no other value of a fact."""
    return {dict(other.state)[fact] for other in rows() if (other.op, other.kind) == (row.op, row.kind)} == {value}


@pytest.mark.parametrize("case", CASES["arguments"], ids=str)
def test_arguments(case: dict[str, Any]) -> None:
    op = cpat().ops[case["op"]]
    arguments = {"ids": ["a"], **case["arguments"]}
    targets = [RESULT] * len(arguments["ids"])
    assert [r.code for r in op.refusals if holds(r.when, arguments, targets)] == case["codes"]


@pytest.mark.parametrize("case", CASES["words"], ids=str)
def test_word(case: dict[str, Any]) -> None:
    argument = cpat().ops[case["op"]].arg(case["argument"])
    assert argument is not None
    assert (argument.refuse, argument.default) == (case["refuse"], case["default"])


@pytest.mark.parametrize("case", CASES["guards"], ids=str)
def test_guards(case: dict[str, Any]) -> None:
    assert list(cpat().ops[case["op"]].guards) == case["guards"]


def test_gates_and_reversals() -> None:
    ops = cpat().ops
    assert {op.name: op.gate for op in ops.values() if op.gate} == {"replace": "replace", "redact": "redact"}
    assert {op.name: op.reverse for op in ops.values()} == {
        "set_visibility": "set_visibility", "payload_offload": "restore", "restore": "payload_offload",
        "compact": "set_visibility", "fold": "set_visibility", "merge": "set_visibility",
        "replace": None, "redact": None,
    }  # fmt: skip


def test_every_declared_code_is_met() -> None:
    met = {(row.op, row.result) for row in rows()}
    met |= {(case["op"], code) for case in CASES["arguments"] for code in case["codes"]}
    assert {(op.name, r.code) for op in cpat().ops.values() for r in op.refusals} - met == set()


def test_a_summary_tells_every_row() -> None:
    """The words of a summary, read as a list of cases of which the first counts, give each row its result."""
    for _, group in groupby(rows(), key=lambda row: (row.op, row.choice, row.kind)):
        own = list(group)
        for row in own:
            assert _read(summary(own), dict(row.state)) == row.result


def _read(said: str, state: dict[str, Any]) -> str:
    true = {str(value) for value in state.values()} | {f for f, v in state.items() if v is True}
    true |= {f"not {f}" for f, v in state.items() if v is False}
    for part in said.split("; "):
        condition, colon, result = part.partition(": ")
        if not colon:
            return condition.removeprefix("else ")
        if true & set(condition.split(" or ")):
            return result
    raise AssertionError(said)


def test_numbers_are_tried_around_what_they_are_compared_with() -> None:
    table = table_of(
        """
        op note {
          ids: slots
          few: count = 2
          refuse too_small when any(target.tokens < 300) "small"
          refuse too_many when count(ids) > 3 "many"
          effect hold archived
        }
        """
    )
    own = [row for row in decisions(table) if row.kind == "assistant"]
    assert [(dict(row.state)["tokens"], row.result) for row in own] == [
        (299, "too_small"), (300, "allowed"), (301, "allowed"),
    ]  # fmt: skip
    assert summary(own) == "tokens to 299: too_small; else allowed"


def test_arguments_are_made_valid() -> None:
    table = table_of(
        """
        op note {
          ids: slots
          names: texts
          label: text
          refuse three when count(ids) != 3 "three"
          refuse two when count(names) < 2 "two"
          refuse labelled when label != urgent "urgent"
          effect hold archived
        }
        """
    )
    assert {row.result for row in decisions(table)} == {"protected_kind", "allowed"}


def test_a_kind_of_a_ruleset_is_decided_too() -> None:
    table = table_of('op note { ids: slots refuse no when any(target.kind == draft) "no" effect hold archived }')
    assert {row.kind: row.result for row in decisions(table)}["draft"] == "no"
