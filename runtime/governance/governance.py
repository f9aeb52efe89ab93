"""Governance in a session: transactions, artifacts, the tail, and what ``/cpat`` shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Final

from ...compiler.ops.model import OpTable
from ...compiler.ops.tool_schema import MAX_CHARS, ToolFormat, context_tools
from ...compiler.ops.tool_schema import artifact_get as artifact_get_tool
from ...compiler.program import Program
from ..births import Births
from ..errors import SessionError
from ..kernel.content import Content, parse_object
from ..kernel.events import Event
from ..recorder import Recorder
from ..requests import Requests
from ..values import GovernanceFlags
from ..view.tail import tail_message
from ..view.transcript import Format
from ..view.unit import Message
from .artifact import artifact_get, serve_artifact
from .bases import base_of
from .budget.calibration import Calibration
from .catalog import Catalog
from .facts import Reader
from .gauge import Gauge
from .journal import Entry, entries, newest
from .manifest import manifest, room_of
from .news import News
from .offers import Offers
from .outcome import Outcome
from .planner import Planner
from .report import report, short_report
from .suggesting import Suggesting
from .transactions import Actor, Transactions

#: The room of the whole manifest, in tokens.
_NO_END: Final = 1 << 40


class Governance:
    """What a session asks of governance. Without ``governance.ops`` in the ruleset there is nothing to govern with."""

    def __init__(
        self,
        recorder: Recorder,
        program: Program,
        births: Births,
        requests: Requests,
        planner: Planner,
        flags: GovernanceFlags,
    ) -> None:
        self._recorder = recorder
        self._planner = planner
        self._table = program.ops
        section: dict[str, Any] = program.sections.get("governance") or {}
        self.gates = frozenset(section.get("gates") or ()) | flags.allow
        coming, self._reader = Reader(recorder, program), Reader(recorder, program, present=True)
        self._gauge = Gauge(self._reader, requests, planner)
        self._catalog = Catalog(self._reader, coming)
        self._news = News(recorder)
        table, gauge = program.ops or OpTable(), Gauge(coming, requests, planner)
        self._transactions = Transactions(recorder, births, coming, gauge, table, self.gates)
        self._new_suggesting = partial(Suggesting, recorder, program, Offers(table, self.gates), gauge.refuses)
        cuts = flags.recovers or planner.limits is not None or planner.pruning is not None
        self._offloads = cuts or any(row.retire == "offload" for row in program.elements.values())

    @property
    def is_on(self) -> bool:
        """Whether a model may change its context, and is told of it."""
        return self._table is not None and self._recorder.ledger.governed

    @property
    def has_operations(self) -> bool:
        """Whether the ruleset names operations, be they switched off."""
        return self._table is not None

    @property
    def has_limits(self) -> bool:
        """Whether it is known how full the context may be."""
        return self._gauge.limits is not None

    @property
    def serves_artifacts(self) -> bool:
        """Whether there may be addresses in requests for ``artifact_get`` to look up."""
        return self._table is not None or self._offloads

    # Tools

    def update(self, payload: object, actor: Actor = "agent", key: str | None = None) -> Outcome:
        """Apply operations, all or none (see ``Transactions.update``).

        Raises SessionError: ``no_operations`` (the ruleset names none), ``governance_off``.
        """
        if self._table is None:
            raise SessionError(
                "no_operations", "the ruleset names no operations on the context", help="write governance: {ops: cpat}"
            )
        if not self.is_on:
            raise SessionError("governance_off", "governance is off", help="/cpat on switches it on")
        return self._transactions.update(payload, actor, key)

    def artifact(
        self, uri: str, max_chars: int = MAX_CHARS, offset: int = 0, grep: str | None = None
    ) -> tuple[str, bool]:
        """(the text behind an address or of a slot, whether it is an error); see ``artifact_get``."""
        text, is_error, _ = artifact_get(self._recorder, uri, max_chars, offset, grep, self.manifest)
        return text, is_error

    def serve_update(self, arguments: str, key: str) -> tuple[str, bool]:
        """The answer to a ``context_update`` call with these arguments (JSON text)."""
        try:
            outcome = self.update(parse_object(arguments) or arguments, "agent", key)
        except SessionError as error:
            return f"{error.message} ({error.help})" if error.help else error.message, True
        return outcome.to_json(), not outcome.ok

    def serve_artifact(self, arguments: str) -> tuple[Content, bool]:
        """The answer to an ``artifact_get`` call with these arguments (JSON text), images included."""
        look = serve_artifact(self._recorder, arguments, self.manifest)
        return look.content, look.is_error

    def tools(self, format: Format) -> list[dict[str, Any]]:
        """The tools of the program, as entries of ``tools`` in a request of the format; pi's are openai's."""
        way: ToolFormat = "anthropic" if format == "anthropic" else "openai"
        found: list[dict[str, Any]] = []
        if self.is_on and self._table is not None:
            found += context_tools(self._table, way, self.gates)
        if self.serves_artifacts:
            found.append(artifact_get_tool(way))
        return found

    # The tail

    def tail(self, format: Format) -> Message | None:
        """The last message of the next request; None when nothing is governed."""
        text = self.tail_text()
        return tail_message(format, text) if text is not None else None

    def tail_text(self) -> str | None:
        """What the tail says: notices, the report, the manifest. Asked again it says the same."""
        if not self.is_on or self._table is None:
            return None
        self._catalog.follow()
        if not self._news.is_worth_telling(self._catalog, self._gauge):
            return "\n".join([*self._news.notices(), short_report(self._gauge)])
        report = f"<context_budget>{self.report()}</context_budget>"
        return "\n".join([*self._news.notices(), report, self.short_manifest()])

    def replied(self) -> None:
        """The request with this tail has its reply."""
        if self.is_on:
            self._news.replied()

    # For people

    def short_manifest(self) -> str:
        """As much of the manifest as the tail has room for."""
        limits = self._gauge.limits
        return self._manifest(room_of(limits.max_context if limits is not None else None))

    def manifest(self) -> str:
        """Every slot that an operation may name (``/cpat manifest``)."""
        return self._manifest(_NO_END)

    def report(self) -> str:
        """The budget report, as one line of JSON."""
        return report(self._catalog, self._gauge, self._new_suggesting())

    def status(self) -> str:
        """How full the context is, what is where, and what was done (``/cpat``)."""
        ledger, gauge, calibration = self._recorder.ledger, self._gauge, self._planner.calibration
        self._catalog.follow()
        used, limits = gauge.used, gauge.limits
        full = f"{used:,} tokens"
        if limits is not None:
            full += f" of {limits.max_context:,} ({used / limits.max_context:.0%}, {limits.band(used)})"
        operated = list(self._operated())
        applied = [event for event in operated if event.data["applied"]]
        undone = [event for event in applied if event.transaction in ledger.undone]
        freed = sum(event.data["freed"] for event in applied) - sum(event.data["freed"] for event in undone)
        refused = sum(not event.data["ok"] for event in operated)
        shown = self._recorder.stage.shown
        reduced = sum(presence.shape.how != "full" for presence in shown.values())
        return "\n".join([
            f"governance: {'on' if self.is_on else 'off'}",
            f"context: {full}",
            f"slots: {len(shown)} in view ({reduced} of them shortened), {len(self._catalog.archived)} archived, "
            f"{len(self._catalog.hidden)} hidden; {ledger.births} born in all",
            f"transactions: {len(applied)} applied, {refused} refused, {len(undone)} undone; "
            f"{freed:,} tokens freed by those that stand",
            f"learned: {_learned(calibration)}",
        ])  # fmt: skip

    def journal(self, count: int = 10) -> tuple[Event, ...]:
        """The newest ``operated`` events, oldest first (``/cpat journal``)."""
        return tuple(self._operated())[-count:]

    def newest(self, count: int = 10) -> tuple[Entry, ...]:
        """The newest entries of the journal, oldest first: what the runtime did by itself too (``/cpat journal``)."""
        return newest(self._recorder, count)

    def entries(self, after: int = 0) -> tuple[Entry, ...]:
        """The entries of the events with a seq above ``after``, oldest first."""
        return tuple(entries(self._recorder, after))

    @property
    def last_event(self) -> int:
        """The seq of the last event: entries are told from there on."""
        return self._recorder.ledger.seq

    @property
    def base(self) -> int:
        """What a transaction may be based on: the number of the one that changed the context last (0: none)."""
        return base_of(self._recorder.ledger)

    @property
    def fullness(self) -> tuple[int, int] | None:
        """How full the context is and may be, in tokens, as ``/cpat`` tells it; None where no limit is known."""
        limits = self._gauge.limits
        return (self._gauge.used, limits.max_context) if limits is not None else None

    @property
    def band(self) -> str:
        """The band of the next request; ``ok`` where no limit is known."""
        return self._gauge.band(self._gauge.used)

    def archived(self) -> tuple[str, ...]:
        """The slots that operations have archived, in the order of their birth."""
        self._catalog.follow()
        return self._in_order(self._catalog.archived)

    def hidden(self) -> tuple[str, ...]:
        """The slots that operations have hidden, in the order of their birth."""
        self._catalog.follow()
        return self._in_order(self._catalog.hidden)

    def switch(self, on: bool) -> None:
        """Switch governance on or off for the session (``/cpat on|off``): operations, tail, and critical passes.

        Raises SessionError (``no_operations``): there is nothing to switch.
        """
        if on and self._table is None and self._gauge.limits is None:
            raise SessionError(
                "no_operations", "the ruleset names no operations and no limits on the context",
                help="write governance: {ops: cpat}, or {max_context: 100000}",
            )  # fmt: skip
        if self._recorder.ledger.governed != on:
            with self._recorder.transaction("governance") as emit:
                emit("governed", on=on)

    def _manifest(self, room: int) -> str:
        return manifest(self._catalog, self._reader, self._table or OpTable(), room, self._gauge.raw)

    def _in_order(self, slot_ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(slot.id for slot in self._recorder.ledger.in_order(slot_ids))

    def _operated(self) -> Iterator[Event]:
        """Costs O(history)."""
        return (event for event in self._recorder.events(0) if event.kind == "operated")


def _learned(calibration: Calibration) -> str:
    """What is known of how the provider counts, in figures and in words."""
    slope, overhead = calibration.slope, calibration.overhead
    residual = "none" if calibration.residual is None else f"{calibration.residual:,.0f}"
    none = "" if calibration.samples else "; no reply has told its tokens yet"
    return (
        f"k {slope:.2f}, b {overhead:,.0f} tokens, n {calibration.samples}, last residual {residual} "
        f"(of n reports: a prompt is k times what is counted, and b more{none})"
    )
