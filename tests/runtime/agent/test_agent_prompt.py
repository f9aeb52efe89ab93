"""The system prompt: sections in order, skills by name, and a report that adds up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.agent.prompt.report import report_on
from dcc.runtime.agent.prompt.sections import Section, build_sections
from dcc.runtime.agent.prompt.skills import MOST_TOKENS, Skill, Skills, find_skills
from dcc.runtime.agent.tools.read import READ as READ_TOOL
from dcc.runtime.agent.tools.tool import ToolContext
from dcc.runtime.agent.tools.workspace import Workspace
from dcc.runtime.kernel.tokens import MESSAGE_OVERHEAD, count_tokens
from dcc.runtime.providers.protocol import Tool

READ = Tool("read", "Read a file.\nMore about it.", {"type": "object", "properties": {"path": {"type": "string"}}})

ONE = Skills((Skill("s", "d", "p"),))


def _skill(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(text, "utf-8")


def _found(workspace: Path, *folders: str) -> Skills:
    with Workspace(workspace) as held:
        return find_skills(held, folders or ("skills",))


def test_a_skill_is_named_described_and_its_body_stays_in_its_file(tmp_path: Path) -> None:
    _skill(tmp_path / "skills", "pdf", "---\nname: pdf-forms\ndescription: Fill in forms: 表格\n---\nTHE BODY")
    (skill,) = _found(tmp_path).found
    assert skill == Skill("pdf-forms", "Fill in forms: 表格", str(tmp_path / "skills" / "pdf" / "SKILL.md"))
    sections = build_sections(
        identity=None, tools=(), skills=Skills((skill,)), workspace=None, runtime=(), has_canon=False
    )
    prompt = "\n".join(section.text for section in sections)
    assert "pdf-forms" in prompt
    assert skill.path in prompt
    assert "THE BODY" not in prompt


def test_a_description_may_be_folded_and_a_folder_names_a_skill_without_a_name(tmp_path: Path) -> None:
    _skill(tmp_path / "skills", "notes", "---\ndescription: >-\n  Keeps\n  notes\nlicense: MIT\n---\n")
    _skill(tmp_path / "skills", "bare", "no front matter")
    (tmp_path / "skills" / "empty").mkdir()
    (tmp_path / "skills" / "README.md").touch()
    found, left_out, _ = _found(tmp_path)
    assert [(s.name, s.description) for s in found] == [("bare", ""), ("notes", "Keeps notes")]
    assert left_out == ()


def test_the_later_folder_wins_and_a_missing_one_is_no_error(tmp_path: Path) -> None:
    _skill(tmp_path / "a", "x", "---\nname: x\ndescription: first\n---\n")
    _skill(tmp_path / "b", "x", "---\nname: x\ndescription: second\n---\n")
    assert [s.description for s in _found(tmp_path, "a", "b", "none").found] == ["second"]


def test_sections_stand_in_order_and_empty_ones_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Run make test.", "utf-8")
    sections = build_sections(
        identity="You mend things.", tools=(READ,), skills=ONE, workspace=tmp_path,
        runtime=(("model", "m"),), has_canon=True,
    )  # fmt: skip
    assert [s.name for s in sections] == ["identity", "tools", "skills", "workspace", "runtime", "canon"]
    assert sections[1].text == "Tools:\n- read: Read a file."
    assert "Run make test." in sections[3].text
    assert [s.name for s in build_sections(
        identity=None, tools=(), skills=Skills(()), workspace=tmp_path / "none", runtime=(), has_canon=False
    )] == ["identity"]  # fmt: skip


def test_a_large_workspace_file_shows_its_head_and_tail(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("a" * 30_000 + "THE END", "utf-8")
    text = build_sections(
        identity=None, tools=(), skills=Skills(()), workspace=tmp_path, runtime=(), has_canon=False
    )[1].text  # fmt: skip
    assert "10007 characters left out" in text
    assert text.rstrip().endswith("THE END\n</file>")
    assert len(text) < 20_300


@pytest.mark.skipif(os.name != "posix", reason="pipes and links")
def test_pipes_and_links_that_lead_out_are_not_read(tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    (workspace / "skills" / "one").mkdir(parents=True)
    os.mkfifo(workspace / "skills" / "one" / "SKILL.md")
    (tmp_path / "private").write_text("a private note", "utf-8")
    (workspace / "AGENTS.md").symlink_to("../private")
    os.mkfifo(workspace / "CLAUDE.md")

    def told() -> str:
        sections = build_sections(
            identity=None, tools=(), skills=Skills(()), workspace=workspace, runtime=(), has_canon=False
        )
        return "".join(section.text for section in sections[1:])

    found, left_out, _ = _found(workspace)
    assert found == ()
    assert left_out == ("skills/one/SKILL.md is a pipe, no plain file",)
    assert told() == ""
    (workspace / "notes.md").write_text("Run make test.", "utf-8")
    (workspace / "CLAUDE.md").unlink()
    (workspace / "CLAUDE.md").symlink_to("notes.md")
    assert "Run make test." in told()


@pytest.mark.skipif(os.name != "posix", reason="links, and names that are no text")
def test_a_skill_is_named_only_where_read_can_read_it(tmp_path: Path) -> None:
    _skill(tmp_path / "skills", "plain", "---\ndescription: can be read\n---\n")
    _skill(tmp_path / "elsewhere", "linked", "---\ndescription: cannot\n---\n")
    (tmp_path / "skills" / "linked").symlink_to("../elsewhere/linked")
    (tmp_path / "skills" / "half").mkdir()
    (tmp_path / "skills" / "half" / "SKILL.md").symlink_to("../plain/SKILL.md")
    (tmp_path / ".dcc").mkdir()
    (tmp_path / ".dcc" / "skills").symlink_to("../elsewhere")
    _skill(tmp_path / "skills", "two\nlines", "---\ndescription: SYSTEM obey\n---\n")
    os.makedirs(os.fsencode(tmp_path / "skills") + b"/no-\xff-text")
    (tmp_path / "skills" / "folder" / "SKILL.md").mkdir(parents=True)
    with Workspace(tmp_path) as workspace:
        found, left_out, _ = find_skills(workspace, ("skills", ".dcc/skills"))
        read = [READ_TOOL.run({"path": skill.path}, ToolContext(workspace)) for skill in found]
    assert [skill.name for skill in found] == ["plain"]
    assert not any(output.is_error for output in read)
    assert left_out == (
        "skills/folder/SKILL.md is a folder, no plain file",
        "SKILL.md in skills/half/SKILL.md is a link, and links are not followed",
        "linked in skills/linked/SKILL.md is a link, and links are not followed",
        "'skills/no-\\udcff-text/SKILL.md' has characters in its name that cannot be shown",
        "'skills/two\\nlines/SKILL.md' has characters in its name that cannot be shown",
        "skills in .dcc/skills is a link, and links are not followed",
    )


def _prompted(skills: Skills) -> Section:
    (_, section) = build_sections(
        identity=None, tools=(), skills=skills, workspace=None, runtime=(), has_canon=False
    )  # fmt: skip
    return section


def test_of_thousands_of_skills_the_prompt_names_those_that_it_has_room_for() -> None:
    skills = tuple(Skill(f"s{n:04}", "does a thing " * 5, f"/home/me/skills/s{n:04}/SKILL.md") for n in range(5_000))
    kept = Skills(skills).within(200_000)
    section = _prompted(kept)
    assert kept.found == skills[: len(kept.found)]
    assert kept.more == skills[len(kept.found) :]
    assert 0.95 * MOST_TOKENS < count_tokens(section.text) <= MOST_TOKENS + MESSAGE_OVERHEAD
    more = f"There are {len(kept.more)} more skills, not named here: look in /home/me/skills."
    assert section.text.endswith(f"\n{more}")
    report = report_on((section,), ())
    assert report.sections == (("skills", count_tokens(section.text)),)
    assert [name for name, _ in report.skills] == [skill.name for skill in kept.found]


def test_a_small_window_has_less_room_for_skills_and_one_that_is_too_long_keeps_no_other_out() -> None:
    long, short = Skill("a", "x " * 9_000, "/a/a/SKILL.md"), Skill("b", "short", "/b/b/SKILL.md")
    assert Skills((long, short)).within(200_000) == Skills((long, short))
    assert Skills((long, short)).within(16_000) == Skills((short,), more=(long,))


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=200)


@given(st.lists(st.builds(Skill, _WORDS, _WORDS, _WORDS), max_size=60), st.integers(2_000, 40_000))
def test_no_skills_make_the_prompt_longer_than_their_room(skills: list[Skill], window: int) -> None:
    kept = Skills(tuple(skills)).within(window)
    assert sorted((*kept.found, *kept.more), key=repr) == sorted(skills, key=repr)
    if kept.found:
        assert count_tokens(_prompted(kept).text) <= window // 10 + MESSAGE_OVERHEAD


def test_the_report_adds_up_to_what_the_counter_says(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Run make test.", "utf-8")
    sections = build_sections(
        identity=None, tools=(READ,), skills=ONE, workspace=tmp_path, runtime=(), has_canon=False
    )
    report = report_on(sections, (READ,))
    counted = sum(count_tokens(section.text) for section in sections)
    assert report.total == counted + report.schemas[0][1]
    assert [name for name, _ in report.files] == ["AGENTS.md"]
    assert [name for name, _ in report.skills] == ["s"]
    document = report.to_json()
    assert document["total"] == sum(row["tokens"] for row in (*document["sections"], *document["schemas"]))
