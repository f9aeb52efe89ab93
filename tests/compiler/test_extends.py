"""``extends``: later wins key by key; findings stand in the file that holds the value."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcc.compiler.load import CompileError, check_source, load_program
from dcc.grammar.ast import OPEN, Bound


def _write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def test_later_wins_key_by_key(tmp_path: Path) -> None:
    _write(
        tmp_path,
        a="life_cycle:\n  x: {end: born+1, retire: stub}\n  y: [born, born+1]\n",
        b="life_cycle:\n  x: {end: born+2}\n",
        main="extends: [a.yaml, b.yaml]\nlife_cycle:\n  y: [born, null]\n",
    )
    program = load_program(tmp_path / "main.yaml")
    assert program.row("x").rule.end == Bound("born", 2)
    assert program.row("x").retire == "stub"
    assert program.row("y").rule.end == OPEN
    assert program.name == "main"


def test_a_shipped_name_and_one_name_without_a_list(tmp_path: Path) -> None:
    _write(tmp_path, main="extends: standard\n")
    assert load_program(tmp_path / "main.yaml").folds == ("user", "assistant", "think")


def test_paths_are_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    _write(tmp_path, base="life_cycle: {x: [born, born+7]}\n", main="extends: [sub/mid.yaml]\n")
    _write(tmp_path / "sub", mid="extends: [../base.yaml]\n")
    assert load_program("main.yaml", folder=tmp_path).row("x").rule.end == Bound("born", 7)


def test_a_base_that_was_changed_is_read_anew(tmp_path: Path) -> None:
    _write(tmp_path, base="life_cycle: {x: [born, born+1]}\n", main="extends: [base.yaml]\n")
    assert load_program(tmp_path / "main.yaml").row("x").rule.end == Bound("born", 1)
    _write(tmp_path, base="life_cycle: {x: [born, born+2]}\n")
    assert load_program(tmp_path / "main.yaml").row("x").rule.end == Bound("born", 2)


def test_what_many_rulesets_extend_is_not_changed_by_one_of_them(tmp_path: Path) -> None:
    _write(
        tmp_path,
        base="life_cycle: {x: {end: born+1}}\n",
        a="extends: [base.yaml]\nlife_cycle: {x: {retire: stub}}\n",
        b="extends: [base.yaml]\n",
    )
    assert load_program(tmp_path / "a.yaml").row("x").retire == "stub"
    assert load_program(tmp_path / "b.yaml").row("x").retire == "drop"


def test_a_circle_is_a_finding(tmp_path: Path) -> None:
    _write(tmp_path, a="extends: [b.yaml]\n", b="extends: [a.yaml]\n")
    with pytest.raises(CompileError) as caught:
        load_program(tmp_path / "a.yaml")
    assert [(d.code, Path(d.path).name) for d in caught.value.diagnostics] == [("DCC105", "b.yaml")]


def test_a_diamond_is_no_circle(tmp_path: Path) -> None:
    _write(
        tmp_path,
        base="life_cycle: {x: [born, born]}\n",
        a="extends: [base.yaml]\n",
        b="extends: [base.yaml]\n",
        main="extends: [a.yaml, b.yaml]\n",
    )
    assert load_program(tmp_path / "main.yaml").row("x").rule.end == Bound("born")


def test_a_finding_stands_in_the_file_that_holds_the_value(tmp_path: Path) -> None:
    _write(tmp_path, base="settle: {every: often}\n", main="extends: [base.yaml]\n")
    main = tmp_path / "main.yaml"
    (found,) = check_source(str(main), main.read_bytes()).diagnostics
    assert (found.code, found.path, found.start.column) == ("DCC103", str(tmp_path / "base.yaml"), 17)


def test_a_base_that_does_not_parse_is_reported_in_its_own_file(tmp_path: Path) -> None:
    _write(tmp_path, base="a: [\n", main="extends: [base.yaml]\n")
    main = tmp_path / "main.yaml"
    (found,) = check_source(str(main), main.read_bytes()).diagnostics
    assert (found.code, found.path) == ("DCC003", str(tmp_path / "base.yaml"))


def test_the_digest_covers_every_source(tmp_path: Path) -> None:
    _write(tmp_path, base="life_cycle: {x: [born, born]}\n", main="extends: [base.yaml]\n")
    before = load_program(tmp_path / "main.yaml").digest
    assert load_program(tmp_path / "main.yaml").digest == before
    _write(tmp_path, base="life_cycle: {x: [born, born]}  # changed\n")
    assert load_program(tmp_path / "main.yaml").digest != before


def test_name_is_put_in_for_its_hole(tmp_path: Path) -> None:
    _write(tmp_path, mine="name: <YamlName>\ndataset:\n  kwargs:\n    path: ../${name}\n")
    program = load_program(tmp_path / "mine.yaml")
    assert program.name == "mine"
    assert program.sections["dataset"]["kwargs"]["path"] == "../mine"


def test_a_path_in_an_inline_ruleset_starts_at_its_folder_whatever_it_extends(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "base.yaml").write_text("governance: {ops: cpat}\n")
    (tmp_path / "mine.ops").write_text('op mine { "Mine." ids: slots "the slots" effect hold archived }\n')
    inline = {"extends": ["rules/base.yaml"], "governance": {"ops": ["mine.ops"]}}
    program = load_program(inline, folder=tmp_path)
    assert program.ops is not None
    assert list(program.ops.ops) == ["mine"]
