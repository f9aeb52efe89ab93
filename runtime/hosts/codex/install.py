"""The entries of canon in Codex: its hooks in ``hooks.json``, its server and the switch of hooks in ``config.toml``."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from typing import Final

from ....grammar.errors import DccError
from .. import toml_text
from ..installing import SERVER, Change, as_toml, file_text, hooks_changed, in_file, is_our_server

CALLER: Final = "codex"
EVENTS: Final = ("SessionStart", "PostToolUse", "Stop")

#: The feature that hooks are behind.
FEATURE: Final = "codex_hooks"


def changes(
    folder: str, command: str, environ: Mapping[str, str], *, user: bool, remove: bool
) -> tuple[Change, ...]:
    """What installing or removing changes: in the project ``folder``, or for the ``user`` in all projects."""
    home = environ.get("HOME") or os.path.expanduser("~")
    own = environ.get("CODEX_HOME") or os.path.join(home, ".codex")
    where = own if user else os.path.join(folder, ".codex")
    hooks = hooks_changed(os.path.join(where, "hooks.json"), EVENTS, command, CALLER, remove=remove)
    return hooks, _config_changed(os.path.join(where, "config.toml"), command, remove=remove)


def _config_changed(path: str, command: str, *, remove: bool) -> Change:
    before = file_text(path)
    with in_file(path):
        return _changed(path, before, command, remove=remove)


def _changed(path: str, before: str | None, command: str, *, remove: bool) -> Change:
    text = toml_text.without_ours(before or "")
    toml_text.parse(before or "")
    if remove:
        return Change(path, before, text)
    data, notes, lines = toml_text.parse(text), list[str](), list[str]()
    servers = data.get("mcp_servers")
    held = servers.get(SERVER) if isinstance(servers, dict) else None
    if held is None:
        program, *arguments = shlex.split(command)
        lines += [f"[mcp_servers.{SERVER}]", f"command = {json.dumps(program)}"]
        lines += [f"args = {as_toml([*arguments, 'mcp', '--canon'])}"]
    elif not is_our_server(held):
        notes.append(f"{path} has a server named {SERVER} already, which is not dcc's: it stays as it is")
    features = data.get("features")
    if not isinstance(features, dict):
        lines = ["[features]", f"{FEATURE} = true", *lines]
    elif FEATURE not in features:
        text = toml_text.with_line(text, "features", f"{FEATURE} = true")
    elif features[FEATURE] is not True:
        notes.append(f"{path} switches hooks off ({FEATURE}): nothing surfaces before they are on")
    if lines:
        text = toml_text.with_block(text, "\n".join(lines))
    try:
        toml_text.parse(text)
    except DccError as error:
        # The file was read before: what does not fit is a table beside one that is written as `name = {…}`.
        message = "mcp_servers or features is written in one line, to which no table can be added"
        raise DccError("bad_toml", message, help="write it as a table, [mcp_servers], first") from error
    return Change(path, before, text, tuple(notes))
