"""An article is worth a file of its own.

## What it finds

A body of less than 400 characters with an article one segment up.

## Why it matters

Few words are found sooner where the article above is read anyway.

## Example

    articles/src/core.md and articles/src/core/config.md (one line)

## Instead

    articles/src/core.md with that line

## Fix

Fold it into the article above, unless an asset has its address.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC759", "fold-up", "info", kind="sections")
