"""Acknowledging: what another session of the same file has purged is purged here too (kernel.md section 3).

Contents are shared by the sessions of a file, forks among them, and a redaction deletes them for all. A session finds
that out when it is taken up again, and before each message and request while it goes on; it says so by an event of its
own, and in a notice.
"""

from __future__ import annotations

from typing import Final

from .purging import purge
from .recorder import Recorder

#: Slots that the notice names.
_NAMED: Final = 6


def acknowledge_purges(recorder: Recorder) -> None:
    """Mark the slots whose content is gone, and drop the queued patches. Costs O(history) if there are any.

    A turn that has no reply yet may be taken back, and this must not be: it waits. In a store that is only read it is
    so until the session is closed.
    """
    ledger, store = recorder.ledger, recorder.store
    if recorder.is_staged:
        return
    gone = {digest for digest in store.purged if digest.hex() not in ledger.purged}
    if not gone:
        return
    queued = [patch for patch in ledger.queue if bytes.fromhex(patch.digest) in gone]
    with recorder.transaction("purge") as emit:
        slots = purge(recorder, emit, sorted(gone))
        for patch in queued:
            emit("queue_dropped", patch=patch.number)
        lost = [*slots, *(f"the queued patch of {patch.element}" for patch in queued)]
        if lost:
            named = ", ".join(lost[:_NAMED]) + (f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else "")
            emit("notice", code="purged_elsewhere", message=(
                f"another session of the file has redacted what {named} held: it is gone here, too"
            ))  # fmt: skip
    if store.every is not None:
        recorder.write()
