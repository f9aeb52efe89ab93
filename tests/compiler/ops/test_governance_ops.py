"""``governance.ops``: how a ruleset comes to its operations."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dcc.compiler.files import check_file
from dcc.compiler.load import CompileError, check_source, load_program
from dcc.compiler.ops.decisions import decisions
from dcc.compiler.ops.tool_schema import context_update
from dcc.compiler.program import Program

NINTH = """
op put_away reversed by set_visibility gate tidy {
  "Archive results."
  ids: slots
  refuse not_a_result when any(target.kind != toolResult) "{ids}: no tool result"
  effect hold archived
}
"""
TIGHTER = "op restore reversed by payload_offload { ids: slot effect represent full }\n"


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_a_shipped_name() -> None:
    program = load_program({"governance": {"ops": "cpat"}})
    assert program.ops is not None
    assert list(program.ops.ops)[:2] == ["set_visibility", "payload_offload"]


def test_no_ops_no_table() -> None:
    assert load_program("standard").ops is None
    assert load_program({"governance": {"window": 100_000}}).ops is None


def test_a_ninth_op_needs_no_python(tmp_path: Path) -> None:
    write(tmp_path, rules_yaml="governance: {ops: [cpat, mine.ops], gates: [tidy]}\n", mine_ops=NINTH)
    program = load_program(tmp_path / "rules.yaml")
    assert program.ops is not None
    assert len(program.ops.ops) == 9
    offered = context_update(program.ops, "openai", ("tidy",))
    enum = offered["function"]["parameters"]["properties"]["operations"]["items"]["properties"]["op"]["enum"]
    assert enum[-1] == "put_away"
    rows = {row.kind: row.result for row in decisions(program.ops) if row.op == "put_away"}
    assert (rows["toolResult"], rows["user"]) == ("allowed", "not_a_result")


def test_of_two_ops_of_a_name_the_later_counts(tmp_path: Path) -> None:
    write(tmp_path, mine_ops=TIGHTER)
    types = []
    for names in (["cpat", "mine.ops"], ["mine.ops", "cpat"]):
        table = load_program({"governance": {"ops": names}}, folder=tmp_path).ops
        assert table is not None
        assert len(table.ops) == 8
        types.append(table.ops["restore"].args[0].type)
    assert types == ["slot", "slots"]


def test_a_path_starts_where_it_is_written(tmp_path: Path) -> None:
    write(
        tmp_path,
        base__rules_yaml="governance: {ops: mine.ops, gates: [tidy]}\n",
        base__mine_ops=NINTH,
        rules_yaml="extends: [base/rules.yaml]\n",
    )
    program = load_program(tmp_path / "rules.yaml")
    assert program.ops is not None
    assert list(program.ops.ops) == ["put_away"]


def test_the_program_as_json_holds_them(tmp_path: Path) -> None:
    write(tmp_path, mine_ops=NINTH)
    program = load_program({"governance": {"ops": ["cpat", "mine.ops"]}}, folder=tmp_path)
    assert Program.from_json(program.to_json()) == program


def test_the_digest_tells_a_changed_op(tmp_path: Path) -> None:
    digests = set()
    for text in (NINTH, NINTH.replace("archived", "hidden")):
        write(tmp_path, mine_ops=text)
        digests.add(load_program({"governance": {"ops": "mine.ops"}}, folder=tmp_path).digest)
    assert len(digests) == 2
    plain = {"life_cycle": {"goal": ["born", None]}}
    assert load_program(plain).digest == load_program(dict(plain)).digest


@pytest.mark.parametrize(
    ("ops", "name"),
    [
        ("cpta", "ops-not-found"),
        ("[cpat, none.ops]", "ops-not-found"),
        (".", "ops-not-found"),
        ("broken.ops", "ops-broken"),
        ("alone.ops", "ops-reverse"),
    ],
)
def test_what_is_wrong_with_naming_them(ops: str, name: str, tmp_path: Path) -> None:
    write(
        tmp_path,
        broken_ops="op note { ids: slots effect hold archieved }",
        alone_ops="op note reversed by restore { ids: slots effect hold archived }",
    )
    path = tmp_path / "rules.yaml"
    found = check_source(str(path), f"governance: {{ops: {ops}}}\n").diagnostics
    assert [d.name for d in found] == [name]
    assert found[0].help


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ops")
    with pytest.raises(CompileError, match="pipe"):
        load_program({"governance": {"ops": "pipe.ops"}}, folder=tmp_path)


def test_ops_with_errors_are_not_compiled(tmp_path: Path) -> None:
    write(tmp_path, mine_ops="op note { ids: slots effect hold archieved }")
    with pytest.raises(CompileError, match="DCC622"):
        load_program({"governance": {"ops": "mine.ops"}}, folder=tmp_path)


def test_a_finding_in_an_ops_file_is_silenced_where_it_stands() -> None:
    text = 'op note {\n  ids: slots\n  refuse no when any(target.kind == Summary) "TEXT" REST\n  effect lift\n}\n'
    inside = text.replace("TEXT", "# dcc: ignore[ops-kind]").replace("REST", "")
    assert [d.name for d in check_file("a.ops", inside).diagnostics] == ["ops-kind"]
    result = check_file("a.ops", text.replace("REST", "# dcc: ignore[ops-kind] an element of ours"))
    assert (result.diagnostics, [d.name for d in result.silenced]) == ((), ["ops-kind"])


def test_a_comment_that_silences_nothing_is_told() -> None:
    text = "op note {  # dcc: ignore[ops-kind]\n  ids: slots\n  effect lift\n}\n"
    assert [d.name for d in check_file("a.ops", text).diagnostics] == ["unused-ignore"]
