"""The state of a session, held by one hook at a time where that can be, and never lost where it cannot."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from ...memory.errors import CanonError
from ...memory.store.lock import locked
from . import changes
from .state import State, read_state

#: Seconds that a hook waits for another of its session; the host gives it five in all.
_WAIT: Final = 2.0

#: The end of the name of the lock, which is a file; the original makes a folder that ends in `.lock` for its own.
_LOCK: Final = ".held"


@contextmanager
def held(path: str) -> Iterator[State]:
    """The state, for this process alone; what it has become is written, whole, if it has changed.

    When others hold it for too long it is shared: what this process changes is left beside it, for the next one that
    has it alone. So nothing is lost; at worst a line goes out twice. Raises OSError, but only when the block has run.
    """
    folder, trouble = f"{path}.late", None
    with ExitStack() as stack:
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            stack.enter_context(locked(f"{path}{_LOCK}", _WAIT))
            alone = True
        except (CanonError, OSError) as error:
            alone, trouble = False, error
        # Changes come first: one that is taken in meanwhile is then read twice, and not missed.
        left = changes.left_in(folder)
        stored = read_state(path)
        before = changes.applied(stored, left.values())
        state = State([*before.seen], dict(before.pending))
        yield state
        if isinstance(trouble, OSError):
            raise trouble
        if not alone and state != before:
            changes.leave(folder, changes.change_between(before, state))
        elif alone and state != stored:
            _write(path, state)
        if alone:
            changes.forget(left)


def _write(path: str, state: State) -> None:
    with open(f"{path}.tmp", "w", encoding="utf-8") as file:
        json.dump(state.to_json(), file)
    os.replace(f"{path}.tmp", path)
