"""The controls of a session: what a person or a host does to slots and rules beside the model's turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ..compiler.program import Program
from .births import Births
from .controls.entries import Entries
from .controls.keeping import Keeping
from .controls.patching import Patching
from .controls.prompting import Prompting
from .controls.staging import Staging
from .controls.undoing import Undoing
from .kernel.content import Content
from .kernel.slots import Representation
from .looking import Looking
from .recorder import Recorder
from .requests import Requests
from .settling import Settling

_T = TypeVar("_T")


class Controlling(Looking):
    """The part of a session that changes slots and rules. Each control is one transaction, written at once."""

    def __init__(
        self, program: Program, recorder: Recorder, births: Births, requests: Requests, settling: Settling
    ) -> None:
        super().__init__(program, recorder, requests, settling)
        self._keeping = Keeping(recorder, births, program)
        self._staging = Staging(recorder, births, program)
        self._entries = Entries(recorder, births, program)
        self._patching = Patching(recorder, births, program)
        self._undoing = Undoing(recorder, births, program)
        self._prompting = Prompting(recorder, births, program)

    def keep(self, slot: str | None = None) -> tuple[str, ...]:
        """Keep a slot on stage from the next request on (see ``Keeping.keep``)."""
        return self._written(self._keeping.keep(slot))

    def unkeep(self, slot: str) -> tuple[str, ...]:
        """Give a kept slot, or ``all``, back to the law."""
        return self._written(self._keeping.unkeep(slot))

    def is_kept(self, slot: str) -> bool:
        """Whether a slot is kept (see ``Keeping.is_kept``)."""
        return self._keeping.is_kept(slot)

    def close(self, slot: str) -> bool:
        """Take a slot off stage from the next request on."""
        return self._written(self._staging.close(slot))

    def reopen(self, slot: str) -> bool:
        """Bring a slot whose segment is over back."""
        return self._written(self._staging.reopen(slot))

    def represent(self, slot: str, how: Representation) -> bool:
        """Change a slot's representation from the next request on."""
        return self._written(self._staging.represent(slot, how))

    def end(self, target: str) -> tuple[str, ...]:
        """End an element or a slot from the next turn on (``/dc-end``)."""
        return self._written(self._staging.end(target))

    def pin(self, text: str) -> str:
        """Pin a note (``/pin``)."""
        return self._written(self._entries.pin(text))

    def cancel_pin(self, pin: str) -> str:
        """Cancel a pin (``/cancelpin``)."""
        return self._written(self._entries.cancel_pin(pin))

    def add_entry(self, element: str, content: Content) -> str:
        """Bear a slot of the host's own between turns."""
        return self._written(self._entries.add_entry(element, content))

    def queue_patch(self, element: str, content: str, mode: str, turns: int | None, at: int | None = None) -> int:
        """Queue a content patch; returns the turn it lands at."""
        return self._written(self._patching.queue_patch(element, content, mode, turns, at)[0])

    def patch_rule(self, element: str, start: object, end: object, mode: str = "forward") -> None:
        """Change an element's rule (``/dc-rule``)."""
        self._patching.patch_rule(element, start, end, mode)
        self._written(None)

    def patch_slot(self, slot: str, start: object, end: object) -> None:
        """Give one slot a rule of its own."""
        self._patching.patch_slot(slot, start, end)
        self._written(None)

    def use_system(self, texts: Sequence[str]) -> bool:
        """Have the system slots of turn 0 say these texts (see ``Prompting.use_system``)."""
        return self._written(self._prompting.use_system(texts))

    def use_mask(self, mask: Callable[[Content], Content]) -> None:
        """Have every content go through ``mask`` before it is born, wherever it comes from: a host's secrets stay out.

        What is masked is given as it is when it goes through again.
        """
        self._recorder.mask = mask

    def undo(self, n: int = 1) -> tuple[int, ...]:
        """Take back the newest ``n`` transactions that can be undone."""
        undone = self._undoing.undo(n)
        self._tell_of_files(undone)
        return self._written(undone)

    def undo_transaction(self, number: int) -> None:
        """Take back one transaction."""
        self._undoing.undo_transaction(number)
        self._tell_of_files((number,))
        self._written(None)

    def _tell_of_files(self, undone: Sequence[int]) -> None:
        """Say that an undo takes back what is seen, and no file that was written since."""
        since = min(undone, default=0)
        written = [address for number, address in self._recorder.ledger.knowledge.written if number > since]
        if undone and written:
            with self._recorder.transaction("notice") as emit:
                emit("notice", code="canon_files_stay", message=(
                    f"an undo takes back views, not files: {', '.join(dict.fromkeys(written))} "
                    "on disk stays as it was written; dcc canon restore brings the text before it back"
                ))  # fmt: skip

    def _written(self, value: _T) -> _T:
        if not self._recorder.is_staged:
            self._recorder.write()
        return value
