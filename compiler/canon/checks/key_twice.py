"""A key of canon stands once in front matter.

## What it finds

`capsule`, `updated` or `scope` with a value twice.

## Why it matters

The last one counts; the others look as if they did.

## Example

    ---
    capsule: Old.
    capsule: New.
    ---

## Instead

    ---
    capsule: New.
    ---

## Fix

Delete the lines that do not count.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC753", "key-twice", "warning", kind="sections")
