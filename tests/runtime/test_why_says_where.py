"""``why`` names the line that caused a birth: the rule in its file, or the patch as it was typed."""

from __future__ import annotations

from pathlib import Path

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.session import Reply, Session

RULES = "life_cycle:\n  user: [born, null]\n  goal: [born, null]\n"


def test_a_birth_names_its_rule_and_a_patch_its_line(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, "utf-8")
    session = Session.create(Program.from_json(load_program(tmp_path / "rules.yaml").to_json()))
    session.begin("hello /goal 翻译 remain 2")
    session.request()
    session.add_reply(Reply("ok"))
    session.commit()
    assert session.why("user@1")[0].text.endswith(", by the rule in rules.yaml:2")
    assert session.why("goal@1")[0].text.endswith(", by the line `/goal 翻译 remain 2`")


def test_a_rule_that_stands_in_no_file_has_no_place() -> None:
    session = Session.create(load_program({"life_cycle": {"user": ["born", None]}}))
    session.begin("hello")
    session.request()
    session.add_reply(Reply("ok"))
    session.commit()
    assert "rule in" not in session.why("user@1")[0].text
