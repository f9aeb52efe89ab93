"""Which provider answers: the ruleset's ``provider:`` section, what the command line overrides, the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from ...compiler.problem import nearest, one_of, quote
from ...compiler.providers import OF_ONE_SERVER, TYPES, fault_of_base, holds_secret, named_server
from ..values import Request
from ..view.unit import Message
from . import anthropic, openai
from .dialect import Dialect
from .echo import EchoProvider
from .errors import ProviderError
from .http import Timeouts
from .keys import Key, key_from_environment, key_from_file
from .protocol import TOTAL_S, ModelRequest, Provider, Think, Tool
from .remote import RemoteProvider
from .retry import Retries


@dataclass(frozen=True, slots=True)
class Choice:
    """A provider, and what every request to it has in common. ``timeout_s`` bounds one call, in seconds."""

    provider: Provider
    settings: ModelRequest
    timeout_s: float = TOTAL_S

    @property
    def model(self) -> str:
        """The model's name."""
        return self.settings.model

    def request(
        self, rendered: Request, *, tools: tuple[Tool, ...] = (), tail: tuple[Message, ...] = ()
    ) -> ModelRequest:
        """The model request of a session's request, which must be rendered in ``provider.format``."""
        if rendered.format != self.provider.format:
            raise ValueError(f"a request for {self.provider.format} was rendered for {rendered.format}")
        own = () if rendered.tail is None else (rendered.tail,)
        return replace(
            self.settings, messages=rendered.body, system=rendered.system, tools=tools, tail=(*own, *tail)
        )


@dataclass(frozen=True, slots=True)
class _Home:
    """Where a protocol is at home: its address, and the variables that name another one and the key."""

    base_url: str
    url_env: str
    key_env: str


_HOMES = {
    "openai": _Home(openai.BASE_URL, "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "anthropic": _Home(anthropic.BASE_URL, "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
}


def choose(
    section: Mapping[str, Any] | None,
    *,
    environ: Mapping[str, str],
    type: str | None = None,
    model: str | None = None,
    think: Think | None = None,
    timeout_s: float | None = None,
) -> Choice:
    """The provider of a ruleset (``Program.sections["provider"]``); ``echo`` when it names none.

    ``type``, ``model``, ``think`` and ``timeout_s`` (seconds for one call) come from the command line and win. With
    another ``type`` the section's address, key and model are not used: they belong to its own. Raises
    ProviderError: ``bad_request`` for what is wrong in the section, ``auth`` for a key that is not there.
    """
    section = _written(section or {})
    _refuse_secret(section)
    protocol = _protocol(type or _type_of(section))
    if protocol != TYPES.get(section.get("type", protocol)):
        section = {name: value for name, value in section.items() if name not in OF_ONE_SERVER}
    timeout = _written(section.get("timeout") or {})
    total = timeout_s or timeout.get("total", TOTAL_S)
    settings = ModelRequest(
        model or section.get("model") or _model_of(protocol),
        [],
        max_tokens=section.get("max_tokens"),
        think=think or section.get("think"),
        cache=section.get("cache", "5m"),
        stream=section.get("stream", True),
        options=section.get("options", {}),
    )
    if protocol == "echo":
        return Choice(EchoProvider(), settings, total)
    return Choice(_remote(protocol, section, environ), settings, total)


def _remote(protocol: str, section: Mapping[str, Any], environ: Mapping[str, str]) -> Provider:
    home = _HOMES[protocol]
    base_url = _checked(section.get("base_url") or environ.get(home.url_env) or home.base_url)
    key = _key(section, environ, home, base_url)
    timeout = _written(section.get("timeout") or {})
    retries = _written(section.get("retries") or {})
    dialect: Dialect
    if protocol == "anthropic":
        dialect, base_url = anthropic.Anthropic(), base_url.removesuffix("/v1")
    else:
        is_own = urlsplit(base_url).hostname == urlsplit(openai.BASE_URL).hostname
        dialect = openai.OpenAI(own_server=True if is_own else None)
    return RemoteProvider(
        dialect,
        base_url,
        key,
        timeouts=Timeouts(
            **{f"{name}_s": timeout[name] for name in ("connect", "first_byte", "between") if name in timeout}
        ),
        retries=Retries(
            **({"attempts": retries["attempts"]} if "attempts" in retries else {}),
            **({"longest_wait_s": retries["longest_wait"]} if "longest_wait" in retries else {}),
        ),
    )


def _key(
    section: Mapping[str, Any], environ: Mapping[str, str], home: _Home, base_url: str
) -> Key | None:
    """The key that the section names; else the protocol's usual one, but only where that belongs.

    A ruleset may come from anybody: its ``base_url`` alone must not be sent the key of another server.
    """
    if section.get("key_file"):
        return key_from_file(section["key_file"])
    if section.get("key_env"):
        return key_from_environment(section["key_env"], environ)
    at_home = base_url == home.base_url
    if at_home or (not section.get("base_url") and environ.get(home.key_env)):
        return key_from_environment(home.key_env, environ)
    return None


def _checked(base_url: str) -> str:
    if (fault := fault_of_base(base_url)) is not None:
        raise ProviderError("bad_request", fault.message, help=fault.help)
    return base_url.rstrip("/")


def _protocol(type: str) -> str:
    if type not in TYPES:
        near = nearest(type, tuple(TYPES))
        raise ProviderError(
            "bad_request", f"unknown provider {quote(type)}, expected {one_of(tuple(TYPES))}",
            help=f"did you mean {quote(near)}?" if near else "a server that speaks OpenAI's protocol is openai",
        )  # fmt: skip
    return TYPES[type]


def _type_of(section: Mapping[str, Any]) -> str:
    """The written type; a section that names a server or a model must not be answered by echo."""
    named = named_server(section)
    if "type" not in section and named is not None:
        raise ProviderError(
            "bad_request", f"provider.{named} is written, and no provider.type",
            help="write type: openai, or type: anthropic: the protocol that the server speaks",
        )  # fmt: skip
    return str(section.get("type", "echo"))


def _model_of(protocol: str) -> str:
    if protocol == "echo":
        return "echo"
    raise ProviderError(
        "bad_request", f"no model is named for the provider {protocol}", help="write provider.model, or pass --model"
    )


def _refuse_secret(section: Mapping[str, Any]) -> None:
    for name in section:
        if holds_secret(name):
            raise ProviderError(
                "auth", f"provider.{name} holds a key in a ruleset, where others read it",
                help="take it out, and name it: key_env: MY_KEY, or key_file: a file of mode 0600",
            )  # fmt: skip


def _written(section: Mapping[str, Any]) -> dict[str, Any]:
    """What is written in a section: a compiled one has null for the rest."""
    return {name: value for name, value in section.items() if value is not None}
