"""Surfacing in a conversation that is no session of dcc: a host calls, and reports what the model sees.

    talk = Conversation(Canon("."))
    talk.called("read", {"path": "src/a.py"}, call="c1")
    talk.succeeded("c1")
    text = talk.flush()
    talk.observe(messages)

Nothing lasts longer than the object. Articles are present as their text is (``TextPresence``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kernel.knowledge import NOTHING, Knowledge
from ..canon import Canon
from ..reply import Reply
from ..search.intents import user_words
from .entered import Entered
from .presence import TextPresence
from .surfacing import Plan, Surfacing, is_own
from .trace import Trace
from .wording import PREFIX, Line, message, reminder


class Conversation:
    """One conversation of a host. ``trace``: default, what the environment names."""

    def __init__(self, canon: Canon, trace: Trace | None = None) -> None:
        self.canon = canon
        self.presence = TextPresence(lambda: canon.options.resurface)
        self.surfacing = Surfacing(canon, self.presence, lambda: self.knowledge, trace)
        self.knowledge: Knowledge = NOTHING
        self._calls: dict[str, tuple[str, Mapping[str, object]]] = {}
        self._said: list[tuple[str, Mapping[str, object]]] = []
        self._words: tuple[str, ...] = ()
        self._last: tuple[Plan, Knowledge] | None = None
        self._waiting: tuple[Line, ...] = ()
        self._flushes = 0

    # What happens

    def called(self, tool: str, arguments: Mapping[str, object], call: str = "") -> None:
        """A tool is called. ``call``: its id, for those who tell later that it has succeeded."""
        call = call or f"call-{len(self._calls)}"
        self._calls[call] = (tool, arguments)
        self._said.append((tool, arguments))
        self.surfacing.called(self._tell, call, tool, arguments)

    def succeeded(self, call: str) -> None:
        """A call has succeeded; one that failed is never told of. That of the tool itself brought in an article."""
        tool, arguments = self._calls[call]
        if not is_own(tool):
            self.surfacing.succeeded(self._tell, call)
        elif (entered := self.surfacing.used(arguments)) is not None:
            self.enter(entered)

    def use(self, arguments: Mapping[str, object]) -> Reply:
        """Call the tool here; its reply is in the conversation then."""
        reply = self.canon.call(arguments)
        entered = self.surfacing.answered(arguments, reply)
        if entered is not None:
            self.enter(entered)
        return reply

    def enter(self, one: Entered) -> None:
        """An article has entered the conversation; without its text nothing tells when it departs."""
        self.presence.enter(one.address, one.parts, one.chars)
        self.surfacing.entered(self._tell, one, "text")

    def observe(self, messages: object) -> None:
        """Report the conversation as the model sees it now: a list of messages of any shape; else nothing happens."""
        if isinstance(messages, list | tuple):
            self._words = user_words(messages)
        for address in self.presence.observe(messages):
            self.surfacing.trace("departed", {"path": address})

    # What goes out

    def flush(self, what: str = "this call") -> str | None:
        """The message to send before the next request; None: nothing is to be said. Its intents are over with it."""
        plan = self.surfacing.plan(self._said, self._words, self._waiting)
        before = self.knowledge
        self._flushes += 1
        self.surfacing.went_out(self._tell, plan, f"text-{self._flushes}")
        self._said.clear()
        self._waiting, self._last = (), None
        for line in plan.lines:
            self.presence.enter(line.address, [line.text], len(line.text))
        if not plan.lines:
            return None
        self._last = plan, before
        return f"{PREFIX} {message(plan.lines, what)}"

    def settle(self) -> str | None:
        """The work is done: what still waits, and a reminder of what was changed and not updated; None: neither."""
        before, flushed = self.knowledge, self.flush()
        owed = self.surfacing.owed(self._tell)
        if owed and self._last is None:
            self._last = Plan(), before
        parts = [flushed, f"{PREFIX} {reminder(owed)}" if owed else None]
        return "\n".join(part for part in parts if part) or None

    def undo(self) -> None:
        """The last message did not arrive: its lines wait again, its reminder is owed again."""
        if self._last is None:
            return
        plan, before = self._last
        addresses = [line.address for line in plan.lines]
        self.presence.forget(addresses)
        if addresses:
            self._tell({"do": "taken_back", "addresses": addresses, "by": f"text-{self._flushes}"})
        self._tell({"do": "owed", "bases": {**before.owed, **self.knowledge.owed}})
        self._waiting, self._last = plan.lines, None
        self.surfacing.trace("delivery-undone", {})

    def status(self) -> Reply:
        """What is kept where, and what the model has seen of it."""
        return self.surfacing.status()

    def _tell(self, data: Mapping[str, Any]) -> None:
        self.knowledge = self.knowledge.after(data)
