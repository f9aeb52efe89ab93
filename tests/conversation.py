"""A scripted conversation with tool loops, which can be taken up wherever it was cut, and which can cut itself.

As a program: ``conversation.py STORE TOOLS ACKS STEP`` talks until the end, or until step STEP, at which the process
kills itself (signal 9). A step is some work of SQLite, a tool that runs, or something that was acknowledged.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from dcc.compiler.program import ElementRow, Program, Rule, Settle
from dcc.grammar.ast import BORN, OPEN, Bound
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.sqlite import SqliteStore

SESSION = "talk"
TURNS, LOOPS, TOOLS = 4, 3, 2
#: Events between two snapshots.
EVERY = 40
#: Instructions of SQLite's machine that make a step.
WORK = 10

_FOR_CALLS = Rule(BORN, Bound("born", 2, "calls"))
PROGRAM = Program(
    "talk",
    "0" * 64,
    {
        "user": ElementRow("user", Rule(BORN, OPEN)),
        "assistant": ElementRow("assistant", Rule(BORN, Bound("born", 1))),
        "toolResult": ElementRow("toolResult", _FOR_CALLS, retire="offload"),
    },
    settle=Settle(3, 10),
    patchable=frozenset({"goal"}),
    declared=frozenset({"user", "assistant", "toolResult", "goal"}),
)


class CountingStore(SqliteStore):
    """Calls ``step`` while SQLite works, and knows where its writes ended."""

    def __init__(self, path: Path, step: Callable[[], None] | None = None) -> None:
        super().__init__(path, SESSION, every=EVERY, clock=ManualClock())
        self.ends: list[int] = []
        if step is not None:
            self._connection.set_progress_handler(step, WORK)

    def append(
        self, after: int, rows: Sequence[bytes], contents: Mapping[bytes, bytes], purge: Collection[bytes] = ()
    ) -> None:
        """Write, and note the end."""
        super().append(after, rows, contents, purge)
        self.ends.append(after + len(rows))


def open_session(store: SqliteStore) -> Session:
    """The session of the store; a new one when there is none."""
    if store.last:
        return Session.open(store, PROGRAM, clock=ManualClock())
    return Session.create(PROGRAM, store=store, system="You are brief.", clock=ManualClock())


def talk(session: Session, run: Callable[[str], str], acknowledged: Callable[[], None]) -> None:
    """Go on with the conversation, to its end. ``run`` runs a tool by the id of its call."""

    def answer(call_id: str) -> None:
        session.start_tool(call_id)
        acknowledged()
        result = run(call_id)
        session.add_result(call_id, result)
        acknowledged()

    for call in session.resume().pending:
        answer(call.id)
    while session.is_open or session.turn < TURNS:
        if not session.is_open:
            session.begin(f"/goal aim {session.turn} remain 2\ngo on, {session.turn}")
        number = session.request().call
        if number > LOOPS:
            session.add_reply(Reply(f"done, {session.turn}"))
            acknowledged()
            session.commit()
            acknowledged()
            continue
        ids = [f"t{session.turn}c{number}n{n}" for n in range(TOOLS)]
        session.add_reply(Reply(calls=tuple(ToolCall(id, "read", {"path": id}) for id in ids)))
        acknowledged()
        for call_id in ids:
            answer(call_id)


def result_of(call_id: str) -> str:
    """What a tool answers: long enough to be off-loaded."""
    return f"{call_id}: " + "much to read " * 40


def main(store_file: str, tools_file: str, acks_file: str, last_step: str) -> None:
    """Talk; see the module's first lines."""
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == int(last_step):
            os.kill(os.getpid(), signal.SIGKILL)

    tools = os.open(tools_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    acks = os.open(acks_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def run(call_id: str) -> str:
        os.write(tools, f"{call_id}\n".encode())
        step()
        return result_of(call_id)

    def acknowledged() -> None:
        os.write(acks, f"{session._recorder.ledger.seq}\n".encode())
        step()

    session = open_session(CountingStore(Path(store_file), step))
    acknowledged()
    talk(session, run, acknowledged)
    print(steps)


if __name__ == "__main__":
    main(*sys.argv[1:])
