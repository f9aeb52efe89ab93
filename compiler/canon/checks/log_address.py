"""An article is no log.

## What it finds

An address with a segment such as log, journal, sessions, meetings, 会议纪要, or with a date.

## Why it matters

An article holds what is true now; a log of events hides that under what was true once.

## Example

    articles/ops/logs/2026-08-10.md

## Instead

    journal/2026-08-10-deploy.md, and articles/ops/deploy.md for what holds

## Fix

Move the events into the journal, and keep what holds at the address of its asset.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC760", "log-address", "warning", kind="sections")
