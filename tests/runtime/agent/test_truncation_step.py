"""Truncation in a session: results too large for the window keep head and tail, and come back whole by an undo."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pictures import picture

from dcc.compiler.load import load_program
from dcc.runtime.kernel.changes import representing
from dcc.runtime.kernel.content import Content, Text
from dcc.runtime.session import GovernanceFlags, Reply, Session, ToolCall
from dcc.runtime.store.memory import MemoryStore

PROGRAM = load_program({"name": "x", "life_cycle": {"toolResult": ["born", None]}})


def asked(results: Mapping[str, Content], window: int, store: MemoryStore | None = None) -> Session:
    """A session whose open turn has these results, none of them read yet, and nothing cuts them before a refusal."""
    session = Session.create(PROGRAM, store=store, flags=GovernanceFlags(window=window, on=False))
    session.begin("read them")
    session.request()
    session.add_reply(Reply(calls=tuple(ToolCall(i, "read", {"path": i}) for i in results)))
    for i, content in results.items():
        session.add_result(i, content)
    session.request()
    session.fail("context_overflow")
    return session


def shown(session: Session) -> list[str]:
    return [message["content"] for message in session.request().messages if message["role"] == "tool"]


LINES = "".join(f"{n:06d} a line of the log\n" for n in range(4_000)) + "exit code 1\n"


def test_an_oversized_result_keeps_its_head_and_its_tail() -> None:
    store = MemoryStore()
    session = asked({"a": "short", "b": LINES}, 16_000, store)
    assert session.recover("truncate_results")
    short, cut = shown(session)
    assert short == "short"
    assert len(cut) <= 16_000 * 0.3 * 4
    assert "000000 a line" in cut
    assert cut.rstrip().endswith("exit code 1")
    assert "characters left out" in cut
    address = cut[cut.index("artifact://") :].split()[0]
    assert session.artifact(address) == LINES
    assert [code for code, _ in session.take_happenings().notices] == ["truncated"]
    again = Session.open(store, PROGRAM)
    assert again.state_hash() == session.state_hash()
    assert shown(again) == [short, cut]
    again.fail("left")
    again.undo()
    assert shown(again) == ["short", LINES]


def test_what_is_refused_again_is_cut_further_until_only_its_address_is_left() -> None:
    session = asked({"b": LINES}, 16_000)
    lengths = [len(LINES)]
    while session.recover("truncate_results"):
        (cut,) = shown(session)
        lengths.append(len(cut))
        session.fail("context_overflow")
    assert len(lengths) > 2
    assert lengths == sorted(set(lengths), reverse=True)
    assert cut.startswith("artifact://")
    assert "\n" not in cut


def test_a_result_of_one_line_is_cut_within_it() -> None:
    text = json.dumps({"rows": [{"n": n, "name": f"row {n}"} for n in range(6_000)]})
    session = asked({"b": text}, 16_000)
    assert session.recover("truncate_results")
    (cut,) = shown(session)
    assert cut.splitlines()[1].startswith(text[:1_000])
    assert cut.endswith(text[-200:])


def test_many_results_of_middle_size_are_cut_together() -> None:
    results = {f"r{n}": "".join(f"{n} {i} a line\n" for i in range(700)) for n in range(6)}
    session = asked(results, 16_000)
    before = session.request().tokens
    session.fail("context_overflow")
    assert before > 12_000
    assert session.recover("truncate_results")
    assert session.request().tokens < before
    assert shown(session)[-1] == results["r5"]


def test_what_the_provider_refuses_is_too_long_whatever_the_window_is_thought_to_be() -> None:
    session = asked({"b": LINES}, 1_000_000)
    assert session.recover("truncate_results")


def test_kept_results_are_left_alone() -> None:
    session = asked({"b": LINES}, 16_000)
    session.keep("toolResult@1")
    assert not session.recover("truncate_results")


def test_an_image_stays_beside_the_text_that_is_cut_and_all_comes_back() -> None:
    """After a restart it is the same request and the same state; an undo brings the whole result back."""
    store = MemoryStore()
    content = (Text(LINES), picture(1), picture(2))
    session = asked({"b": content}, 16_000, store)
    whole = session.request("anthropic").messages
    session.fail("context_overflow")
    assert session.recover("truncate_results")
    cut = session.request("anthropic").messages
    text, *images = cut[-1]["content"][0]["content"]
    assert images == whole[-1]["content"][0]["content"][1:]
    assert len(text["text"]) < len(LINES) // 4
    assert session.artifact(text["text"].split()[0]) == content
    session.fail("context_overflow")
    again = Session.open(store, PROGRAM)
    assert again.state_hash() == session.state_hash()
    assert again.request("anthropic").messages == cut
    again.fail("left")
    again.undo()
    assert again.request("anthropic").messages == whole


def test_the_kept_images_are_part_of_the_state() -> None:
    """Two sessions that differ in nothing but an image that is shown are not in the same state."""
    hashes = set()
    for images in (0, 1, 2):
        session = asked({"b": (Text(LINES), picture(1), picture(2))}, 16_000)
        slot = session._recorder.ledger.slots["toolResult@1"]
        with session._recorder.transaction("pruning") as emit:
            emit("represented", **representing(slot, "ref", -2, preview=100, images=images))
        hashes.add(session.state_hash())
    assert len(hashes) == 3
