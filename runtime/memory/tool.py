"""The tool ``canon`` as a model sees it, and how its calls are answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final, Literal

from .desk import Desk
from .errors import CanonError
from .options import Options
from .outside import with_outside
from .reply import Reply, refusal_of
from .sound import sound
from .store.files import reason_of
from .verbs.arguments import Arguments, text_of, texts_of
from .verbs.journal import MOST_SUBJECTS, journal
from .verbs.map import map_
from .verbs.read import read
from .verbs.search import excerpt_of, search
from .verbs.write import write

NAME: Final = "canon"

Verb = Callable[[Desk, Arguments], Reply]

#: The verbs by the value of ``action``.
VERBS: Final[dict[str, Verb]] = {"read": read, "write": write, "journal": journal, "map": map_, "search": search}

#: Characters of a path; systems have paths of 4,096 bytes.
LONGEST_PATH: Final = 10_000

#: Unknown arguments that a reply names.
NAMED_UNKNOWN: Final = 5

#: The verbs that change what a search finds.
_WRITING: Final = frozenset({"write", "journal"})

#: Every action that the tool declares, in the order in which it names them.
ACTIONS: Final = tuple(VERBS)

_DOCTRINE: Final = (
    "Project knowledge that outlives a session. An article holds what is true now of one asset, at the address of its "
    "path; the journal holds what happened. read the article that governs an asset before you work on it, and write "
    "it after a change that lasts. Creation is rare: prefer to update the article that governs already. File a "
    "constraint at the asset that it governs, or at the shared parent of several, not at the one you happened to "
    "edit. journal events with their names and exact numbers, verbatim: articles distil, and only the journal keeps "
    "the original. map lists the addresses; search finds articles by words. "
)
_BY_ADDRESS: Final = "Knowledge filed off the asset path never surfaces."
_BY_RELEVANCE: Final = (
    "A constraint that governs many assets and owns none belongs at an address of its own that names the rule: it is "
    "reached by its relevance to the work. write it with scope rule."
)

PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": list(ACTIONS), "description": "What to do."},
        "path": {"type": "string", "description": "The asset's path or an address; name:address in a mount."},
        "body": {
            "type": "string",
            "description": "write: the article in Markdown; specifics beat summaries. journal: what happened.",
        },
        "capsule": {"type": "string", "description": "write: one dense line of what is true now; it surfaces."},
        "scope": {
            "type": "string",
            "enum": ["rule", "asset"],
            "description": "write: rule declares that the article governs no asset of its own; asset takes that back.",
        },
        "base": {"type": "string", "description": "write: the base of the text that you read, to write over no other."},
        "subject": {
            "type": "array",
            "items": {"type": "string"},
            "description": "journal: the addresses that it is about.",
        },
        "slug": {"type": "string", "description": "journal: a few words for the name of the file."},
        "query": {"type": "string", "description": "search: words to look for."},
        "journal": {"type": "boolean", "description": "search: whether to search the journal too."},
    },
    "required": ["action"],
    "additionalProperties": False,
}


def description(options: Options) -> str:
    """What the tool says of itself; where knowledge should be filed depends on how it is found."""
    return _DOCTRINE + (_BY_RELEVANCE if options.by_relevance else _BY_ADDRESS)


def schema(format: Literal["openai", "anthropic"], options: Options) -> dict[str, Any]:
    """The tool's declaration, as an entry of ``tools`` in a request of that format."""
    if format == "anthropic":
        return {"name": NAME, "description": description(options), "input_schema": PARAMETERS}
    return {
        "type": "function",
        "function": {"name": NAME, "description": description(options), "parameters": PARAMETERS},
    }


def call(desk: Desk, arguments: Mapping[str, object]) -> Reply:
    """Answer a call. Nothing that a model sends raises; what the disk refuses is a reply too."""
    action = arguments.get("action")
    verb = VERBS.get(action) if isinstance(action, str) else None
    if verb is None:
        shown = excerpt_of(action) if isinstance(action, str) else type(action).__name__
        what = f'Unknown action "{shown}"' if isinstance(action, str) else "The call has no action, which is a text"
        text = f"{what}. Actions: {', '.join(ACTIONS)}."
        return sound(Reply("unknown_action", text, data={"action": shown, "actions": list(ACTIONS)}))
    path = arguments.get("path")
    if isinstance(path, str) and len(path) > LONGEST_PATH:
        return Reply("bad_address", f"path has {len(path)} characters: name one of at most {LONGEST_PATH}.")
    try:
        reply = with_outside(verb(desk, arguments), desk.mounts, _paths(arguments))
        reply = sound(_with_ignored(reply, arguments))
        if action in _WRITING:
            desk.indexes.forget()
        return reply
    except CanonError as error:
        return sound(refusal_of(error))
    except OSError as error:
        reason = reason_of(error)
        where = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return sound(Reply("store_failed", f"The store cannot be used: {where}{reason}.", data={"reason": reason}))


def _paths(arguments: Mapping[str, object]) -> Iterable[str]:
    """The paths that a call is about."""
    if arguments.get("action") == "journal":
        return islice(texts_of(arguments, "subject"), MOST_SUBJECTS)
    return filter(None, (text_of(arguments, "path"),))


_TYPES: Final[dict[str, tuple[type | tuple[type, ...], str]]] = {
    "string": (str, "a text"),
    "boolean": (bool, "true or false"),
    "array": ((list, tuple), "a list of addresses"),
}


def _with_ignored(reply: Reply, arguments: Mapping[str, object]) -> Reply:
    """The reply with a line for every argument that was not used: one that is unknown, or of another type."""
    declared = PARAMETERS["properties"]
    lines: list[str] = []
    unknown = [excerpt_of(name) for name in arguments if name not in declared]
    if unknown:
        more = f" and {len(unknown) - NAMED_UNKNOWN} more" if len(unknown) > NAMED_UNKNOWN else ""
        named = f"{', '.join(map(repr, unknown[:NAMED_UNKNOWN]))}{more} {'is' if len(unknown) == 1 else 'are'} ignored"
        lines.append(f"{named}: the arguments are {', '.join(declared)}.")
    for name, value in arguments.items():
        if name not in declared:
            continue
        fits, wanted = _TYPES[declared[name]["type"]]
        if value is not None and not isinstance(value, fits):
            lines.append(f"{name} is ignored: it must be {wanted}.")
        elif isinstance(value, list | tuple) and not all(isinstance(one, str) for one in value):
            lines.append(f"{name}: what is no text in it is ignored.")
    return replace(reply, text="\n".join((reply.text, *lines))) if lines else reply
