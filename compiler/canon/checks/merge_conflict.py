"""No article and no entry holds the two sides of a merge.

## What it finds

The markers that git leaves where two branches changed the same lines, or logged under the same name.

## Why it matters

The two sides contradict each other, and what surfaces may be either; the date is that of the last side.

## Example

    <<<<<<< HEAD
    The cap is 40.
    =======
    The cap is 60.
    >>>>>>> other

## Instead

    The cap is 60.

## Fix

Keep what is true, and take the markers out. Make two entries of one that holds both sides.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC769", "merge-conflict", "error", kind="sections")
