"""What the store bounds keeps to it.

## What it finds

A capsule, a title or a body that is longer or shorter than schema.json says, or fewer references.

## Why it matters

The owner of the store has set these bounds.

## Example

    {"article": {"capsule": {"max_chars": 200}}}, and a capsule of 300

## Instead

    a capsule of 150

## Fix

Shorten or lengthen it, or change the bound.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC764", "schema-bounds", "warning", kind="sections")
