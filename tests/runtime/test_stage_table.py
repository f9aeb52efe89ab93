"""The slot x turn table keeps its columns straight, whatever script the names are in."""

from dcc.runtime.view.table import stage_table, width_of


def test_a_row_a_slot_and_a_column_a_turn() -> None:
    rows = {"user@1": ["full", "full", "off"], "toolResult@2": [None, "ref", "stub"]}
    assert stage_table(["1", "2", "next"], rows) == [
        "             1 2 next",
        "user@1       # #    .",
        "toolResult@2   r    s",
    ]


def test_wide_names_are_aligned() -> None:
    first, second = stage_table(["1"], {"目标@1": ["full"], "goal_@1": ["off"]})[1:]
    assert width_of(first) == width_of(second)
    assert (first, second) == ("目标@1  #", "goal_@1 .")


def test_combining_marks_take_no_column() -> None:
    assert width_of("e\u0301") == 1


def test_nothing_to_show() -> None:
    assert stage_table([], {}) == [""]
