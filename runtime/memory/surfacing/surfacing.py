"""Surfacing: what tool calls touch, which lines go out for it, and what is owed afterwards (specification, section 7).

It holds no state of its own: what happened is told as ``canon`` events (kernel/knowledge.py), by ``tell``, to whoever
keeps them: the ledger of a session, or a conversation without one (``conversation.py``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...kernel.knowledge import Knowledge
from ..canon import Canon
from ..errors import CanonError
from ..reply import Reply
from ..search.intents import intent_of_call, query_of
from ..search.retrieval import Retrieval
from ..store.articles import Stored
from .entered import Entered, parts_of
from .mutations import mutates
from .paths import folders_in, paths_in
from .presence import Presence
from .trace import Trace
from .wording import Line, line_text

#: Gets the data of a ``canon`` event.
Tell = Callable[[Mapping[str, Any]], object]

#: A tool that was called, and its arguments.
Called = tuple[str, Mapping[str, object]]

#: What the tool is called by hosts that put a server's name before it, and by the original.
_OWN: Final = frozenset({"canon", "pi_canon"})

#: Actions of the tool by which an article enters the conversation: by its result, or by its arguments.
READ: Final = "read"
WRITE: Final = "write"


def is_own(tool: str) -> bool:
    """Whether a tool is canon itself, also as a server's (`mcp__dcc__canon`)."""
    return tool in _OWN or tool.endswith(("__canon", "__pi_canon"))


@dataclass(frozen=True, slots=True)
class Plan:
    """The lines that are to go out, addressed ones first; ``asked``: the digest of what was ranked for, if anything."""

    lines: tuple[Line, ...] = ()
    asked: str | None = None


