"""What confines a command to the workspace on this system: bubblewrap, else Landlock, else nothing."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import Final, Literal

from . import landlock

Kind = Literal["bubblewrap", "landlock", "none"]

#: What programs need to run: they may be read, not written. Of /etc only what holds no secret.
READABLE: Final = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/etc/ld.so.cache",
    "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates", "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/passwd", "/etc/group",
    "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/localtime", "/etc/timezone",
    "/etc/protocols", "/etc/services", "/etc/mime.types", "/etc/magic", "/etc/terminfo", "/etc/inputrc",
    "/etc/os-release", "/etc/debian_version", "/etc/fonts", "/etc/locale.alias", "/etc/java", "/etc/perl",
    "/etc/python3", "/etc/gitconfig",
)  # fmt: skip

#: The descriptor by which bubblewrap gets the workspace; of one digit, so that any shell can close it.
WORKSPACE: Final = 9

#: Devices that hold nothing and lead nowhere.
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

_PROBE_S: Final = 10

_SAID: Final[dict[Kind, str]] = {
    "bubblewrap": "commands run in bubblewrap: they see the workspace, a private /tmp and the installed programs",
    "landlock": "commands are confined by Landlock: they reach the workspace, a private folder for temporary files "
    "and the installed programs",
    "none": "nothing on this system confines commands to the workspace",
}


@dataclass(frozen=True, slots=True)
class Confinement:
    """What there is, and in a sentence what it does. It confines files; the network is open, and it is no sandbox."""

    kind: Kind

    @property
    def statement(self) -> str:
        """For people: what commands can reach."""
        if self.kind == "none":
            return f"{_SAID['none']}; exec is refused unless the ruleset says tools: {{exec: {{unconfined: true}}}}"
        return f"{_SAID[self.kind]}. Files are confined, nothing else: this is no sandbox"


#: Said wherever ``unconfined: true`` takes effect, or would.
UNCONFINED: Final = (
    "exec is unconfined: commands can read and write every file that dcc can, keys included. This is no sandbox"
)


def said_of_exec(*, unconfined: bool) -> str:
    """What commands can reach on this system under a ruleset, in a sentence; ``unconfined`` is what it says."""
    found = confinement()
    return UNCONFINED if unconfined and found.kind == "none" else found.statement


@functools.cache
def confinement() -> Confinement:
    """What this system has. bubblewrap is tried out once; it may be installed and not allowed to work."""
    if sys.platform.startswith("linux"):
        if _bubblewrap_works():
            return Confinement("bubblewrap")
        if landlock.version() >= landlock.OLDEST:
            return Confinement("landlock")
    return Confinement("none")


def bubblewrap(program: str, readable: tuple[str, ...], mounted: str, folder: str) -> list[str]:
    """The words before a command that run it in bubblewrap.

    Descriptor ``WORKSPACE`` is the folder that is mounted at ``mounted``; ``folder`` is where the command begins.
    """
    words = [program, "--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL"]
    for path in READABLE:
        words += ["--ro-bind-try", path, path]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for path in readable:
        words += ["--ro-bind-try", path, path]
    # By its descriptor: its name may by now mean another folder. The command must not have it: from an open folder of
    # the outside a way leads up and out.
    words += ["--bind", f"/proc/self/fd/{WORKSPACE}", mounted, "--chdir", folder, "--"]
    return [*words, "/bin/sh", "-c", f'exec {WORKSPACE}<&-; exec "$0" "$@"']


def _bubblewrap_works() -> bool:
    program = shutil.which("bwrap")
    if program is None:
        return False
    opened = ["/bin/sh", "-c", f'exec {WORKSPACE}</usr; exec "$0" "$@"']
    words = [*opened, *bubblewrap(program, (), "/mnt", "/mnt"), "/bin/sh", "-c", "exit 0"]
    try:
        tried = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin"}, timeout=_PROBE_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return False
    return tried.returncode == 0
