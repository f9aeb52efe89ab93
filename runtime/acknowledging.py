"""Acknowledging: what another session of the same file has purged is purged here too (kernel.md section 3).

Contents are shared by the sessions of a file, forks among them, and a redaction deletes them for all. A session that
is taken up again finds that out, and says so by an event of its own.
"""

from __future__ import annotations

from .purging import purge
from .recorder import Recorder


def acknowledge_purges(recorder: Recorder) -> None:
    """Mark the slots whose content is gone, and drop the queued patches. Costs O(history) if there are any.

    In a store that is only read it is so until the session is closed.
    """
    ledger, store = recorder.ledger, recorder.store
    gone = {digest for digest in store.purged if digest.hex() not in ledger.purged}
    if not gone:
        return
    queued = [patch.number for patch in ledger.queue if bytes.fromhex(patch.digest) in gone]
    with recorder.transaction("purge") as emit:
        purge(recorder, emit, sorted(gone))
        for number in queued:
            emit("queue_dropped", patch=number)
    if store.every is not None:
        recorder.write()
