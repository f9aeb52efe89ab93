"""Addresses differ in more than the case of their letters.

## What it finds

Two articles whose addresses are the same but for case.

## Why it matters

On macOS and Windows the two are one file: whoever checks the store out there has one of them, and writes change it for
both.

## Example

    articles/src/Config.md and articles/src/config.md

## Instead

    articles/src/config.md

## Fix

Bring what still holds into one of the files, and delete the other.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC768", "same-but-case", "warning", kind="sections")
