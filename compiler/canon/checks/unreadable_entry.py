"""Every journal entry says when it was logged.

## What it finds

A file in the journal without front matter, or without `logged` in it.

## Why it matters

It is ordered by the date of its name alone, and a subject in its body is none.

## Example

    We raised the cap.

## Instead

    ---
    subject: [src/feed]
    logged: 2026-08-11T09:00:00.000Z
    ---
    We raised the cap.

## Fix

Add the front matter, or delete the file.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC767", "unreadable-entry", "warning", kind="sections")
