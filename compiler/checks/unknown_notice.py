"""Expected notices have codes that there are.

## What it finds

A code under `expect.notices` that no notice has.

## Why it matters

Notices are compared by code, so the expectation can never hold.

## Example

    steps:
      - {user: "/goal a remain 2", expect: {notices: [patch_replacd]}}

## Instead

    steps:
      - {user: "/goal a remain 2\\n/goal b remain 2", expect: {notices: [patch_replaced]}}

## Fix

Use a code of compiler/notices.py; `dcc play` prints the codes of what it tells.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check
from ..diagnostics import Diagnostic
from ..notices import NOTICES
from ..problem import KeyPath, nearest, quote, respell, sure
from ..scenarios import ScenarioContext

CHECK = Check("DCC904", "unknown-notice", "error", kind="scenario")


def run(context: ScenarioContext) -> Iterator[Diagnostic]:
    for index, step in enumerate(context.scenario.steps):
        for n, notice in enumerate(step.expect.notices if step.expect is not None else ()):
            code = notice.get("code") if isinstance(notice, dict) else notice
            if not isinstance(code, str) or code in NOTICES:
                continue
            near, meant = nearest(code, NOTICES), sure(code, NOTICES)
            path: KeyPath = ("steps", index, "expect", "notices", n)
            yield from context.report(
                CHECK,
                path,
                f"no notice has the code {quote(code)}",
                help=f"did you mean {quote(near)}?" if near else "`dcc play` prints the codes of what it tells",
                mends=(respell(path, meant),) if meant else (),
            )
