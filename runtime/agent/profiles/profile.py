"""Profiles and what is known of their failures. Pure; times are seconds since 1970, from a Clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

Kind = Literal["oauth", "token", "api_key"]

#: Why a profile failed. A timeout is the network's or the model's fault: it cools the model, and never escalates.
Reason = Literal["rate_limit", "billing", "auth", "timeout"]

#: Cooldown of the n-th failure in a row: 60 s, 300 s, 1,500 s, then an hour (spec section 7).
FIRST_COOLDOWN_S: Final[float] = 60.0
COOLDOWN_GROWTH: Final = 5
LONGEST_COOLDOWN_S: Final[float] = 3600.0

_HOUR_S: Final = 3600.0
_ORDER: Final[Mapping[Kind, int]] = {"oauth": 0, "token": 1, "api_key": 2}


@dataclass(frozen=True, slots=True)
class Profile:
    """A way to be let in by a provider. The key is named (a variable, or a file of mode 0600), never held."""

    name: str
    provider: str
    kind: Kind = "api_key"
    key_env: str | None = None
    key_file: str | None = None


@dataclass(frozen=True, slots=True)
class Cooldowns:
    """How long failures count. ``billing_hours`` doubles with each billing failure up to ``billing_most_hours``."""

    billing_hours: float = 5.0
    billing_most_hours: float = 24.0
    window_hours: float = 24.0


class Rest(NamedTuple):
    """Until when a profile, or one model of it, is not to be used, and how often in a row it has failed."""

    until: float
    errors: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """What is known of a profile: failures in a row, and until when it is not to be used.

    ``models`` are those that rest for themselves: what was reached is their limit, or it is they that gave no answer.
    """

    errors: int = 0
    billing_errors: int = 0
    last_failure: float | None = None
    last_used: float | None = None
    cooled_until: float | None = None
    disabled_until: float | None = None
    models: Mapping[str, Rest] = field(default_factory=dict)

    def unusable_until(self, model: str | None = None) -> float:
        """The time up to which the profile is not to be used, for a model; 0: it is."""
        of_model = self.models[model].until if model is not None and model in self.models else 0.0
        return max(self.cooled_until or 0.0, self.disabled_until or 0.0, of_model)

    def is_usable(self, now: float, model: str | None = None) -> bool:
        """Whether it may be used now: at the very end of a cooldown it may."""
        return now >= self.unusable_until(model)


def cooldown_s(errors: int) -> float:
    """The cooldown after the n-th failure in a row, in seconds."""
    return min(LONGEST_COOLDOWN_S, FIRST_COOLDOWN_S * float(COOLDOWN_GROWTH) ** min(max(1, errors) - 1, 3))


def billing_hours(errors: int, cooldowns: Cooldowns) -> float:
    """How long an account without credit is left alone after the n-th time, in hours."""
    return min(cooldowns.billing_most_hours, cooldowns.billing_hours * 2.0 ** min(max(1, errors) - 1, 30))


def failed(
    health: Health, reason: Reason, now: float, *, model: str | None = None, cooldowns: Cooldowns = Cooldowns()
) -> Health:
    """The health after a failure.

    A rate limit or a timeout of a ``model`` cools that model alone, and is counted for it alone (openclaw issues
    10375, 23317 and 87462): others of the same profile go on. A timeout does not count as a failure in a row. Nothing
    is cooled for less than it was.
    """
    health = expired(health, now)
    if health.last_failure is not None and now - health.last_failure > cooldowns.window_hours * _HOUR_S:
        health = replace(health, errors=0, billing_errors=0)
    health = replace(health, last_failure=now)
    if model is not None and reason in ("rate_limit", "timeout"):
        rest = _rested(health.models.get(model, Rest(0.0)), reason, now)
        return replace(health, models={**health.models, model: rest})
    rest = _rested(Rest(health.cooled_until or 0.0, health.errors), reason, now)
    if reason == "billing":
        times = health.billing_errors + 1
        until = now + billing_hours(times, cooldowns) * _HOUR_S
        return replace(health, errors=rest.errors, billing_errors=times, disabled_until=until)
    return replace(health, errors=rest.errors, cooled_until=rest.until)


def _rested(before: Rest, reason: Reason, now: float) -> Rest:
    if reason == "timeout":
        return Rest(max(before.until, now + FIRST_COOLDOWN_S), before.errors)
    errors = before.errors + 1
    return Rest(max(before.until, now + cooldown_s(errors)), errors)


def succeeded(health: Health, now: float, *, model: str | None = None) -> Health:
    """The health after a success: nothing of the failures is left.

    What one ``model`` answers says nothing of the limits of others, which rest on.
    """
    others = {name: rest for name, rest in expired(health, now).models.items() if model not in (None, name)}
    return Health(last_used=now, models=others)


def expired(health: Health, now: float) -> Health:
    """The health with what is over taken away; when nothing is left, failures are counted anew (openclaw 17853)."""
    cooled = health.cooled_until if health.cooled_until is not None and now < health.cooled_until else None
    disabled = health.disabled_until if health.disabled_until is not None and now < health.disabled_until else None
    models = {model: rest for model, rest in health.models.items() if now < rest.until}
    had_any = health.cooled_until is not None or health.disabled_until is not None
    health = replace(health, cooled_until=cooled, disabled_until=disabled, models=models)
    if had_any and cooled is None and disabled is None:
        return replace(health, errors=0, billing_errors=0)
    return health


def in_order(
    profiles: Mapping[str, Profile],
    health: Mapping[str, Health],
    now: float,
    *,
    model: str | None = None,
    explicit: tuple[str, ...] = (),
    preferred: str | None = None,
) -> list[Profile]:
    """The profiles of a provider in the order in which they are tried; those that cool come last, soonest free first.

    ``explicit`` names them in the person's own order; without it oauth comes before token before key, and of one
    kind the least recently used first. ``preferred`` is tried first while it can be used.
    """
    named = [profiles[name] for name in explicit if name in profiles]
    chosen = named or sorted(profiles.values(), key=lambda p: (_ORDER[p.kind], _of(health, p).last_used or 0.0, p.name))
    free = [p for p in chosen if _of(health, p).is_usable(now, model)]
    cooled = [p for p in chosen if not _of(health, p).is_usable(now, model)]
    free.sort(key=lambda p: p.name != preferred)
    return free + sorted(cooled, key=lambda p: _of(health, p).unusable_until(model))


def _of(health: Mapping[str, Health], profile: Profile) -> Health:
    return health.get(profile.name) or Health()
