"""Landlock: the kernel lets this process, and all that it starts, reach only named files (Linux 6.2 and newer).

The calls have no wrappers in the C library. Numbers and layouts: ``linux/landlock.h``, ``landlock(7)``.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable
from typing import Final

_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446

_WANT_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38

_CAPABILITY_VERSION: Final = 0x20080522

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15

#: Rights that a version knows, as a mask: what is not in it cannot be denied.
_RIGHTS_OF: Final = {3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

READ: Final = _EXECUTE | _READ_FILE | _READ_DIR
#: Everything but new devices, and commands to devices.
WRITE: Final = ((1 << 16) - 1) & ~(_MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEV)

#: Before version 3 a file outside could be cut short with truncate(2).
OLDEST: Final = 3
#: From version 6 on, signals and abstract sockets can be kept inside, too.
_SCOPES_SINCE: Final = 6
_SCOPES: Final = 0b11


def version() -> int:
    """The version of Landlock that this kernel has; 0: none, or switched off."""
    if not sys.platform.startswith("linux"):
        return 0
    found = _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_WANT_VERSION))
    return max(found, 0)


def restrict(readable: Iterable[str | int], writable: Iterable[str | int]) -> None:
    """From now on this process reaches only what is at or below these paths (or open folders).

    What does not exist is passed over. Raises OSError when the kernel refuses: then the process must not go on.
    """
    has = version()
    rights = _RIGHTS_OF.get(has, _RIGHTS_OF[5] if has > 5 else 0)
    if not rights:
        raise OSError(f"landlock version {has} cannot confine; at least {OLDEST} is needed")
    fields = [rights, 0, _SCOPES][: 1 if has < 4 else 2 if has < _SCOPES_SINCE else 3]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = _required(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    for paths, allowed in ((readable, READ), (writable, WRITE)):
        for path in paths:
            _allow(ruleset, path, allowed & rights)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS)")
    # The environment of another process may be read by who has CAP_PERFMON (Linux 6.16), whatever Landlock says.
    _drop_capabilities(libc)
    _required(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Give up what root may do beyond its files; with no new privileges it does not come back (capset(2))."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    if libc.capset(header, bytes(24)):
        raise OSError(ctypes.get_errno(), "capset")


def _allow(ruleset: int, path: str | int, allowed: int) -> None:
    if isinstance(path, int):
        _add(ruleset, path, allowed)
        return
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        _add(ruleset, descriptor, allowed)
    finally:
        os.close(descriptor)


def _add(ruleset: int, descriptor: int, allowed: int) -> None:
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        allowed &= _OF_FILES
    beneath = struct.pack("=Qi", allowed, descriptor)
    _required(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), beneath, ctypes.c_uint32(0))


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return int(libc.syscall(ctypes.c_long(number), *arguments))


def _required(number: int, *arguments: object) -> int:
    result = _call(number, *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"landlock: {os.strerror(code)}")
    return result
