"""Sessions in files, talked with in few words."""

from __future__ import annotations

from pathlib import Path

from dcc.compiler.load import load_program
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.sqlite import SqliteStore

PROGRAM = load_program(
    {
        "name": "small",
        "life_cycle": {
            "user": ["born", None],
            "toolResult": {"start": "born", "end": "born+1", "retire": "offload"},
            "read": {"of": "toolResult", "match": {"tool": "read"}, "key": "args.path", "end": "until_superseded"},
        },
    }
)
LONG = "much to read " * 60


def file_session(path: Path, id: str = "one", *, every: int = 2_000) -> Session:
    """A session in a file: taken up again, or a new one."""
    store = SqliteStore(path, id, every=every, clock=ManualClock())
    if store.last:
        return Session.open(store, PROGRAM, clock=ManualClock())
    return Session.create(PROGRAM, store=store, system="You are brief.", clock=ManualClock())


def turn(session: Session, text: str, *, tool: str | None = None) -> None:
    """One turn: a message, a tool call if a path is given, an answer."""
    session.begin(text)
    session.request()
    if tool is not None:
        session.add_reply(Reply(calls=(ToolCall("c1", "read", {"path": tool}),)))
        session.start_tool("c1")
        session.add_result("c1", f"{tool}: {LONG}")
        session.request()
    session.add_reply(Reply(f"to {text}"))
    session.commit()


def store_of(session: Session) -> SqliteStore:
    """The file that a session is in."""
    store = session._recorder.store
    assert isinstance(store, SqliteStore)
    return store
