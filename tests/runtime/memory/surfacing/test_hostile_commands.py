"""Commands and names of tools that are made to hold a session up or to break it: each is read in one go."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcc.runtime.memory.surfacing.mutations import mutates
from dcc.runtime.memory.surfacing.paths import MOST, paths_in
from dcc.runtime.memory.surfacing.shell import shell_changes
from dcc.runtime.memory.surfacing.words import LONGEST

MANY = 200_000

#: As many words as are read of a command.
WORDS = LONGEST // 11


@pytest.mark.parametrize(
    ("command", "changes"),
    [
        pytest.param("cat <<EOF\n" + "\n" * MANY + "x", False, id="a here-document of empty lines"),
        pytest.param("<<A " * MANY, False, id="here-documents without a line"),
        pytest.param(f"{'$(' * MANY}rm x{')' * MANY}", False, id="substitutions in substitutions"),
        pytest.param("$(" * MANY, False, id="substitutions never closed"),
        pytest.param('"$(' * MANY, False, id="quotes and substitutions never closed"),
        pytest.param(f"find {'-exec find ' * MANY}", False, id="find that runs find"),
        pytest.param(f"{'xargs ' * WORDS}rm x", True, id="xargs of xargs"),
        pytest.param(f"{'sudo -u a ' * WORDS}rm x", True, id="sudo of sudo"),
        pytest.param(f"{'A=1 ' * WORDS}rm x", True, id="assignments"),
        pytest.param(f"{'eval ' * WORDS}rm x", True, id="eval of eval"),
    ],
)
def test_a_command_made_to_hold_a_session_up_is_read(command: str, changes: bool) -> None:
    assert shell_changes(command) is changes


@pytest.mark.parametrize("command", ["find . -exec rm {} \\;", "find . -exec ls {} + -exec rm {} +", "find -ok rm x"])
def test_every_command_of_find_is_looked_at(command: str) -> None:
    assert shell_changes(command)


@pytest.mark.parametrize("command", ["find . -name rm", "find . -exec grep x {} \\; -name rm", "echo $(ls $(pwd))"])
def test_what_find_does_not_run_is_none(command: str) -> None:
    assert not shell_changes(command)


def test_a_here_document_ends_at_its_word_whatever_the_line_ends() -> None:
    assert not shell_changes("cat <<'A'\nrm x\nA\nls")
    assert shell_changes("cat <<A\nls\n\tA\t\nrm x")
    assert shell_changes("cat <<A\r\nls\r\nA\r\nrm x")


def test_a_name_of_a_tool_may_have_any_length() -> None:
    assert mutates(f"{'aB' * MANY}_str_replace_based_edit_tool", {})
    assert not mutates("aB" * MANY, {})


def test_only_the_beginning_of_a_command_is_read_and_none_of_a_here_document() -> None:
    assert not shell_changes(f"{'echo x; ' * (LONGEST // 8)}rm x")
    assert shell_changes(f"cat <<A\n{'x' * LONGEST}\nA\nrm x")


def test_paths_are_looked_for_in_a_part_of_a_text_without_an_end(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert paths_in({"x": "a/b " * 5_000_000}, str(tmp_path)) == (f"{tmp_path}/a/b",)
    assert len(paths_in({"x": " ".join(f"a/{n}" for n in range(1_000_000))}, str(tmp_path))) == MOST
