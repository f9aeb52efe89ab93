"""What the loopback server does with one request: a list of these is its script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Says:
    """A reply. ``pieces`` stream one by one; ``signature`` signs the thinking (Anthropic).

    ``calls``: (id, name, fragments of the JSON of the arguments). ``usage`` is in the protocol's own shape.
    ``stop`` is the protocol's own word; None: by the calls.
    """

    pieces: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()
    signature: str = ""
    calls: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    usage: Mapping[str, Any] | None = None
    stop: str | None = None


@dataclass(frozen=True)
class Breaks:
    """A reply of which only the first ``after`` events come; then the connection is cut, or ends in good order."""

    says: Says
    after: int
    in_order: bool = False


@dataclass(frozen=True)
class Hangs:
    """Nothing more comes after ``after`` events (None: not even a status line) until the client goes away."""

    says: Says = field(default_factory=Says)
    after: int | None = None


@dataclass(frozen=True)
class Refuses:
    """An answer with an error status."""

    status: int
    body: str = '{"error": {"type": "some_error", "message": "no"}}'
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Streams:
    """These bytes as an event stream, as they are, ``size`` bytes a time (0: at once)."""

    body: bytes
    size: int = 0


@dataclass(frozen=True)
class Sends:
    """These bytes as a JSON answer, as they are."""

    body: bytes


Behaviour = Says | Breaks | Hangs | Refuses | Streams | Sends
