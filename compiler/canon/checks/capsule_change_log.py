"""A capsule says what is true now.

## What it finds

A capsule that begins with a word such as added, fixed, updated, 修复, 已更新.

## Why it matters

What happened is of no use to the one who touches the asset next; what holds now is.

## Example

    capsule: Added pagination to the inventory feed.

## Instead

    capsule: The inventory feed is read page by page, 500 rows each.

## Fix

Say what holds now, and put the event into the journal.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC756", "capsule-change-log", "warning", kind="sections")
