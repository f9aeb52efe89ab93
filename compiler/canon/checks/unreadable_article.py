"""Every article can be read.

## What it finds

A file that is not UTF-8, may not be read, has more than 16 MiB, or is a link out of the store; one whose name holds a
control character; a folder that cannot be looked into; a `schema.json` that cannot be read.

## Why it matters

Nobody finds it by its address, or what is found is not what was written. Without its schema a store takes no article.

## Example

    articles/src/config.md  ->  /etc/hosts

## Instead

    articles/src/config.md, a file in UTF-8

## Fix

Save the file as UTF-8, in the store, under a name without control characters, for all who use the store to read.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC751", "unreadable-article", "error", kind="sections")
