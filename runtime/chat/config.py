"""Which ruleset a chat runs under when the command line names none (spec/dynamiccontext.md section 16)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ...grammar.errors import DccError

#: The environment variable that names a file.
VARIABLE = "DC_CONFIG"

#: Where the original keeps its file, from the current folder.
USUAL = Path("config", "standard", "runtime.yaml")

#: The shipped ruleset when there is no file.
SHIPPED = "standard"


def find_config(named: Path | None, environ: Mapping[str, str], folder: Path = Path()) -> str | Path:
    """The file that is ``named`` (``--dc-config``), else that of DC_CONFIG, else the usual one, else ``standard``.

    Raises DccError (``no_ruleset``) for a file that is named and not there, and for a usual one that is a folder or a
    link to nothing: to run without it under other rules would be a surprise.
    """
    if named is not None:
        return _there(folder / named, f"--dc-config names {named}")
    if environ.get(VARIABLE):
        return _there(folder / environ[VARIABLE], f"{VARIABLE} names {environ[VARIABLE]}")
    usual = folder / USUAL
    return _there(usual, f"the usual ruleset is {USUAL}") if os.path.lexists(usual) else SHIPPED


def _there(path: Path, who: str) -> Path:
    if not path.is_file():
        what = "that is a folder, a pipe or a device" if path.exists() else "there is no such file"
        raise DccError(
            "no_ruleset", f"{who}, and {what}",
            help=f"name a file that exists, or leave it out: then {USUAL} is read, else {SHIPPED}",
        )  # fmt: skip
    return path
