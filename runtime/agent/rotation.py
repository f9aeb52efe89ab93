"""Which profile is used next, and what is noted of it afterwards (runtime spec, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ..kernel.clock import Clock
from ..providers.protocol import Provider
from .profiles.profile import Cooldowns, Health, Profile, Reason, failed, in_order, succeeded
from .profiles.state import ProfileState


@dataclass(frozen=True, slots=True)
class Way:
    """A way to the provider: through a profile, or (None) with the provider's own key."""

    provider: Provider
    profile: Profile | None = None

    @property
    def name(self) -> str | None:
        """The name of the profile."""
        return self.profile.name if self.profile is not None else None


@dataclass(slots=True)
class Rotation:
    """The ways to one provider.

    ``locked``: the person chose the only one, so it does not rest and nothing takes its place. ``state`` is shared
    with other processes; what cannot be written there holds for this one.
    """

    ways: Mapping[str | None, Way]
    clock: Clock
    state: ProfileState | None = None
    order: tuple[str, ...] = ()
    cooldowns: Cooldowns = field(default_factory=Cooldowns)
    locked: bool = False
    _own: dict[str, Health] = field(default_factory=dict)
    _last: str | None = None

    def next(self, model: str) -> Way | None:
        """The way to try next for a model; None: all of them rest. One that worked is stayed with."""
        if self.locked or None in self.ways:
            return next(iter(self.ways.values()))
        now, health = self.clock.now(), self._health()
        profiles = {way.profile.name: way.profile for way in self.ways.values() if way.profile is not None}
        ordered = in_order(profiles, health, now, model=model, explicit=self.order, preferred=self._last)
        free = [p for p in ordered if health.get(p.name, Health()).is_usable(now, model)]
        return self.ways[free[0].name] if free else None

    def failed(self, way: Way, reason: Reason, model: str) -> None:
        """The way failed for this reason."""
        self._note(way, lambda health: failed(health, reason, self.clock.now(), model=model, cooldowns=self.cooldowns))

    def succeeded(self, way: Way, model: str) -> None:
        """The way worked. It is noted once in a run: its failures are forgotten."""
        if way.name is not None and way.name != self._last:
            self._note(way, lambda health: succeeded(health, self.clock.now(), model=model))
            self._last = way.name

    def resting(self, model: str) -> str:
        """The profiles and until when each rests, for people."""
        health = self._health()
        names = [name for name in self.ways if name is not None]
        return ", ".join(f"{name} until {_time(health.get(name, Health()).unusable_until(model))}" for name in names)

    def _health(self) -> dict[str, Health]:
        return {**(self.state.read() if self.state is not None else {}), **self._own}

    def _note(self, way: Way, step: Callable[[Health], Health]) -> None:
        if way.name is None:
            return
        if way.name == self._last:
            self._last = None
        if self.state is not None:
            with suppress(OSError):
                self.state.change(way.name, step)
                self._own.pop(way.name, None)
                return
        self._own[way.name] = step(self._health().get(way.name, Health()))


def cooldowns_of(auth: Mapping[str, Any], provider: str) -> Cooldowns:
    """The cooldowns of a program's ``auth`` section for a provider."""
    written = dict(auth.get("cooldowns") or {})
    own = (written.pop("billing_hours_by_provider", None) or {}).get(provider)
    return Cooldowns(**written if own is None else written | {"billing_hours": own})


def profiles_of(auth: Mapping[str, Any], provider: str) -> dict[str, Profile]:
    """The profiles of a provider that the section names."""
    return {
        name: Profile(name, provider, written["kind"], written.get("key_env"), written.get("key_file"))
        for name, written in (auth.get("profiles") or {}).items()
        if written["provider"] == provider
    }


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
