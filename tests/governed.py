"""A conversation to govern: two turns with results, a goal, a state of the task, and a question that is still open."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.session import GovernanceFlags, Reply, Session, ToolCall
from dcc.runtime.store.interface import Store

#: About 630 tokens; no stand-in is that long.
LONG = "a line that nobody will read twice\n" * 60

SECRET = "s3cr3t-token-77"
OBJECT = json.dumps(
    {"host": "db.local", "port": 8080, "token": SECRET, "asked": "the port of the database", "log": LONG}
)


def program(gates: Iterable[str] = ("replace", "redact"), ops: Any = "cpat", **sections: Any) -> Program:
    """A ruleset that keeps everything on stage, so that only operations change what is there."""
    return load_program(
        {
            "name": "governed",
            "life_cycle": {"toolResult": ["born", None]},
            "governance": {"ops": ops, "window": 100_000, "gates": list(gates), **sections},
        }
    )


def talk(session: Session, text: str, results: Iterable[str] = (), reply: str = "done") -> None:
    """One turn: a tool call with each result, then an answer."""
    session.begin(text)
    for n, result in enumerate(results, 1):
        session.request()
        session.add_reply(Reply("looking", calls=(ToolCall(f"c{n}", "read", {"path": f"{n}.txt"}),)))
        session.add_result(f"c{n}", result)
    session.request()
    session.add_reply(Reply(reply))
    session.commit()


def governed(
    *,
    loop: bool = False,
    gates: Iterable[str] = ("replace", "redact"),
    max_context: int | None = None,
    store: Store | None = None,
) -> Session:
    """The conversation; with ``loop`` turn 3 is open: one of the two calls of its first reply is answered."""
    flags = GovernanceFlags(max_context=max_context)
    session = Session.create(program(gates), system="You are brief.", store=store, flags=flags)
    talk(session, "Find the port of the database.", [LONG, OBJECT], "The port is 8080.")
    session.queue_patch("goal", "find the host", "remain", 1)
    talk(session, "And the host?", reply="It is db.local.")
    session.add_entry("task_state", "the host is still to be checked")
    if loop:
        session.begin("Check it.")
        session.request()
        calls = (ToolCall("a", "read", {"path": "a"}), ToolCall("b", "read", {"path": "b"}))
        session.add_reply(Reply("looking", thinking="let me see", calls=calls))
        session.add_result("a", LONG)
    return session


def operate(session: Session, *operations: dict[str, Any]) -> Any:
    """A transaction of these operations; its outcome."""
    return session.update_context({"reason": "to see what happens", "operations": list(operations)})
