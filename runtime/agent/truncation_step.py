"""The step of truncation: what `truncation_plan` says of the results on stage, carried out as one transaction."""

from __future__ import annotations

from ...compiler.program import Program
from ..governance.candidates import Finding
from ..kernel.changes import representing
from ..recorder import Recorder
from ..requests import Requests
from .truncation_plan import Result, plan_truncation


class Truncating:
    """Cuts the results of a session that are too large for the window."""

    def __init__(self, recorder: Recorder, program: Program, requests: Requests) -> None:
        self._recorder = recorder
        self._requests = requests
        self._finding = Finding(recorder, program)

    def truncate(self, used: int, window: int) -> bool:
        """Cut what is too large in a request of ``used`` tokens; whether anything was. It can be undone."""
        found = self._finding.candidates(self._requests.on_stage()).results
        results = [Result(one.slot, one.characters, one.tokens) for one in found]
        cuts = plan_truncation(results, used, window, self._finding.shortened)
        if not cuts:
            return False
        known = {result.slot: result.tokens for result in results}
        freed = sum(known[cut.slot] - cut.short.tokens for cut in cuts)
        recorder = self._recorder
        since = -(recorder.last_request + 1)
        with recorder.transaction("pruning") as emit:
            for slot, short in cuts:
                shape = representing(
                    recorder.ledger.slots[slot], "ref", since, preview=short.preview, images=short.images
                )  # fmt: skip
                emit("represented", **shape)
            message = (
                f"{len(cuts)} {'result was' if len(cuts) == 1 else 'results were'} too large for the window: head and "
                f"tail are left of it, {freed:,} tokens fewer; /cpat undo #{recorder.ledger.transaction} takes it back"
            )
            emit("notice", code="truncated", message=message)
        return True
