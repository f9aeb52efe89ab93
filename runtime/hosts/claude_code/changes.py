"""What hooks changed of a state that they could not hold alone: a file each, until one that holds it takes them in."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from .state import UNREADABLE, State


@dataclass(frozen=True, slots=True)
class Change:
    """What is other than before: what came in, the addresses that are forgotten, and those that are owed no longer."""

    added: State = field(default_factory=State)
    unseen: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()

    def applied_to(self, state: State) -> State:
        """The state after it; one that it was applied to before stays as it is."""
        seen = dict.fromkeys(one for one in (*state.seen, *self.added.seen) if one not in self.unseen)
        pending = {address: base for address, base in state.pending.items() if address not in self.settled}
        return State([*seen], {**pending, **self.added.pending})


def change_between(before: State, after: State) -> Change:
    """What changed from one state to another."""
    added = State(
        [one for one in after.seen if one not in before.seen],
        {one: base for one, base in after.pending.items() if (one, base) not in before.pending.items()},
    )
    unseen = tuple(one for one in before.seen if one not in after.seen)
    return Change(added, unseen, tuple(one for one in before.pending if one not in after.pending))


def applied(state: State, changes: Iterable[Change]) -> State:
    """The state after all of the changes, in their order."""
    for change in changes:
        state = change.applied_to(state)
    return state


def leave(folder: str, change: Change) -> None:
    """Put a change into the folder, whole, under a name of its own. Raises OSError."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = f"{folder}/{time.time_ns():020d}-{os.getpid()}"
    with open(f"{path}.tmp", "w", encoding="utf-8") as file:
        json.dump({**change.added.to_json(), "unseen": change.unseen, "settled": change.settled}, file)
    os.replace(f"{path}.tmp", f"{path}.json")


def left_in(folder: str) -> dict[str, Change]:
    """The changes in the folder by their files, oldest first."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return {}
    return {path: _read(path) for path in (f"{folder}/{name}" for name in names)}


def _read(path: str) -> Change:
    """The change in a file; one that cannot be read changes nothing."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        return Change(State.from_json(data), tuple(map(str, data["unseen"])), tuple(map(str, data["settled"])))
    except UNREADABLE:
        return Change()


def forget(paths: Iterable[str]) -> None:
    """Take away the files of changes that were taken in."""
    for path in paths:
        with suppress(OSError):
            os.unlink(path)