class Surfacing:
    """Decides what surfaces. ``knowledge``: what has happened so far. Trouble with a store never breaks a call.

    ``folder``: where tools work, if that is not the project's folder but a part of it.
    """

    def __init__(
        self,
        canon: Canon,
        presence: Presence,
        knowledge: Callable[[], Knowledge],
        trace: Trace | None = None,
        folder: str | None = None,
    ) -> None:
        self.canon = canon
        self.presence = presence
        self.trace = trace or Trace()
        self._knowledge = knowledge
        self._folders = () if folder is None else (folder,)
        self._retrieval: Retrieval | None = None

    # Touches

    def called(self, tell: Tell, call: str, tool: str, arguments: Mapping[str, object]) -> None:
        """A tool is called: note which articles govern what it names. The tool's own calls touch nothing."""
        if is_own(tool):
            return
        places = self._governing(arguments)
        if places:
            pairs = [[address, asset] for address, asset in places.items()]
            tell({"do": "touched", "call": call, "places": pairs, "mutates": mutates(tool, arguments)})
            for address, asset in places.items():
                self.trace("staged", {"path": address, "asset": asset})

    def _governing(self, arguments: Mapping[str, object]) -> dict[str, str]:
        """By address of an article the first path that it governs."""
        found: dict[str, str] = {}
        try:
            mounts = self.canon.mounts
            if not any(mount.store.layout.is_begun for mount in mounts):
                return found
            project = mounts.project.folder.rstrip("/") + "/"
            here = (*self._folders, mounts.project.folder)
            for named in paths_in(arguments, *folders_in(arguments, here[0]), *here):
                path = mounts.within(named)
                if path is None:
                    continue  # `/src/a` is not the project's `src/a`.
                place = self.canon.governing(path)
                if place is not None:
                    found.setdefault(place.shown, path.removeprefix(project))
        except (CanonError, OSError) as error:
            self._failed(error)
        return found

    def succeeded(self, tell: Tell, call: str) -> None:
        """A call has succeeded: if it may have changed assets, their articles are owed an update."""
        touch = self._knowledge().touched.get(call)
        if touch is not None and touch.mutates:
            bases = {address: self.base(address) for address, _ in touch.places}
            tell({"do": "owed", "bases": bases})

    # The tool's own calls

    def answered(self, arguments: Mapping[str, object], reply: Reply) -> Entered | None:
        """What a call of the tool and its reply bring into the conversation."""
        if reply.entered is None or not reply.address:
            return None
        wrote = reply.code in ("wrote", "current")
        parts = parts_of(arguments if wrote else reply.data)
        return Entered(reply.address, str(reply.data.get("base", "")), parts, not wrote, wrote)

    def used(self, arguments: Mapping[str, object]) -> Entered | None:
        """The same of a call that somebody else answered, told from its arguments alone."""
        action, path = arguments.get("action"), arguments.get("path")
        if action not in (READ, WRITE) or not isinstance(path, str):
            return None
        try:
            place = self.canon.mounts.place(path)
            found = place.mount.store.articles.resolve(place.address) if action == READ else place.address
        except (CanonError, OSError) as error:
            self._failed(error)
            return None
        if not found:
            return None
        address = place.mount.shown(found)
        parts = parts_of(arguments) if action == WRITE else ()
        return Entered(address, self.base(address), parts, action == READ, action == WRITE)

    def entered(self, tell: Tell, one: Entered, by: str) -> None:
        """An article has entered the conversation with what is known as ``by``."""
        chars = one.chars
        withdrawn = any(one.address == a for touch in self._knowledge().touched.values() for a, _ in touch.places)
        tell({"do": "entered", "address": one.address, "base": one.base, "by": by, "chars": chars})
        if one.wrote:
            tell({"do": "written", "address": one.address})
            tell({"do": "settled", "addresses": [one.address]})
        if withdrawn:
            self.trace("withdrawn", {"path": one.address})
        self.trace("entered", {"path": one.address, "chars": chars, "via": WRITE if one.wrote else READ})

    # Lines

    def plan(
        self,
        calls: Sequence[Called] = (),
        words: Sequence[str] = (),
        waiting: Sequence[Line] = (),
    ) -> Plan:
        """What is to go out now. Nothing is told.

        ``calls``: the tools and arguments of the call, in order; ``words``: what people said so far, oldest first;
        ``waiting``: lines that went out and did not arrive.
        """
        if not self.canon.options.surface:
            return Plan()
        try:
            waiting = [line for line in waiting if not self.presence.has(line.address, line.base)]
            lines = {line.address: line for line in waiting if not line.is_ranked}
            for touch in self._knowledge().touched.values():
                for address, asset in touch.places:
                    if address not in lines and (line := self._line(address, asset)) is not None:
                        lines[address] = line
            ranked = [line for line in waiting if line.is_ranked]
            asked, more = self._ranked(calls, words, frozenset((*lines, *(one.address for one in ranked))), len(ranked))
            return Plan((*lines.values(), *ranked, *more), asked)
        except (CanonError, OSError) as error:
            self._failed(error)
            return Plan()

    def _line(self, address: str, asset: str) -> Line | None:
        """The line of a touched article; None when it is present, or gone."""
        stored = self._stored(address)
        if stored is None or self.presence.has(address, stored.base):
            return None
        return Line(address, stored.base, stored.article.capsule, line_text(address, stored.article, asset))

    def _ranked(
        self, calls: Sequence[Called], words: Sequence[str], staged: frozenset[str], count: int
    ) -> tuple[str | None, list[Line]]:
        """What the query of the call is known by, if articles were ranked for it; the lines that relevance brings."""
        if not self.canon.options.by_relevance:
            return None, []
        intents = [intent_of_call(tool, arguments) for tool, arguments in calls if not is_own(tool)]
        query = query_of([*words, *intents])
        asked = _digest(query)
        if not query.strip() or asked == self._knowledge().asked:
            return None, []
        if self._retrieval is None:
            self._retrieval = Retrieval(self.canon.desk, self.trace)
        ranked = self._retrieval.rank(query, staged | self._taken(), count)
        lines: list[Line] = []
        for hit in ranked.riders if ranked is not None else ():
            stored = self._stored(hit.key)
            if stored is not None:
                text = line_text(hit.key, stored.article, hit.key)
                lines.append(
                    Line(hit.key, stored.base, stored.article.capsule, text, self._retrieval.name, hit.score)
                )
        return asked, lines

    def _taken(self) -> frozenset[str]:
        """What relevance does not offer: what is present, and what went out before."""
        return frozenset((*self.presence.costs(), *self._knowledge().offered))

    def went_out(self, tell: Tell, plan: Plan, by: str) -> None:
        """The lines of a plan have gone out with what is known as ``by``; the call's touches are dealt with."""
        if plan.asked is not None:
            tell({"do": "asked", "query": plan.asked})
        for line in plan.lines:
            chars = len(line.text)
            tell({"do": "entered", "address": line.address, "base": line.base, "by": by, "chars": chars})
            fields = {"path": line.address, "chars": chars, "capsule": line.capsule, "score": line.score}
            self.trace("surfaced", {**fields, "via": line.via})
        if plan.lines:
            addresses = [line.address for line in plan.lines]
            ranked = [line.address for line in plan.lines if line.is_ranked]
            tell({"do": "offered", "addresses": addresses, "ranked": ranked})
            self.trace("flushed", {"lines": len(addresses), "chars": sum(len(line.text) for line in plan.lines)})
        if self._knowledge().touched:
            tell({"do": "flushed"})

    # What is owed

    def owed(self, tell: Tell) -> tuple[str, ...]:
        """The articles to remind of, once; what is owed is settled by it. One that has changed since is updated."""
        owed = self._knowledge().owed
        if not owed:
            return ()
        tell({"do": "settled", "addresses": list(owed)})
        left = tuple(address for address, base in owed.items() if self.base(address) == base)
        if not left or not self.canon.options.surface:
            return ()
        self.trace("settle-nudge", {"paths": list(left)})
        return left

    def base(self, address: str) -> str:
        """The version of an article that is there now; empty when there is none that can be read."""
        stored = self._stored(address)
        return stored.base if stored is not None else ""

    def _stored(self, address: str) -> Stored | None:
        """An article by its address with the mount's name before it; one that leads out of the store is none."""
        try:
            mounts = self.canon.mounts
            name, colon, rest = address.partition(":")
            mount = mounts.named(name) if colon else None
            if mount is not None:
                return mount.store.articles.read(rest)
            return mounts.project.store.articles.read(address)
        except (CanonError, OSError) as error:
            self._failed(error)
            return None

    # Looking

    def status(self) -> Reply:
        """How much is kept where, and what of it the session has seen."""
        costs, knowledge = self.presence.costs(), self._knowledge()
        data = {"surfaced": len(knowledge.offered), "present": len(costs), "chars": sum(costs.values())}
        seen = f"{data['surfaced']} surfaced this session, {data['present']} still in context"
        reply = self.canon.status(f"; {seen} taking {data['chars']} chars.")
        return Reply(reply.code, reply.text, data={**reply.data, **data})

    def _failed(self, error: CanonError | OSError) -> None:
        self.trace("store-failed", {"error": f"{type(error).__name__}: {error}"})


def _digest(query: str) -> str:
    """What a query is known by. Events hold no words of people, so that a redaction need not look for them there."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:16]
