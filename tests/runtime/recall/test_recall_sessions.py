"""Recall as a host sees it: the tool's declaration, a new process, contents that are gone."""

from __future__ import annotations

import pytest

from dcc.compiler.load import load_program
from dcc.runtime.errors import StoreError
from dcc.runtime.recall.tool import schema
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.memory import MemoryStore

RULES = load_program({"life_cycle": {"user": ["born", "born"]}, "recall": {"type": "grep", "search_fields": ["user"]}})


def talk(session: Session, *texts: str) -> None:
    for text in texts:
        session.begin(text)
        session.request()
        session.add_reply(Reply("ok"))
        session.commit()


def test_a_new_process_finds_what_the_old_one_did() -> None:
    store = MemoryStore()
    session = Session.create(RULES, store=store)
    talk(session, "red apples", "green apples", "tea")
    found = session.recall("apples")
    assert found.lines == ("[retired] 第2轮 user：green apples", "[retired] 第1轮 user：red apples")
    assert Session.open(store, RULES).recall("apples") == found


def test_what_was_purged_is_not_found_and_no_trouble() -> None:
    class Purged(MemoryStore):
        def content(self, digest: bytes) -> bytes:
            data = super().content(digest)
            if b"secret" in data:
                raise StoreError("missing_content", "purged")
            return data

    store = Purged()
    session = Session.create(RULES, store=store)
    talk(session, "the secret is 12", "well then")
    session = Session.open(store, RULES)
    talk(session, "the tea is 12")
    assert [hit.slot for hit in session.recall("12").hits] == ["user@3"]


def test_a_host_runs_its_own_tools() -> None:
    session = Session.create(RULES)
    session.begin("hello")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "read", {}), ToolCall("c2", "dc_recall", {"query": "hello"}))))
    assert session.serve("c1") is None
    served = session.serve("c2")
    assert served is not None
    assert (served.content, served.is_error) == ('no ledger hits for "hello"', False)


@pytest.mark.parametrize(("format", "key"), [("openai", "parameters"), ("anthropic", "input_schema")])
def test_the_tool_is_declared_as_each_provider_wants_it(format: str, key: str) -> None:
    declared = schema("anthropic" if format == "anthropic" else "openai")
    tool = declared["function"] if format == "openai" else declared
    assert (tool["name"], tool[key]["required"]) == ("dc_recall", ["query"])


def test_a_long_slot_is_cut_in_its_line() -> None:
    session = Session.create(RULES)
    talk(session, "apples " + "x" * 10_000)
    (line,) = session.recall("apples").lines
    assert len(line) < 4_100
    assert line.endswith(" [… 6007 characters left out]")
