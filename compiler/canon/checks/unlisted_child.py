"""An article lists those directly below it.

## What it finds

An article that does not link to every article directly below its address, where schema.json has
`children.listed`.

## Why it matters

Who reads the summary does not learn that there is more.

## Example

    articles/src/core.md without [[src/core/config]]

## Instead

    articles/src/core.md with [[src/core/config]]

## Fix

Link each of them.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC766", "unlisted-child", "warning", kind="sections")
