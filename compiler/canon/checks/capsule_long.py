"""A capsule is one dense line.

## What it finds

A capsule of more than 1,000 characters (UTF-16 code units). Silent where the schema has `max_chars` for it: see
schema-bounds.

## Why it matters

The whole capsule enters the conversation on every first touch.

## Example

    capsule: (a page of text)

## Instead

    capsule: Environment beats file; secrets never land here.

## Fix

Keep what must be known on a touch; the rest is body.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC755", "capsule-long", "warning", kind="sections")
