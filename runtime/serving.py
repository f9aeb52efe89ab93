"""The tools that dcc itself serves: what a host need not run."""

from __future__ import annotations

from .calls import Calls
from .recall import tool as recall_tool
from .recall.recall import Recall
from .values import Served


class Serving:
    """Answers the tool calls that dcc serves."""

    def __init__(self, calls: Calls, recall: Recall) -> None:
        self._calls = calls
        self._recall = recall

    def serve(self, call_id: str) -> Served | None:
        """Answer a waiting tool call; None when its tool is the host's.

        Raises SessionError (``unknown_call``).
        """
        call = self._calls.waiting(call_id)
        if call.name != recall_tool.NAME:
            return None
        query = recall_tool.query_of(call.arguments)
        content = recall_tool.USAGE if query is None else self._recall.search(query).text
        self._calls.start_tool(call_id)
        return Served(self._calls.add_result(call_id, content, query is None), content, query is None)
