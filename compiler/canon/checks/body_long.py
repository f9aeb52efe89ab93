"""A body is dense.

## What it finds

A body of more than 8,000 characters (UTF-16 code units).

## Why it matters

It will have to be split soon.

## Example

    (an article of 10 pages)

## Instead

    (the same in 5)

## Fix

Take out what no longer holds and what is said twice.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC758", "body-long", "info", kind="sections")
