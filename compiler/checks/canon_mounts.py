"""Every mount has a name of its own.

## What it finds

Two mounts whose folders have the same name; a mount that is the root itself.

## Why it matters

The articles of a mount are addressed by the name of its folder. Of two with one name the second gets a number,
which changes when a mount before it is taken out.

## Example

    canon: {mounts: [../old/web, ../new/web]}

## Instead

    canon: {mounts: [../old-web, ../new-web]}

## Fix

Rename one of the folders, or mount a link with another name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import quote

#: The folder of a store.
STORE = ".canon"

CHECK = Check("DCC712", "canon-mounts", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    canon = context.ruleset.canon
    if canon is None:
        return
    first: dict[str, int] = {}
    for index, mount in enumerate(canon.mounts):
        path = PurePosixPath(mount.replace("\\", "/"))
        if path == PurePosixPath(canon.root):
            message = f"the mount {quote(mount)} is the root itself"
            yield from context.report(CHECK, ("canon", "mounts", index), message, help="leave it out")
            continue
        # A store may be named instead of the folder that it is in.
        name = path.parent.name if path.name == STORE else path.name
        if name in first:
            yield from context.report(
                CHECK,
                ("canon", "mounts", index),
                f"two mounts are called {quote(name)}: this one is addressed with a number behind its name",
                help="rename one of the folders",
                related=(("the first one is here", ("canon", "mounts", first[name])),),
            )
        else:
            first[name] = index
