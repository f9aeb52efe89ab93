"""Takes a session and the naive model that retires through one history, and holds them to the invariants."""

from __future__ import annotations

import re
from typing import Any

from checks import FailingStore, texts_of
from driver import SYSTEM, Driver
from naive import Seen
from naive_retirement import Retiring, alike
from naive_rows import Item
from retirement_history import FOLDER, RetirementHistory

from dcc.runtime.kernel.events import Event
from dcc.runtime.session import Reply, Request, Session, ToolCall

_ADDRESS = re.compile("artifact://[0-9a-f]{16}")


class RetirementDriver(Driver):
    """One history under rows that retire. Raises AssertionError where the kernel breaks an invariant."""

    model: Retiring

    def __init__(self, history: RetirementHistory) -> None:
        super().__init__(history)
        self.store = FailingStore()
        self.session = Session.create(self.program, store=self.store, system=SYSTEM, folder=FOLDER, clock=self.clock)
        self.model = Retiring(self.program, FOLDER, history.format)
        self.model.bear("system", SYSTEM, 0)

    def ask(self) -> None:
        """The request of the call at hand; P4 and P5 are held to it."""
        model = self.model
        if not model.is_open or model.waits:
            return
        ordinal, deeds = model.ordinal + 1, len(model.deeds)
        unsettled = model.visible(ordinal)
        before = sum(map(model.tokens, unsettled))
        super().ask()
        request = self.request
        after = check_tokens(request, model)
        if len(model.deeds) > deeds:
            # The rule of a result that is a stub already may end: its call keeps a stub in the request.
            shrinks = any(kind == "how" or item.how != "stub" for kind, item, *_ in model.deeds[-1].changes)
            assert after < before + (not shrinks), "P4: a settle shrinks the request"
            assert self.session._recorder.stage.due() == [], "P4: nothing is settled twice"
        check_kept(request, model)

    def _answer(self, thinking: bool, text: str, tools: tuple[tuple[Any, ...], ...]) -> None:
        named = [(name, {k: v for k, v in args if v is not None}) for _, name, args in tools]
        calls = tuple(ToolCall(id, name, args) for (id, *_), (name, args) in zip(tools, named, strict=True))
        self.session.add_reply(Reply(text, "hm" if thinking else "", calls))
        self.model.answer(thinking, text, named)
        check_artifacts(self.session, self.request, self.model)

    def causes(self) -> set[str]:
        """The causes of the events that the history has led to."""
        return {Event.from_row(row).cause for row in self.store.rows()}

    def result(self, number: int, text: str, is_error: bool) -> None:
        """A tool has its result."""
        self.model.is_error = is_error
        super().result(number, text, is_error)
        self.model.is_error = False


def check_tokens(request: Request, model: Retiring) -> int:
    """P5: the tokens of a request are those of what it holds, slot by slot."""
    counted = [model.tokens(Seen(v.slot, v.how, v.on_stage)) for v in request.visible]
    assert [v.tokens for v in request.visible] == counted
    assert request.tokens == sum(counted)
    return sum(counted)


def check_kept(request: Request, model: Retiring) -> None:
    """P5: what is kept of the request before are the tokens of the parts that both begin with."""
    before = model.parts(model.held.get(model.ordinal, []), request.format)
    now = model.parts(model.held[request.ordinal], request.format)
    assert request.prefix_kept == sum(part.tokens for part in now[: alike(before, now)])


def check_artifacts(session: Session, request: Request, model: Retiring) -> None:
    """P6: whatever a request names in the place of a text gives back that text."""
    named = {a for text in texts_of([*request.system, *request.messages]) for a in _ADDRESS.findall(text)}
    found = {str(session.artifact(address)) for address in named}
    originals = {text for v in request.visible if v.how == "ref" for text in _replaced(model.item(v.slot), model)}
    assert found == originals


def _replaced(item: Item, model: Retiring) -> list[str]:
    """The texts of a slot that an address stands for when it is a ref."""
    return item.long_arguments(model.row_of_chain(item)) if item.element == "toolCall" else [item.text]
