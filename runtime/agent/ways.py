"""The ways to the provider of a run: its profiles, or its own key (seed 004, step 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...compiler.problem import quote
from ...compiler.program import Program
from ...compiler.providers import OF_ONE_SERVER, TYPES
from ..providers.choose import Choice, choose
from ..providers.errors import ProviderError
from .profiles.profile import Profile
from .request import THINK, RunRequest
from .rotation import Way, profiles_of

#: What a section says of its own server; another protocol than the section's has another server.
_OF_ITS_SERVER = (*OF_ONE_SERVER, "fallbacks")


@dataclass(frozen=True, slots=True)
class Reached:
    """How a provider is reached. ``choice``: what every request has in common; ``without_key``: profiles left out."""

    choice: Choice
    ways: Mapping[str | None, Way]
    models: tuple[str, ...]
    sees_images: bool
    without_key: tuple[str, ...] = ()


def reach(program: Program, request: RunRequest, environ: Mapping[str, str]) -> Reached:
    """The provider that a request and its ruleset name, with all its profiles.

    Raises ProviderError: those of ``choose``; ``bad_request`` for a profile that is not there, ``auth`` when none of
    the profiles has a key.
    """
    section = _section(program, request.provider)
    protocol = TYPES.get(section["type"], section["type"])
    auth = program.sections.get("auth") or {}
    profiles = profiles_of(auth, protocol)
    if request.profile is not None:
        profiles = {request.profile: _named(request.profile, profiles, protocol)}
    if not profiles:
        choice = _choose(section, request, environ)
        return _reached(choice, {None: Way(choice.provider)}, section, protocol, ())
    if len(profiles) > 1 and not (section.get("retries") or {}).get("attempts"):
        # Another profile is asked at once, instead of the same one after a while.
        section = {**section, "retries": {**(section.get("retries") or {}), "attempts": 1}}
    choices: dict[str, Choice] = {}
    missing: dict[str, ProviderError] = {}
    for name, profile in profiles.items():
        keyed = {**section, "key_env": profile.key_env, "key_file": profile.key_file}
        try:
            choices[name] = _choose(keyed, request, environ)
        except ProviderError as error:
            if error.kind != "auth":
                raise
            missing[name] = error
    if not choices:
        raise next(iter(missing.values()))
    ways: dict[str | None, Way] = {name: Way(choice.provider, profiles[name]) for name, choice in choices.items()}
    return _reached(next(iter(choices.values())), ways, section, protocol, tuple(missing))


def _section(program: Program, type: str | None) -> dict[str, Any]:
    """The ``provider`` section with its type; what belongs to another server than the one meant is left out."""
    written = {name: value for name, value in (program.sections.get("provider") or {}).items() if value is not None}
    if type is not None and "type" in written and TYPES.get(written["type"]) != TYPES.get(type):
        written = {name: value for name, value in written.items() if name not in _OF_ITS_SERVER}
    if type is not None:
        written["type"] = type
    elif "type" not in written and not any(written.get(name) for name in _OF_ITS_SERVER):
        written["type"] = "echo"
    return written if "type" in written else {**written, "type": ""}


def _choose(section: Mapping[str, Any], request: RunRequest, environ: Mapping[str, str]) -> Choice:
    think = THINK[request.think] if request.think is not None else None
    typed = section if section["type"] else {name: value for name, value in section.items() if name != "type"}
    return choose(typed, environ=environ, model=request.model, think=think)


def _named(name: str, profiles: Mapping[str, Profile], protocol: str) -> Profile:
    if name not in profiles:
        known = ", ".join(profiles) or "none"
        raise ProviderError(
            "bad_request", f"there is no profile {quote(name)} of {protocol}",
            help=f"the profiles of {protocol}: {known}",
        )  # fmt: skip
    return profiles[name]


def _reached(
    choice: Choice, ways: Mapping[str | None, Way], section: Mapping[str, Any], protocol: str, missing: tuple[str, ...]
) -> Reached:
    models = tuple(dict.fromkeys((choice.model, *(section.get("fallbacks") or ()))))
    images = section.get("images", "auto")
    return Reached(choice, ways, models, protocol != "echo" if images == "auto" else bool(images), missing)
