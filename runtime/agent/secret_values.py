"""Which secrets dcc holds for a run: keys of providers, and what a person hands to a server of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from ...compiler.program import Program
from ...compiler.secret_names import names_a_secret
from ..providers.errors import ProviderError
from ..providers.keys import key_from_file

#: The variables that hold keys of providers, whether a ruleset names them or not.
_USUAL: Final = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


def secrets_of(program: Program, environ: Mapping[str, str]) -> frozenset[str]:
    """The values of all secrets that a ruleset names by a variable or a file. What is not there is none."""
    handed_on = {environ.get(name, "").strip() for name in _handed_on(program.sections)}
    return keys_of(program, environ) | (handed_on - {""})


def keys_of(program: Program, environ: Mapping[str, str]) -> frozenset[str]:
    """Those of them that dcc itself uses, and no program that it starts may have."""
    sections = program.sections
    variables = {*_USUAL}
    files: set[str] = set()
    profiles = (sections.get("auth") or {}).get("profiles") or {}
    for holder in (sections.get("provider") or {}, *profiles.values()):
        variables.add(holder.get("key_env") or "")
        files.add(holder.get("key_file") or "")
    values = {environ.get(name, "").strip() for name in variables}
    for file in files - {""}:
        with suppress(ProviderError):
            values.add(key_from_file(file).value)
    return frozenset(values - {""})


def _handed_on(sections: Mapping[str, Any]) -> Iterator[str]:
    """Variables with a secret that servers of tools get, because a person said so."""
    for server in ((sections.get("tools") or {}).get("mcp") or {}).values():
        yield from (name for name in server.get("env") or () if names_a_secret(name))
