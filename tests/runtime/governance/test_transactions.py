"""Transactions in a session: applied once, journalled, served as a tool; and an operation of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import governed
import pytest

from dcc.compiler.load import load_program
from dcc.runtime.session import GovernanceFlags, Reply, Session, SessionError, ToolCall
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sqlite import SqliteStore

ARCHIVE = {"op": "set_visibility", "ids": ["assistant@1"]}
PAYLOAD = {"reason": "done with it", "operations": [ARCHIVE]}

NINTH = """
op set_aside reversed by take_up {
  "Take long results out of view, chain and all."
  ids: slots
  least: count = 100
  why: text
  refuse too_small when any(target.kind == toolResult and target.tokens < 300)
    "{ids}: not worth it"
  refuse why_missing when blank(why)
    "say why"
  effect hold archived
}
op take_up reversed by set_aside {
  "Bring them back."
  ids: slots
  effect lift
}
op note_down {
  "One line for many slots."
  ids: slots
  line: text
  guard gain
  effect hold hidden
  effect bear { content: line, prefix: "[noted] " }
}
"""


def test_a_key_is_answered_once() -> None:
    session = governed.governed()
    first = session.update_context(PAYLOAD, key="k1")
    state = session.state_hash()
    again = session.update_context({"reason": "other", "operations": []}, key="k1")
    assert again == first
    assert session.state_hash() == state
    assert session.update_context(PAYLOAD | {"key": "k1"}) == first
    other = session.update_context(PAYLOAD, key="k2")
    assert other.ok
    assert other.applied == 0


def test_a_refusal_is_kept_with_its_key_too() -> None:
    session = governed.governed()
    wrong = {"reason": "r", "operations": [{"op": "restore", "ids": ["toolResult@1"]}]}
    first = session.update_context(wrong, key="k")
    assert session.update_context(PAYLOAD, key="k") == first
    assert not first.ok


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_keys_live_as_long_as_the_ledger(kind: str, tmp_path: Path) -> None:
    store: Any = MemoryStore() if kind == "memory" else SqliteStore(tmp_path / "s.db", "one", every=5)
    session = governed.governed(store=store)
    first = session.update_context(PAYLOAD, key="k1")
    state = session.state_hash()
    if kind == "file":
        session.__exit__(None, None, None)
        store = SqliteStore(tmp_path / "s.db", "one", every=5)
    session = Session.open(store, session.program)
    assert session.update_context(PAYLOAD, key="k1") == first
    assert session.state_hash() == state
    store.close()


def test_a_call_served_again_after_a_crash_is_applied_once() -> None:
    store = MemoryStore()
    session = governed.governed(store=store)
    session.begin("tidy up")
    session.request()
    session.add_reply(Reply("", calls=(ToolCall("c", "context_update", PAYLOAD),)))
    # The transaction is written, and the process dies before its result is.
    session.update_context(PAYLOAD, key="call:toolCall@3")
    session = Session.open(store, session.program)
    assert [call.id for call in session.resume().pending] == ["c"]
    served = session.serve("c")
    assert served is not None
    assert json.loads(served.content)["applied"] == 1
    assert len([e for e in session.governance.journal() if e.data["applied"]]) == 1


def test_the_outcome_is_plain_json() -> None:
    session = governed.governed(max_context=10_000)
    document = json.loads(session.update_context(PAYLOAD).to_json())
    assert set(document) == {
        "ok", "applied", "rejections", "freed_tokens", "delta_tokens", "created_block_ids", "budget", "prefix_break_at",
        "pressure_after", "transaction",
    }  # fmt: skip
    assert set(document["budget"]) == {"max", "soft_limit", "used"}
    assert document["pressure_after"] == round(document["budget"]["used"] / 10_000, 4)


def test_every_transaction_is_in_the_journal() -> None:
    session = governed.governed()
    states = [session.state_hash()]
    session.update_context(PAYLOAD, actor="person")
    states.append(session.state_hash())
    session.update_context({"reason": "r", "operations": [ARCHIVE, {"op": "restore", "ids": ["toolResult@1"]}]})
    applied, refused = (event.data for event in session.governance.journal())
    assert (applied["actor"], applied["applied"], applied["ok"]) == ("person", 1, True)
    assert (applied["before"], applied["after"]) == (states[0], states[1])
    assert refused["rejections"] == [[1, "not_offloaded"]]
    assert refused["before"] == refused["after"] == states[1]
    text = session._recorder.content(bytes.fromhex(refused["operations"])).decode()
    assert "not_offloaded" not in text
    assert "restore" in text
    lines = session.begin("/cpat journal").output or ""
    assert lines.splitlines()[0].startswith("turn 2, person: 1 applied")
    assert "refused: not_offloaded" in lines


def test_a_refused_transaction_is_none_to_undo() -> None:
    session = governed.governed()
    session.update_context({"reason": "r", "operations": [{"op": "restore", "ids": ["toolResult@1"]}]})
    session.update_context({"reason": "r", "operations": []})
    with pytest.raises(SessionError) as error:
        session.undo()
    assert error.value.code == "nothing_to_undo"


def test_without_operations_there_is_nothing_to_govern_with() -> None:
    session = Session.create(load_program({"name": "plain"}))
    with pytest.raises(SessionError) as error:
        session.update_context(PAYLOAD)
    assert error.value.code == "no_operations"
    session.begin("hello")
    session.request()
    session.add_reply(Reply("", calls=(ToolCall("c", "context_update", PAYLOAD),)))
    assert session.serve("c") is None


def test_a_flag_opens_a_gate() -> None:
    session = Session.create(governed.program(gates=()), flags=GovernanceFlags(allow=frozenset({"replace"})))
    governed.talk(session, "hello")
    assert governed.operate(session, {"op": "replace", "ids": ["assistant@1"], "content": "d"}).ok


@pytest.fixture
def own(tmp_path: Path) -> Session:
    (tmp_path / "mine.ops").write_text(NINTH, "utf-8")
    path = tmp_path / "rules.yaml"
    path.write_text("name: own\nlife_cycle: {toolResult: [born, null]}\ngovernance: {ops: [cpat, mine.ops]}\n", "utf-8")
    session = Session.create(load_program(path), system="You are brief.")
    governed.talk(session, "Find the port.", [governed.LONG, "short"])
    return session


def test_an_operation_of_ones_own(own: Session) -> None:
    messages = own.messages()
    ids = ["toolCall@1", "toolResult@1"]
    refused = governed.operate(own, {"op": "set_aside", "ids": ["toolResult@1.2"]})
    assert [r.rule for r in refused.rejections] == ["too_small", "why_missing"]
    assert refused.rejections[0].message == "toolResult@1.2: not worth it"
    half = governed.operate(own, {"op": "set_aside", "ids": ["toolResult@1"], "why": "read"})
    assert [r.rule for r in half.rejections] == ["chain_atomicity"]
    state = own.state_hash()
    aside = governed.operate(own, {"op": "set_aside", "ids": ids, "why": "read"})
    assert aside.ok
    assert aside.freed_tokens > 600
    assert governed.operate(own, {"op": "take_up", "ids": ids}).ok
    assert own.messages() == messages
    own.undo(2)
    assert own.state_hash() == state


def test_one_that_bears_a_summary(own: Session) -> None:
    outcome = governed.operate(own, {"op": "note_down", "ids": ["toolCall@1", "toolResult@1"], "line": "8080"})
    assert outcome.ok, outcome.rejections
    assert {"role": "assistant", "content": "[noted]\n\n8080"} in own.messages()


@pytest.mark.parametrize("ids", [["user@1"], ["system@0"]])
def test_what_no_operation_may_do_is_refused_though_it_does_not_say_so(own: Session, ids: list[str]) -> None:
    outcome = governed.operate(own, {"op": "note_down", "ids": ids, "line": "8080"})
    assert {r.rule for r in outcome.rejections} <= {"protected_hidden", "protected_current_question", "protected_kind"}
    assert not outcome.ok


def test_something_is_left() -> None:
    session = Session.create(governed.program())
    note = session.add_entry("note", "nothing was said yet")
    outcome = governed.operate(session, {"op": "set_visibility", "ids": [note]})
    assert [r.rule for r in outcome.rejections] == ["empty_view"]


def test_what_a_person_keeps_is_the_persons(own: Session) -> None:
    own.keep("toolResult@1")
    outcome = governed.operate(own, {"op": "set_visibility", "ids": ["toolCall@1", "toolResult@1"]})
    assert [r.rule for r in outcome.rejections] == ["protected_kept"]


def test_a_slot_that_its_rule_retired_comes_back_and_stays() -> None:
    program = load_program({
        "name": "short", "life_cycle": {"toolResult": ["born", "born"], "toolCall": ["born", "born"]},
        "governance": {"ops": "cpat"},
    })  # fmt: skip
    session = Session.create(program)
    governed.talk(session, "Find it.", [governed.LONG])
    governed.talk(session, "And?")
    state = session.state_hash()
    back = {"op": "set_visibility", "ids": ["toolCall@1", "toolResult@1"], "visibility": "model"}
    outcome = governed.operate(session, back)
    assert outcome.ok, outcome.rejections
    assert outcome.delta_tokens > 600
    governed.talk(session, "So?")
    assert governed.LONG in str(session.messages()) or "nobody will read" in str(session.messages())
    session.undo_transaction(outcome.transaction)
    assert "nobody will read" not in str(session.messages())
    assert session.state_hash() != state


def test_cpat_shows_how_full_it_is() -> None:
    session = governed.governed(max_context=10_000)
    session.update_context(PAYLOAD)
    shown = session.begin("/cpat").output or ""
    assert "governance: on" in shown
    assert "of 10,000" in shown
    assert "1 archived" in shown
    assert "1 applied, 0 refused" in shown
    assert "learned: k 1.00" in shown
    assert "a prompt is k times what is counted, and b more; no reply has told its tokens yet" in shown


def test_cpat_tells_what_the_operations_that_stand_have_freed() -> None:
    session = governed.governed()
    note = {"description": "d", "content": "c", "retrieval_hint": "h"}
    kept = governed.operate(session, {"op": "set_visibility", "ids": ["assistant@1"]})
    governed.operate(session, {"op": "payload_offload", "ids": ["toolResult@1"], **note})
    shown = session.begin("/cpat").output or ""
    assert "slots: 12 in view (1 of them shortened), 1 archived, 0 hidden; 13 born in all" in shown
    assert session.begin("/cpat undo").output == "taken back: #17"
    shown = session.begin("/cpat").output or ""
    assert f"2 applied, 0 refused, 1 undone; {kept.freed_tokens} tokens freed by those that stand" in shown
    assert session.begin("/cpat undo 5").output == "taken back: #16; no more than 1 could be"
    assert "newest of all: " in (session.begin("/cpat why nothing@1").output or "")
