"""``dcc canon settings``: the user's settings, shown and changed."""

from __future__ import annotations

import json as json_module
from typing import Annotated

import typer

from ...runtime.memory.errors import CanonError
from ...runtime.memory.options import (
    IN_SETTINGS,
    Options,
    settings_file,
    typed_setting,
    user_settings,
    write_settings,
)
from ...runtime.memory.reply import Reply
from .opening import JsonOption, told


def settings(
    key: Annotated[str | None, typer.Argument(metavar="[KEY]", help="surface, resurface, retrieval, standout.")] = None,
    value: Annotated[
        str | None, typer.Argument(metavar="[VALUE]", help="true, none, lexical, a number; default: take it out.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Print the user's settings, or one; with a value: change it. Projects have no file of their own for them."""
    told(lambda: _shown(key, value), json)


def _shown(key: str | None, value: str | None) -> Reply:
    """The settings after a change of one, if any. Raises CanonError (``unknown_option``, ``bad_option``)."""
    if key is not None and key not in IN_SETTINGS:
        help = f"the settings are {', '.join(IN_SETTINGS)}"
        raise CanonError("unknown_option", f"there is no setting {key!r}", help=help)
    written = user_settings()
    if key is not None and value is not None:
        written = {name: held for name, held in written.items() if name != key}
        if value != "default":
            written[key] = typed_setting(value)
        write_settings(settings_file(), written)
    usual = Options()
    shown = {name: written.get(name, getattr(usual, name)) for name in IN_SETTINGS}
    if key is not None:
        shown = {key: shown[key]}
    notes = {name: "" if name in written else " (default)" for name in shown}
    lines = [f"{name} = {json_module.dumps(held)}{notes[name]}" for name, held in shown.items()]
    return Reply("settings", "\n".join(lines), data={"file": settings_file(), "settings": shown})


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("settings")(settings)
