"""``load_program``: shipped names, paths, mappings; and what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcc.compiler.documents import shipped_names
from dcc.compiler.load import CompileError, load_program
from dcc.grammar.ast import BORN, OPEN, Bound


@pytest.mark.parametrize("name", shipped_names())
def test_shipped_rulesets_compile(name: str) -> None:
    assert load_program(name).name == name


def test_the_original_style_compiles() -> None:
    program = load_program(Path(__file__).parent / "original_style.yaml")
    assert program.name == "original_style"
    assert program.row("system").rule.start == Bound("turn", 1)
    assert program.required_elements == ("user", "assistant")
    assert program.sections["runtime"]["system"]["content"] == "Be brief."


def test_a_mapping() -> None:
    program = load_program({"name": "m", "life_cycle": {"x": ["born", "born+2"]}})
    assert (program.name, program.row("x").rule.end) == ("m", Bound("born", 2))


def test_a_mapping_with_errors_has_diagnostics() -> None:
    with pytest.raises(CompileError) as caught:
        load_program({"life_cycle": {"x": ["born"]}, "3": 4})
    assert [d.code for d in caught.value.diagnostics] == ["DCC101", "DCC202"]
    assert caught.value.code == "bad_ruleset"


@pytest.mark.parametrize("name", ["standrad", "no/such/file.yaml", ".", "a\0b"])
def test_what_cannot_be_read(name: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        load_program(name, folder=tmp_path)
    assert caught.value.code == "no_ruleset"
    assert caught.value.help


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("ruleset: standard\nsteps: [{user: hello, reply: hi}]\n", "a scenario"),
        ('{"ruleset": "standard", "steps": [{"user": "hello", "reply": "hi"}]}', "a scenario"),
        ('op put_away {\n  "Put away."\n  ids: slots "which"\n  effect hold archived\n}\n', "a file of operations"),
    ],
)
def test_a_file_of_another_kind_is_told_by_what_it_is(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "other").write_text(text)
    with pytest.raises(CompileError, match=f"other is {what}, and no ruleset") as caught:
        load_program("other", folder=tmp_path)
    assert (caught.value.code, caught.value.diagnostics) == ("bad_ruleset", ())
    assert caught.value.help


def test_what_ships_with_every_ruleset() -> None:
    program = load_program({})
    ends = {name: row.rule.end for name, row in program.elements.items()}
    assert ends["goal"] == ends["constraint"] == ends["task_state"] == ends["user"] == OPEN
    assert ends["toolResult"] == Bound("born", 5)
    assert ends["recall"] == BORN
    assert program.row("whatever").rule.end == OPEN
    assert program.patchable == {"goal", "constraint", "task_state"}
    assert program.folds is None
    assert program.ending_template is None


def test_roles_and_labels() -> None:
    program = load_program(
        {
            "life_cycle": {"read": {"of": "toolResult", "match": {"tool": "read"}}, "loop": {"of": "chain"}},
            "context": {"roles": {"plan": "assistant", "draft": "system"}},
            "answer": {"outputs": {"draft": {"role": "user"}, "aside": {"role": "assistant"}}},
        }
    )
    roles = {
        "system": "system",
        "user": "user",
        "assistant": "assistant",
        "toolResult": "tool",
        "goal": "user",
        "plan": "assistant",
        "draft": "system",
        "aside": "assistant",
        "new": "user",
        "read": "tool",
        "loop": "assistant",
    }
    assert {name: program.role_of(name) for name in roles} == roles
    labelled = {"system": False, "user": False, "assistant": False, "think": False, "toolResult": False,
                "read": False, "goal": True, "plan": True, "new": True}  # fmt: skip
    assert {name: program.labelled(name) for name in labelled} == labelled
    assert program.patchable == {"goal", "constraint", "task_state", "plan", "draft", "aside"}
    assert "read" not in program.declared


def test_roles_as_in_the_python_original() -> None:
    program = load_program({"roles": "python", "context": {"roles": {"goal": "user"}}})
    assert (program.role_of("goal"), program.labelled("goal")) == ("user", False)
    assert (program.role_of("constraint"), program.labelled("constraint")) == ("system", True)
    assert (program.role_of("user"), program.labelled("user")) == ("user", False)


def test_events_and_refinements() -> None:
    program = load_program(
        {
            "life_cycle": {
                "b": {"of": "toolResult", "match": {"tool": "b"}, "key": "args.p", "supersede": True},
                "x": ["born", "until_goal_end"],
                "y": ["born", "until_end(x)"],
                "z": ["born", "until_superseded"],
                "a": {"of": "toolResult", "match": {"tool": ["p", "q"], "args.f": "/^s/", "tokens": ">= 9"}},
            }
        }
    )
    assert program.events == {
        "until_goal_end": ("x",),
        "until_end(x)": ("y",),
        "until_superseded": ("z", "b"),
    }
    assert [row.name for row in program.refinements_of("toolResult")] == ["b", "a"]
    tests = [(m.field, m.test, m.values) for m in program.row("a").match]
    assert tests == [
        ("tool", "equal", ("p", "q")),
        ("args.f", "regex", ("^s",)),
        ("tokens", "at_least", (9,)),
    ]
