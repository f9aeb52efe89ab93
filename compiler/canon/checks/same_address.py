"""Every address has one article.

## What it finds

Two files whose names are one in Unicode NFC: `é` as one character and as two.

## Why it matters

Which of the two is read depends on the file system, and a write changes one of them.

## Example

    articles/café.md and articles/café.md, spelt in two ways

## Instead

    articles/café.md

## Fix

Bring what still holds into one of the files, and delete the other.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC752", "same-address", "error", kind="sections")
