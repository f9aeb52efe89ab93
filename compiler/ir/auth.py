"""``auth``: several keys for one provider, and how long one that failed is left alone."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from .base import Section, Texts, fault

Hours = Annotated[float, Field(gt=0)]


class AuthProfile(Section):
    """A key of a ``provider`` (openai, anthropic), by the name of a variable or of a file; it is never written here."""

    provider: Literal["openai", "anthropic"]
    kind: Literal["oauth", "token", "api_key"] = "api_key"
    key_env: str | None = None
    key_file: str | None = None

    @model_validator(mode="after")
    def _one_key(self) -> AuthProfile:
        if (self.key_env is None) == (self.key_file is None):
            raise fault(
                "wrong-value",
                "a profile has one key: key_env names a variable, key_file a file of mode 0600",
                "write one of the two, such as key_env: OPENAI_API_KEY",
            )
        return self


class Cooldowns(Section):
    """Hours: how long an account without credit is left alone (doubled each time), and how long failures count."""

    billing_hours: Hours = 5.0
    billing_hours_by_provider: dict[Literal["openai", "anthropic"], Hours] = Field(default_factory=dict)
    billing_most_hours: Hours = 24.0
    window_hours: Hours = 24.0


def _ordered(value: Any) -> Any:
    """``order`` names profiles that are there."""
    if isinstance(value, dict) and isinstance(value.get("order"), list) and isinstance(value.get("profiles"), dict):
        unknown = [name for name in value["order"] if isinstance(name, str) and name not in value["profiles"]]
        if unknown:
            raise fault(
                "wrong-value",
                f"order names {unknown[0]!r}, and there is no such profile",
                f"the profiles are {', '.join(map(str, value['profiles']))}",
            )
    return value


class AuthSection(Section):
    """``order`` says which profiles are tried, and in which order; left out: the least recently used first."""

    profiles: dict[str, AuthProfile] = Field(default_factory=dict)
    order: Texts = ()
    cooldowns: Cooldowns = Field(default_factory=Cooldowns)


#: The section as a ruleset writes it.
WrittenAuth = Annotated[AuthSection, BeforeValidator(_ordered)]
