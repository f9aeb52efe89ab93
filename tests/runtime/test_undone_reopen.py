"""An undone reopen is undone at once, also in a turn that has just closed."""

from __future__ import annotations

from dcc.compiler.program import ElementRow, Program, Rule
from dcc.grammar.ast import BORN
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.session import Reply, Session, ToolCall


def test_a_slot_that_ends_with_its_turn_is_off_stage_again() -> None:
    rows = {"toolResult": ElementRow("toolResult", Rule(BORN, BORN))}
    session = Session.create(Program("rows", "0" * 64, rows), clock=ManualClock())
    session.begin("look")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c", "ls", {}),)))
    session.add_result("c", "a b")
    session.close("toolResult@1")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("d", "ls", {}),)))
    session.add_result("d", "a b")
    session.reopen("toolResult@1")
    session.request()
    session.add_reply(Reply("done"))
    session.commit()
    assert "toolResult@1" in session.stage()
    session.undo()
    assert "toolResult@1" not in session.stage()
