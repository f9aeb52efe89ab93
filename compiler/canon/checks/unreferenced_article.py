"""Some other article links to each.

## What it finds

An article that no other links to, where schema.json has `orphan.warn`.

## Why it matters

It is reached by its asset alone, and nobody who reads about its neighbours learns of it.

## Example

    articles/policy/rounding.md, and no [[policy/rounding]]

## Instead

    See [[policy/rounding]].

## Fix

Link it from an article that it concerns.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC765", "unreferenced-article", "warning", kind="sections")
