"""The asset of an article is there.

## What it finds

A nested address whose folder is on disk while nothing in it has the address. Articles with `scope: rule` are
never meant.

## Why it matters

The asset was moved or deleted, and no touch will ever surface what is known of it.

## Example

    articles/pkg/gone.md, with pkg/ but no pkg/gone.ts

## Instead

    articles/pkg/moved.md, with pkg/moved.ts

## Fix

Move the article after its asset, fold it into the one above, or write it with scope rule.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC762", "orphan-article", "warning", kind="sections")
