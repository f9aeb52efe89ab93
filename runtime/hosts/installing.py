"""What installing canon in a host changes: files before and after, so that it can be shown before it is done."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from ...grammar.errors import DccError
from ..memory.store.files import read_file
from ..whole_file import write_whole
from . import json_text

#: Seconds that a host waits for a hook.
TIMEOUT_S: Final = 5

#: The name of the server in a host.
SERVER: Final = "canon"

#: A file that dcc makes; by the empty line at its end it is known when nothing else is left in it.
_MADE: Final = "{}\n\n"

#: By this a command is ours.
_OURS: Final = "canon hook --caller "


@dataclass(frozen=True, slots=True)
class Change:
    """A file as it is (None: not there) and as it will be; ``notes``: what is left to the person.

    One in which nothing is left goes.
    """

    path: str
    before: str | None
    after: str
    notes: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether anything changes."""
        return self.after != (self.before or "")


@contextmanager
def in_file(path: str) -> Iterator[None]:
    """Whatever is wrong with the text of a file is told with its name."""
    try:
        yield
    except DccError as error:
        raise DccError(error.code, f"{path}: {error.message}", help=error.help) from error


def file_text(path: str) -> str | None:
    """The text of a file, line ends as they are; None when there is none.

    Raises DccError (``bad_file``, ``not_a_file``, ``too_large``), OSError.
    """
    if os.path.isdir(path):
        raise DccError("bad_file", f"{path} is a folder", help="move it away first")
    data = read_file(path)
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        raise DccError("bad_file", f"{path} is not UTF-8", help="mend it by hand first") from None


def carry_out(change: Change) -> None:
    """Write a file, whole or not at all, with the rights that it had; a link is followed.

    Raises DccError (``changed_meanwhile``) when it is not as the change was shown for it, OSError.
    """
    if file_text(change.path) != change.before:
        message = f"{change.path} was changed meanwhile, and is left as it is"
        raise DccError("changed_meanwhile", message, help="install again: what changes is shown anew")
    if change.after:
        write_whole(change.path, change.after)
    else:
        os.unlink(os.path.realpath(change.path))


def hooks_changed(path: str, events: Sequence[str], command: str, caller: str, *, remove: bool) -> Change:
    """The hooks in a file of JSON: ours for each event, or none of ours. Those of others stay."""
    before = file_text(path)
    wanted = {"hooks": [{"type": "command", "command": f"{command} {_OURS}{caller}", "timeout": TIMEOUT_S}]}
    text = _begun(before)
    with in_file(path):
        for event in events:
            if not remove and text and _ours(text, event) == [(wanted, None)]:
                continue
            while text and (found := _places(text, event)):
                text = json_text.take_out(text, found[-1])
            if not remove:
                text = json_text.append(text or _new(before), ("hooks", event), wanted)
    return Change(path, before, _left(before, text))


def _begun(before: str | None) -> str:
    """The text to change: nothing of a file in which nothing stands."""
    return before if before and before.strip(" \t\r\n\ufeff") else ""


def _new(before: str | None) -> str:
    """What entries are put into where nothing stands yet, in a file that is made or that was blank."""
    return _MADE if before is None else "{}\n"


def _left(before: str | None, text: str) -> str:
    """A text; nothing of a file that dcc has made and that has lost its last entry."""
    return "" if text == _MADE else text if text or before is None else before


def _groups(text: str, event: str) -> list[Any]:
    hooks = json_text.parse(text).value
    if not isinstance(hooks, dict):
        raise DccError("bad_json", "the file must hold an object", help="mend it by hand first")
    groups = hooks.get("hooks", {})
    found = groups.get(event, []) if isinstance(groups, dict) else None
    if not isinstance(found, list):
        raise DccError("bad_json", f"hooks.{event} is not as hooks are written", help="mend it by hand first")
    return found


def _is_ours(hook: object) -> bool:
    return isinstance(hook, Mapping) and _OURS in str(hook.get("command", ""))


def _ours(text: str, event: str) -> list[tuple[Any, int | None]]:
    """The groups that are ours alone, and single hooks of ours in others."""
    found: list[tuple[Any, int | None]] = []
    for group in _groups(text, event):
        hooks = group.get("hooks") if isinstance(group, Mapping) else None
        ours = [number for number, hook in enumerate(hooks) if _is_ours(hook)] if isinstance(hooks, list) else []
        if ours and len(ours) == len(hooks or ()):
            found.append((group, None))
        else:
            found += [(group, number) for number in ours]
    return found


def _places(text: str, event: str) -> list[tuple[str | int, ...]]:
    """The paths of our hooks of an event; of a group that holds no others, that of the group: hosts ask for hooks."""
    return [
        ("hooks", event, at) if all(map(_is_ours, group["hooks"])) else ("hooks", event, at, "hooks", number)
        for at, group in enumerate(_groups(text, event))
        if isinstance(group, Mapping) and isinstance(group.get("hooks"), list)
        for number, hook in enumerate(group["hooks"])
        if _is_ours(hook)
    ]


def server_changed(path: str, command: str, *, remove: bool) -> Change:
    """The server in a file of JSON with ``mcpServers``; one of that name that is not ours stays as it is."""
    before = file_text(path)
    with in_file(path):
        return _server_changed(path, before, command, remove=remove)


def _server_changed(path: str, before: str | None, command: str, *, remove: bool) -> Change:
    text = _begun(before)
    program, *arguments = shlex.split(command)
    wanted = {"command": program, "args": [*arguments, "mcp", "--canon"]}
    data = json_text.parse(text).value if text else {}
    servers = data.get("mcpServers") if isinstance(data, dict) else None
    held = servers.get(SERVER) if isinstance(servers, dict) else None
    if held is not None and not is_our_server(held):
        note = f"{path} has a server named {SERVER} already, which is not dcc's: it stays as it is"
        return Change(path, before, text, () if remove else (note,))
    if remove:
        text = json_text.take_out(text, ("mcpServers", SERVER)) if held is not None else text
    elif held != wanted:
        text = json_text.put(text or _new(before), ("mcpServers", SERVER), wanted)
    return Change(path, before, _left(before, text))


def is_our_server(entry: object) -> bool:
    """Whether an entry of a server starts ``dcc mcp --canon``."""
    arguments = entry.get("args") if isinstance(entry, Mapping) else None
    return isinstance(arguments, list) and arguments[-2:] == ["mcp", "--canon"]


def as_toml(values: Sequence[str]) -> str:
    """Texts as a list in TOML; a JSON string is one of TOML, too."""
    return f"[{', '.join(json.dumps(value) for value in values)}]"
