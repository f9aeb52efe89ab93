"""Every link leads to an article.

## What it finds

`[[target]]` where no article is, neither as it is written nor without an extension. Code is not looked at, and
a link may name a mount.

## Why it matters

Who follows the link finds nothing: most often the article has moved.

## Example

    See [[src/cofnig]].

## Instead

    See [[src/config]].

## Fix

Write an address that `dcc canon map` lists, or take the link out.
"""

from __future__ import annotations

from ...check import Check

CHECK = Check("DCC761", "dead-link", "warning", kind="sections")
