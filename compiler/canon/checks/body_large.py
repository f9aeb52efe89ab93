"""A body is no book.

## What it finds

A body of more than 20,000 characters (UTF-16 code units). Silent where the schema has `max_chars` for it.

## Why it matters

Nobody reads it whole, and it costs a large part of a context to try.

## Example

    (an article of 30 pages)

## Instead

    (a summary that links to articles below its address)

## Fix

Keep a summary, and move detail into articles below the address.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC757", "body-large", "warning", kind="sections")
