"""The options of canon: six keys, validated in one place wherever they come from (specification, section 10)."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from ..whole_file import write_whole
from .errors import CanonError
from .store.files import read_file, reason_of
from .store.layout import STORE

#: Bytes of the largest file of settings that is read: there are four keys.
LARGEST_SETTINGS: Final = 1 << 20

#: How far the best article must stand out of what the same query scores elsewhere, by default.
STANDOUT: Final = 1.4

#: The keys that a file of settings may hold: where stores lie is a project's own affair.
IN_SETTINGS: Final = ("surface", "resurface", "retrieval", "standout")

RETRIEVALS: Final = ("none", "lexical")


@dataclass(frozen=True, slots=True)
class Options:
    """``retrieval`` may be an object with a ``name`` and a ``score(query, candidates)``; ``mounts`` are folders."""

    root: str = STORE
    surface: bool = True
    resurface: bool = True
    retrieval: Any = "none"
    standout: float = STANDOUT
    mounts: tuple[str, ...] = ()

    @property
    def by_relevance(self) -> bool:
        """Whether articles are found by relevance too."""
        return not (isinstance(self.retrieval, str) and self.retrieval == "none")


KEYS: Final = tuple(field.name for field in fields(Options))


def read_options(given: Mapping[str, Any]) -> Options:
    """Options from a mapping. Raises CanonError (``unknown_option``, ``bad_option``)."""
    return Options(**{key: _checked(key, value, KEYS) for key, value in given.items()})


def _checked(key: str, value: Any, known: tuple[str, ...]) -> Any:
    if key not in known:
        raise CanonError("unknown_option", f"unknown option {key!r}", help=f"the options are {', '.join(known)}")
    wrong = _WRONG[key](value)
    if wrong is not None:
        raise CanonError("bad_option", f"{key} {wrong}", help="leave it out for the default")
    return tuple(value) if key == "mounts" else value


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _folder(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else "must be a folder"


def _folders(value: Any) -> str | None:
    fits = isinstance(value, list | tuple) and not any(map(_folder, value))
    return None if fits else "must be a list of folders"


def _standout(value: Any) -> str | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and 1 <= value <= sys.float_info.max:
        return None
    shown = f"{value:.10g}" if isinstance(value, float) else repr(value) if isinstance(value, str | int) else ""
    shown = shown if 0 < len(shown) <= 40 else f"a large {type(value).__name__}" if shown else type(value).__name__
    return (
        "must be a number of at least 1, how many times the rest the best must score (1: no cutoff); "
        f"this is {shown}"
    )


def _retrieval(value: Any) -> str | None:
    is_word = isinstance(value, str)
    if value in RETRIEVALS if is_word else callable(getattr(value, "score", None)):
        name = value if is_word else getattr(value, "name", None)
        return None if isinstance(name, str) and name.strip() else "needs a name, so that runs can be told apart"
    shown = repr(value) if is_word else type(value).__name__
    return f'must be "none", "lexical" or an object with a name and a score function, not {shown}'


_WRONG: Final[Mapping[str, Callable[[Any], str | None]]] = {
    "root": _folder,
    "surface": _flag,
    "resurface": _flag,
    "retrieval": _retrieval,
    "standout": _standout,
    "mounts": _folders,
}


def settings_file(environ: Mapping[str, str] = os.environ) -> str:
    """The user's file of settings: ``$XDG_CONFIG_HOME/dcc/canon.json``, by default in ``~/.config``."""
    return os.path.join(_config(environ), "dcc", "canon.json")


def original_settings_file(environ: Mapping[str, str] = os.environ) -> str:
    """The file of the original, read when there is none of dcc."""
    return os.path.join(_config(environ), "pi-canon", "settings.json")


def _config(environ: Mapping[str, str]) -> str:
    named = environ.get("XDG_CONFIG_HOME", "")
    home = environ.get("HOME") or os.path.expanduser("~")
    return named if named.startswith("/") else os.path.join(home, ".config")


def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a file of settings says; nothing when there is none.

    Raises CanonError (``bad_settings``: no JSON object; ``unknown_option``, ``bad_option``).
    """
    try:
        text = read_file(os.fspath(path), LARGEST_SETTINGS)
        if text is None:
            if os.path.isdir(path):
                raise CanonError("not_a_file", "it is a folder")
            return {}
        data = json.loads(text)
    except (ValueError, RecursionError, CanonError, OSError) as error:
        message = f"cannot read {path}: {_reason(error)}"
        raise CanonError("bad_settings", message, help="mend it, or delete it") from error
    if not isinstance(data, dict):
        raise CanonError("bad_settings", f"{path} must hold a JSON object", help="mend it, or delete it")
    return {key: checked_setting(key, value) for key, value in data.items()}


def _reason(error: Exception) -> str:
    if isinstance(error, CanonError | OSError):
        return reason_of(error)
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def checked_setting(key: str, value: Any) -> Any:
    """A value of a key that settings may hold. Raises CanonError (``unknown_option``, ``bad_option``)."""
    if key == "retrieval" and not isinstance(value, str):
        raise CanonError("bad_option", 'retrieval must be "none" or "lexical"', help="leave it out for the default")
    return _checked(key, value, IN_SETTINGS)


#: A number as people type it: digits, then maybe a fraction and an exponent.
_NUMBER: Final = re.compile(r"[-+]?[0-9]{1,300}((?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?)", re.ASCII)


def typed_setting(value: str) -> Any:
    """A value as people type it: a number, true and false (also on and off), else a text."""
    words: dict[str, Any] = {"true": True, "on": True, "false": False, "off": False}
    if value in words:
        return words[value]
    number = _NUMBER.fullmatch(value)
    if number is None:
        return value
    return float(value) if number[1] else int(value)


def write_settings(path: str | os.PathLike[str], settings: Mapping[str, Any]) -> None:
    """Write a file of settings, whole or not at all. Raises CanonError as ``read_settings``."""
    checked = {key: checked_setting(key, value) for key, value in settings.items()}
    write_whole(os.fspath(path), json.dumps(checked, ensure_ascii=False, indent=2) + "\n")


def user_settings(environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The user's settings: those of dcc, else those of the original. Raises CanonError as ``read_settings``."""
    own = settings_file(environ)
    return read_settings(own if os.path.exists(own) else original_settings_file(environ))


def options_for(given: Mapping[str, Any] | None, environ: Mapping[str, str] = os.environ) -> Options:
    """The options to use: those that are ``given``, which replace the user's file entirely; None: that file's."""
    return read_options(user_settings(environ) if given is None else given)
