"""What the store requires is there.

## What it finds

An article that lacks what schema.json requires: a capsule, a title, a body, a reference.

## Why it matters

A write that made it so would be refused; it is older than the rule, or was made by hand.

## Example

    {"article": {"title": {"required": true}}}, and a body without a heading

## Instead

    # Config

## Fix

Write what is required.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC763", "schema-required", "error", kind="sections")
