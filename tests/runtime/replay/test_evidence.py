"""Evidence: whether the text that an edit replaces could still be seen by the model that wrote the edit."""

from __future__ import annotations

from typing import Any

import pytest
from recordings import got, recording, say, turn, use

from dcc.compiler.load import load_program
from dcc.runtime.hosts.recording import Reply, Turn, Usage
from dcc.runtime.replay.evidence import Kept, find_evidence, kept_evidence, lines_of
from dcc.runtime.replay.history import read_history
from dcc.runtime.replay.run import replay

FILE = "def height(hours):\n    return total(hours)\n\n    x = 1\n"
EDIT = {"path": "tide.py", "oldText": "    return total(hours)", "newText": "    return total(hours, 2)"}


def judged(rules: Any, *turns: Turn) -> Kept:
    session = recording(*turns)
    history, kept = read_history(session)
    edits = find_evidence(history)
    assert kept_evidence(edits, history, kept).kept == len(edits), "keep-everything keeps all of it"
    return kept_evidence(edits, history, replay(session, load_program(rules), slots=history.ids))


READ = turn("look", use("c1", "read", path="tide.py"), got("c1", FILE), say("seen"))
EDITED = turn("fix it", use("c2", "edit", **EDIT), got("c2", "ok", "edit"), say("fixed"))
KEEP: dict[str, Any] = {"life_cycle": {"toolResult": ["born", None]}}
SHORT: dict[str, Any] = {"life_cycle": {"toolResult": ["born", "born"]}}


def test_lines_are_stripped_distinct_and_tell_something() -> None:
    old = "  return total\n\treturn total  \n\n}\nx = 1\na b c d e f g h i\na b c d e f g h\n"
    assert lines_of(old) == {"return total", "a b c d e f g h i"}


def test_an_edit_of_what_is_on_stage_is_kept() -> None:
    assert judged(KEEP, READ, EDITED) == Kept(1, 1, 1)


def test_an_edit_of_what_has_left_is_not() -> None:
    assert judged(SHORT, READ, EDITED) == Kept(1, 0, 0)


def test_content_that_is_reduced_does_not_count() -> None:
    offload = {"life_cycle": {"toolResult": {"end": "born+1 calls", "retire": "offload"}}}
    long = turn("look", use("c1", "read", path="tide.py"), got("c1", FILE * 9), say("seen"))
    assert judged(offload, long, EDITED).kept == 0


@pytest.mark.parametrize(
    "source",
    [
        turn("please change `return total(hours)` in it", say("which one?")),
        turn("look", say("there is `return total(hours)`")),
        turn("write", use("c1", "write", path="tide.py", content=FILE), got("c1", "ok", "write"), say("done")),
    ],
    ids=["a person's text", "a reply", "an argument of a call"],
)
def test_what_is_no_result_counts_but_not_for_results_alone(source: Turn) -> None:
    assert judged(KEEP, source, EDITED) == Kept(1, 1, 0)


def test_lines_may_come_from_several_slots() -> None:
    two = {**EDIT, "oldText": "first line here\nsecond line here\n"}
    turns = turn("a: first line here", say("and: second line here")), turn("fix", use("c2", "edit", **two))
    assert judged(KEEP, *turns) == Kept(1, 1, 0)


def test_thinking_never_counts() -> None:
    thought = Reply("hm", "it must be: return total(hours)", (), Usage(), "stop")
    assert judged(KEEP, turn("look", thought), EDITED) == Kept(0, 0, 0)


def test_what_is_born_with_the_edit_or_later_does_not_count() -> None:
    assert judged(KEEP, EDITED, READ) == Kept(0, 0, 0)


def test_an_edit_without_telling_lines_does_not_count() -> None:
    small = turn("fix", use("c2", "edit", path="tide.py", oldText="x = 1", newText="x = 2"))
    assert judged(KEEP, READ, small) == Kept(0, 0, 0)


@pytest.mark.parametrize(
    ("tool", "argument"), [("edit", "oldText"), ("Edit", "old_string"), ("str_replace_editor", "old_str")]
)
def test_edit_tools(tool: str, argument: str) -> None:
    arguments = {argument: EDIT["oldText"]}
    assert judged(KEEP, READ, turn("fix", use("c2", tool, **arguments))) == Kept(1, 1, 1)
