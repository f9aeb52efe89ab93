"""The governing of a session: operations on its context, compaction, recall, the tools that dcc serves."""

from __future__ import annotations

from typing import Any, Literal

from ..compiler.ops.tool_schema import MAX_CHARS
from ..compiler.problem import one_of
from .accepting import accepted_text
from .compaction.compactor import Compactor
from .controlling import Controlling
from .errors import SessionError
from .governance.governance import Governance
from .governance.outcome import Outcome
from .governance.planner import Planner
from .governance.transactions import Actor
from .kernel.tokens import count_text
from .memory import tool as canon_tool
from .memory.errors import CanonError
from .memory.surfacing.in_session import SessionCanon
from .recall import tool as recall_tool
from .recall.lines import Recalled
from .recall.recall import Recall
from .requests import check_format
from .values import HOST_REASONS, Format, HostCompaction


class Governing(Controlling):
    """The part of a session that a model, a host, or someone in their place governs the context by."""

    _governance: Governance
    _planner: Planner
    _compactor: Compactor
    _recall: Recall
    _canon: SessionCanon | None

    @property
    def governance(self) -> Governance:
        """What ``/cpat`` shows and switches."""
        return self._governance

    def update_context(self, payload: object, *, actor: Actor = "agent", key: str | None = None) -> Outcome:
        """Apply operations to the context, all or none; they act from the next request on.

        ``payload``: ``{"reason": …, "operations": [{"op": …, "ids": […], …}]}``, or its JSON text. ``key``: a
        transaction with a key that was answered before is answered alike and not applied again. What cannot be done
        is in ``Outcome.rejections``. Raises SessionError: ``no_operations``, ``governance_off``.
        """
        return self._written(self._governance.update(payload, actor, key))

    def tools(self, format: Format = "openai") -> list[dict[str, Any]]:
        """What dcc serves (:meth:`serve`), as entries of ``tools`` in a request of the format.

        Raises SessionError (``bad_format``).
        """
        check_format(format)
        way: Literal["openai", "anthropic"] = "anthropic" if format == "anthropic" else "openai"
        found = [*self._governance.tools(format), recall_tool.schema(way)]
        return found if self._canon is None else [*found, canon_tool.schema(way, self._canon.options)]

    def use_host(self, model: str, schemas: str) -> None:
        """Say which model requests go to from now on, and what goes out beside the stage: tool schemas, as text.

        Their tokens count against the limits. What usage has taught of another model, or of other tools, is void.
        """
        self._planner.host, self._planner.beside = f"{model}\n{schemas}", count_text(schemas)

    @property
    def canon(self) -> SessionCanon:
        """The project's knowledge in this session. Raises SessionError (``no_canon``)."""
        if self._canon is None:
            raise SessionError("no_canon", "the ruleset has no canon section", help="write canon: {}")
        return self._canon

    def set_canon(self, words: str) -> str:
        """Show the options of canon, or set one for this session (``/canon settings surface off``).

        Raises SessionError: ``no_canon``, ``unknown_option``, ``bad_option``; nothing was changed.
        """
        try:
            return self._written(self.canon.settings(words))
        except CanonError as error:
            raise SessionError(error.code, error.message, help=error.help) from None

    def govern(self, on: bool) -> None:
        """Switch governance on or off (``/cpat on|off``). Raises SessionError (``no_operations``)."""
        self._governance.switch(on)
        self._written(None)

    def artifact_text(self, uri: str, max_chars: int = MAX_CHARS, offset: int = 0, grep: str | None = None) -> str:
        """A part of the text behind an address or of a slot, as ``artifact_get`` answers it; what is wrong is said."""
        return self._governance.artifact(uri, max_chars, offset, grep)[0]

    # Compaction and recall

    def recall(self, query: str) -> Recalled:
        """What earlier turns say about a query, whether it is on stage or not (``/dc-recall``).

        Raises SessionError (``bad_content``).
        """
        return self._recall.search(accepted_text(query, "a query"))

    def compact(self) -> str:
        """Summarise old turns now, or when the open turn is committed; says what came of it (``/dc-compact``).

        Raises SessionError (``no_compaction``).
        """
        return self._written(self._compactor.ask())

    def _coming_compaction(self, after: int) -> int | None:
        """The number of the compaction that is near, as a turn opens (see ``Compactor.coming``)."""
        band = self._planner.band() if self._recorder.ledger.governed else None
        return self._compactor.coming(after, fills=band in ("must_act", "critical"))

    def on_host_compaction(self, reason: str) -> HostCompaction:
        """The answer to a host that is about to compact by itself (see ``Planner.host_compaction``).

        Raises SessionError (``bad_reason``).
        """
        if reason not in HOST_REASONS:
            raise SessionError("bad_reason", f"{reason!r} is no reason to compact", help=f"give {one_of(HOST_REASONS)}")
        return self._written(self._planner.host_compaction(reason))
