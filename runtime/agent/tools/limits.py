"""What a command may use at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """``timeout_s`` bounds a command and all that it started, ``output`` what is kept of its output, in bytes.

    The others are limits of one process (``setrlimit``): ``cpu_s`` seconds of computing, ``memory`` bytes of address
    space (large: several language runtimes reserve much more than they use), ``file_size`` bytes.
    """

    timeout_s: float = 120.0
    cpu_s: int = 600
    memory: int = 16_384 * _MIB
    file_size: int = 1024 * _MIB
    output: int = 48_000

    @classmethod
    def of(cls, section: Mapping[str, Any]) -> Limits:
        """The limits that ``tools.exec`` of a ruleset asks for; what it leaves out is as it ships."""
        own = cls()
        return cls(
            timeout_s=section.get("timeout") or own.timeout_s,
            cpu_s=section.get("cpu") or own.cpu_s,
            memory=(section.get("memory") or own.memory // _MIB) * _MIB,
            file_size=(section.get("file_size") or own.file_size // _MIB) * _MIB,
        )
