"""Expected rejections have codes that there are.

## What it finds

A code among expected `rejections` that neither dcc nor an operation of the ruleset gives.

## Why it matters

Rejections are compared by code, so the expectation can never hold.

## Example

    ruleset: {governance: {ops: cpat, gates: [replace, redact]}}
    steps:
      - do: [{update: {reason: done, operations: [{op: restore, ids: [user@1]}]}}]
        expect: {transactions: [{rejections: [unknown_ids]}]}

## Instead

    ruleset: {governance: {ops: cpat, gates: [replace, redact]}}
    steps:
      - do: [{update: {reason: done, operations: [{op: restore, ids: [user@1]}]}}]
        expect: {transactions: [{rejections: [unknown_id]}]}

## Fix

Use a code that the operation declares (`dcc ops`), or one that every operation may get.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..check import Check
from ..diagnostics import Diagnostic
from ..ops.model import OpTable
from ..ops.vocabulary import COMMON_CODES, FLOOR_CODES
from ..problem import KeyPath, nearest, quote, respell, sure
from ..scenarios import ScenarioContext

CHECK = Check("DCC908", "unknown-rejection", "error", kind="scenario")


def run(context: ScenarioContext) -> Iterator[Diagnostic]:
    if context.program is None:
        return
    known = codes_of(context.program.ops or OpTable())
    for path, code in _expected(context):
        if code in known:
            continue
        near, meant = nearest(code, known), sure(code, known)
        yield from context.report(
            CHECK,
            path,
            f"no operation is refused with the code {quote(code)}",
            help=f"did you mean {quote(near)}?" if near else "`dcc ops` lists the codes of each operation",
            mends=(respell(path, meant),) if meant else (),
        )


def codes_of(table: OpTable) -> frozenset[str]:
    """Every code that a transaction of these operations may be refused with."""
    declared = {refusal.code for op in table.ops.values() for refusal in op.refusals}
    declared |= {argument.refuse for op in table.ops.values() for argument in op.args if argument.refuse is not None}
    return COMMON_CODES | FLOOR_CODES | declared


def _expected(context: ScenarioContext) -> Iterator[tuple[KeyPath, str]]:
    """The expected codes, each with its place."""
    for index, step in enumerate(context.scenario.steps):
        path: KeyPath = ("steps", index)
        if step.expect is not None:
            for n, transaction in enumerate(step.expect.transactions):
                yield from _codes(transaction, (*path, "expect", "transactions", n))
            yield from _of_results(step.expect.results, (*path, "expect", "results"))
        for n, call in enumerate(step.calls):
            if call.expect is not None:
                yield from _of_results(call.expect.results, (*path, "calls", n, "expect", "results"))


def _of_results(results: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(results, dict):
        for call, result in results.items():
            yield from _codes(result, (*path, call))


def _codes(answer: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    rejections = answer.get("rejections") if isinstance(answer, dict) else None
    for n, rejection in enumerate(rejections if isinstance(rejections, list) else ()):
        place: KeyPath = (*path, "rejections", n)
        if isinstance(rejection, dict):
            rejection, place = rejection.get("rule"), (*place, "rule")
        if isinstance(rejection, str):
            yield place, rejection
