"""A ruleset names keys, and holds none.

## What it finds

A key of a provider that is written in the ruleset (`api_key`, `token`, …), and a `key_env`, of a provider or of a
profile of `auth`, that can be no name of a variable: mostly the key itself.

## Why it matters

A ruleset is shared and stored; whoever reads it has the key. `dcc run` and `dcc chat` refuse to begin.

## Example

    provider: {type: openai, model: large-1, api_key: sk-0123456789}

## Instead

    provider: {type: openai, model: large-1, key_env: OPENAI_API_KEY}

## Fix

Take the key out, revoke it where the file was shared, and name it: by a variable, or by a file of mode 0600
(`key_file`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import KeyPath, show_path
from ..providers import holds_secret, names_variable

_HELP = "take it out, and name it: key_env: MY_KEY, or key_file: a file of mode 0600"

CHECK = Check("DCC724", "written-key", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.provider
    for name in (section.model_extra or {}) if section is not None else ():
        if holds_secret(name):
            message = f"provider.{name} holds a key in a ruleset, where others read it"
            yield from context.report(CHECK, ("provider", name), message, help=_HELP, on="key")
    for path, variable in _variables(context):
        if not names_variable(variable):
            # What is written is not repeated: it may be the key.
            message = f"{show_path(path)} is no name of a variable: expected letters, digits and _"
            yield from context.report(CHECK, path, message, help=_HELP)


def _variables(context: Context) -> Iterator[tuple[KeyPath, str]]:
    provider, auth = context.ruleset.provider, context.ruleset.auth
    if provider is not None and provider.key_env:
        yield ("provider", "key_env"), provider.key_env
    for name, profile in auth.profiles.items() if auth is not None else ():
        if profile.key_env:
            yield ("auth", "profiles", name, "key_env"), profile.key_env
