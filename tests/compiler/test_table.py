"""The visibility table: turns, `until <event>`, `n calls`."""

from __future__ import annotations

from dcc.compiler.load import load_program
from dcc.compiler.table import table_document, table_text, visibility

PROGRAM = load_program(
    {
        "life_cycle": {
            "system": [1, None],
            "late": ["born+1", "born+2"],
            "fixed": [2, 3],
            "goalish": ["born", "until_goal_end"],
            "brief": {"end": "born+4 calls"},
            "short": {"end": "born+1", "retire": "offload"},
            "few": {"end": 3, "keep_last": 2},
            "read": {
                "of": "toolResult",
                "match": {"tool": "read"},
                "end": "idle+60 calls",
                "supersede": True,
            },
        }
    }
)


def _seen(element: str, born: int) -> tuple[list[int], str | None]:
    seen = visibility(PROGRAM.row(element), born)
    return seen.turns(5), seen.until


def test_turns_of_a_slot() -> None:
    assert _seen("system", 0) == ([1, 2, 3, 4, 5], None)
    assert _seen("user", 2) == ([2, 3, 4, 5], None)
    assert _seen("toolResult", 1) == ([1, 2, 3, 4, 5], None)
    assert _seen("recall", 3) == ([3], None)
    assert _seen("late", 1) == ([2, 3], None)
    assert _seen("fixed", 1) == ([2, 3], None)
    assert _seen("fixed", 3) == ([3], None)
    assert _seen("fixed", 4) == ([], None)


def test_events_and_calls() -> None:
    assert _seen("goalish", 1)[1] == "until goal ends"
    assert _seen("brief", 1)[1] == "4 calls"
    assert _seen("read", 1)[1] == "until idle for 60 calls or until superseded"


def test_a_ceiling_is_told() -> None:
    hint = {"at_most": 1, "end": "born+2", "retire": "stub"}
    rows = load_program({"life_cycle": {"note": {"at_most": 5}, "hint": hint}})
    assert visibility(rows.row("note"), 1).until == "until 5 newer ones are there"
    until = visibility(rows.row("hint"), 1).until
    assert until == "until its turns are over or until 1 newer one is there, then a stub"


def test_an_event_ends_all_at_once() -> None:
    entry = {"end": "until_goal_end", "retire": "stub", "keep_last": 2}
    assert visibility(load_program({"life_cycle": {"note": entry}}).row("note"), 1).until == "until goal ends"
    capped = load_program({"life_cycle": {"note": {**entry, "at_most": 4}}}).row("note")
    assert visibility(capped, 1).until == "until goal ends or until 4 newer ones are there, then a stub"


def test_the_document() -> None:
    document = table_document(PROGRAM, 3)
    rows = {row["element"]: row for row in document["elements"]}
    assert (document["schema_version"], document["turns"]) == (1, 3)
    assert rows["late"]["born"] == [
        {"born": 1, "turns": [2, 3], "until": None},
        {"born": 2, "turns": [3], "until": None},
        {"born": 3, "turns": [], "until": None},
    ]
    assert (rows["read"]["of"], rows["read"]["end"]) == ("toolResult", "idle+60 calls")


def test_the_text() -> None:
    lines = {line.split("  ")[0]: line.split() for line in table_text(PROGRAM, 2).splitlines()}
    assert lines["late"][-2:] == ["2-3", "3-4"]
    assert lines["fixed"][-2:] == ["2-3", "2-3"]
    assert lines["user"][-2:] == ["1-", "2-"]


def test_what_is_reduced_or_among_the_newest_stays_on_stage() -> None:
    assert _seen("short", 3) == ([3, 4, 5], "until its turns are over, then a ref")
    assert _seen("few", 4) == ([4, 5], "until its turns are over, but the newest 2 stay")
