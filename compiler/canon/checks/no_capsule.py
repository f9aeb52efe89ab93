"""Every article has a capsule.

## What it finds

An article without a `capsule` in its front matter. Silent where the schema requires one: see schema-required.

## Why it matters

A touch then surfaces the address alone, and what is known has to be looked up.

## Example

    ---
    updated: 2026-08-11
    ---
    Environment beats file.

## Instead

    ---
    capsule: Environment beats file.
    updated: 2026-08-11
    ---

## Fix

Write one dense line of what is true now.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC754", "no-capsule", "warning", kind="sections")
