"""What a ``provider`` section may say: told once, for ``dcc check`` and for what runs it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from urllib.parse import urlsplit

#: The types that can be written, and the protocol of each. ``dry-run`` is the original's word for no model.
TYPES: Final[Mapping[str, str]] = {
    "echo": "echo", "dry-run": "echo", "openai": "openai", "anthropic": "anthropic",
}  # fmt: skip

#: What belongs to one server, and is of no use to another.
OF_ONE_SERVER: Final = ("base_url", "model", "key_env", "key_file", "options")

#: Keys under which people write a secret into a file that others read.
_SECRETS: Final = frozenset({"key", "api_key", "apikey", "token", "secret"})

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Fault(NamedTuple):
    """What is wrong with a value, and how to mend it."""

    message: str
    help: str


def holds_secret(name: str) -> bool:
    """Whether a key of the section holds a secret itself (``api_key``), and does not name one (``key_env``)."""
    return name.lower().replace("-", "_") in _SECRETS


def names_variable(text: str) -> bool:
    """Whether a text can be the name of an environment variable; a key that stands there itself mostly cannot."""
    return _VARIABLE.fullmatch(text) is not None


def named_server(names: Iterable[str]) -> str | None:
    """The first of the names that belongs to one server: with it a section needs a type."""
    written = set(names)
    return next((name for name in OF_ONE_SERVER if name in written), None)


def fault_of_base(base_url: str) -> Fault | None:
    """What is wrong with the address of a server; None for one that can be used."""
    try:
        parts = urlsplit(base_url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
        good = good and parts.port != 0 and base_url.isprintable() and " " not in base_url
    except ValueError:
        return _NO_ADDRESS
    if not good:
        return _NO_ADDRESS
    return _WITH_A_NAME if parts.username or parts.password else None


_NO_ADDRESS: Final = Fault(
    "provider.base_url is no address of a server",
    "write it like http://127.0.0.1:8080/v1 or https://api.openai.com/v1",
)
_WITH_A_NAME: Final = Fault(
    "provider.base_url holds a user name or a password",
    "take it out of the address, and name the key in provider.key_env or provider.key_file",
)
