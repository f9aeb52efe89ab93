"""The tools that dcc itself serves: what a host need not run."""

from __future__ import annotations

from ..compiler.ops.tool_schema import ARTIFACT_GET, CONTEXT_UPDATE
from .calls import Calls
from .governance.governance import Governance
from .kernel.content import Call, Content, Unusable, require_object
from .memory import tool as canon_tool
from .memory.surfacing.in_session import SessionCanon
from .recall import tool as recall_tool
from .recall.recall import Recall
from .values import Served


class Serving:
    """Answers the tool calls that dcc serves."""

    def __init__(
        self, calls: Calls, recall: Recall, governance: Governance, canon: SessionCanon | None = None
    ) -> None:
        self._canon = canon
        self._calls = calls
        self._recall = recall
        self._governance = governance

    def serve(self, call_id: str) -> Served | None:
        """Answer a waiting tool call; None when its tool is the host's.

        Raises SessionError (``unknown_call``).
        """
        call = self._calls.waiting(call_id)
        if not self._serves(call.name):
            return None
        if call.name == canon_tool.NAME and self._canon is not None and _fault(call) is None:
            # It writes files: that it has started is on disk first, so that it is not done twice after a crash.
            self._calls.start_tool(call_id)
            reply = self._canon.serve(call.arguments)
            slot = self._calls.add_result(call_id, reply.text, reply.is_error, reply)
            return Served(slot, reply.text, reply.is_error)
        content, is_error = self._answer(call_id, call)
        self._calls.start_tool(call_id)
        return Served(self._calls.add_result(call_id, content, is_error), content, is_error)

    def _serves(self, name: str) -> bool:
        return (
            name == recall_tool.NAME
            or (name == canon_tool.NAME and self._canon is not None)
            or (name == CONTEXT_UPDATE and self._governance.has_operations)
            or (name == ARTIFACT_GET and self._governance.serves_artifacts)
        )

    def _answer(self, call_id: str, call: Call) -> tuple[Content, bool]:
        """What a call is answered with, and whether that is an error."""
        if call.name == CONTEXT_UPDATE:
            # The key is the call's slot: served again after a crash, it is answered and not applied again.
            return self._governance.serve_update(call.arguments, f"call:{self._calls.waiting_slot(call_id)}")
        if (fault := _fault(call)) is not None:
            return fault, True
        if call.name == recall_tool.NAME:
            query = recall_tool.query_of(call.arguments)
            return (recall_tool.USAGE, True) if query is None else (self._recall.search(query).text, False)
        return self._governance.serve_artifact(call.arguments)


def _fault(call: Call) -> str | None:
    """What is wrong with the arguments of a call, and how to mend it; None: they are an object."""
    try:
        require_object(call.arguments or "{}")
    except Unusable as fault:
        return f"the arguments of {call.name} {fault.what}\n{fault.help}"
    return None
