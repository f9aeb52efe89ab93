"""The gates of presence: each in a conversation that is reported as text, and its twin in a session with a ledger.

Of gates 48 and 52 the twins say that any slot that is folded, however short, brings the line back on the next touch.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from canon_project import TODAY, Project
from canon_talk import LedgerTalk, TextTalk, line

CONFIG, OTHER = "src/core/config.ts", "src/core/other.ts"
SHOWN = line("src/core/config", "Env wins.")

#: An end that several articles share, longer than a mark.
FOOTER = "Decided after the incident of last spring, and to be kept until somebody measures something else. " * 3


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "proj")
    made.write("src/core/config", capsule="Env wins.", body="# Config\n\nThe file is read first.\n\nThen the rest.")
    return made


@pytest.fixture
def talk(project: Project) -> TextTalk:
    return TextTalk(project)


@pytest.fixture
def ledger(project: Project) -> LedgerTalk:
    return LedgerTalk(project)


def test_gate_41_what_is_still_seen_does_not_surface_again(talk: TextTalk) -> None:
    assert talk.touch(CONFIG) == [SHOWN]
    talk.see("Go.", f"[canon] ...\n{SHOWN}")
    assert talk.status == (1, 1, len(SHOWN))
    assert talk.touch(CONFIG) == []


def test_gate_41_in_a_session(ledger: LedgerTalk) -> None:
    assert ledger.touch(CONFIG) == [SHOWN]
    assert ledger.status == (1, 1, len(SHOWN))
    assert ledger.touch(CONFIG) == []
    ledger.answer()
    ledger.begin()
    assert ledger.touch(CONFIG) == []


def test_gate_42_what_was_folded_surfaces_on_the_next_touch(talk: TextTalk) -> None:
    talk.touch(CONFIG)
    talk.see("Go.")
    assert talk.status == (1, 0, 0)
    assert talk.touch(CONFIG) == [SHOWN]


def test_gate_42_in_a_session(ledger: LedgerTalk) -> None:
    ledger.touch(CONFIG)
    ledger.fold("canon")
    ledger.answer()
    assert ledger.status == (1, 0, 0)
    ledger.begin()
    assert ledger.touch(CONFIG) == [SHOWN]


def test_gate_44_a_read_is_present_as_long_as_its_result(talk: TextTalk) -> None:
    read = talk.use("read", CONFIG)
    talk.see("Go.", read.text)
    assert talk.touch(CONFIG) == []
    talk.see("Go.")
    assert talk.touch(CONFIG) == [SHOWN]


@pytest.mark.parametrize("way", ["stub", "ref", "fold"])
def test_gate_44_in_a_session(ledger: LedgerTalk, way: str) -> None:
    ledger.use("read", CONFIG)
    assert ledger.touch(CONFIG) == []
    result = next(one for one in ledger.session.stage() if one.startswith("toolResult"))
    if way == "fold":
        ledger.session.close(result)
    else:
        ledger.session.represent(result, "stub" if way == "stub" else "ref")
    assert ledger.touch(CONFIG) == [SHOWN]


def test_gate_45_a_capsule_alone_does_not_stand_for_a_body(talk: TextTalk) -> None:
    talk.use("read", CONFIG)
    talk.see(f"src/core/config\ncapsule: Env wins.\nupdated: {TODAY}")
    assert talk.status[1] == 0
    assert talk.touch(CONFIG) == [SHOWN]


def test_gate_45_in_a_session(ledger: LedgerTalk) -> None:
    ledger.use("read", CONFIG)
    ledger.fold("toolResult")
    ledger.answer("src/core/config\ncapsule: Env wins.")
    ledger.begin("src/core/config\ncapsule: Env wins.")
    assert ledger.touch(CONFIG) == [SHOWN]


def test_gate_46_a_text_of_several_paragraphs_is_found(talk: TextTalk) -> None:
    read = talk.use("read", CONFIG)
    talk.see(read.text.replace("\n\n", "\r\n  \r\n"))
    assert talk.status[1] == 1
    assert talk.touch(CONFIG) == []


def test_gate_46_in_arguments_that_are_json_in_a_text(talk: TextTalk) -> None:
    body = "# Config\n\nWritten over several lines,\nwhich JSON escapes."
    talk.use("write", CONFIG, body=body)
    call = {"name": "canon", "arguments": json.dumps({"path": CONFIG, "body": body})}
    talk.talk.observe([{"role": "assistant", "tool_calls": [{"function": call}]}])
    assert talk.touch(CONFIG) == []
    call["arguments"] = json.dumps({"path": OTHER, "body": body})
    talk.talk.observe([{"role": "assistant", "tool_calls": [{"function": call}]}])
    assert talk.touch(CONFIG) == [SHOWN]


def test_gate_46_in_a_session(ledger: LedgerTalk) -> None:
    ledger.use("read", CONFIG)
    ledger.answer()
    ledger.begin()
    assert ledger.status[1] == 1
    assert ledger.touch(CONFIG) == []


def test_gate_47_what_was_written_departs_as_what_was_read(talk: TextTalk) -> None:
    talk.use("write", CONFIG, capsule="Env wins now.", body="# Config\n\nNothing but the environment counts.")
    talk.see("Something else.")
    assert talk.status[1] == 0
    assert talk.touch(CONFIG) == [line("src/core/config", "Env wins now.")]


def test_gate_47_in_a_session(ledger: LedgerTalk) -> None:
    ledger.use("write", CONFIG, capsule="Env wins now.", body="# Config\n\nNothing but the environment counts.")
    assert ledger.touch(CONFIG) == []
    call = next(one for one in ledger.session.stage() if one.startswith("toolCall"))
    ledger.session.close(call)
    assert ledger.touch(CONFIG) == [line("src/core/config", "Env wins now.")]


@pytest.mark.parametrize("nothing", [None, "not an array", 3, {"messages": []}])
def test_gate_48_what_is_no_conversation_changes_nothing(talk: TextTalk, nothing: object) -> None:
    talk.touch(CONFIG)
    talk.talk.observe(nothing)
    assert talk.status[1] == 1
    assert talk.touch(CONFIG) == []


def test_a_conversation_that_holds_itself_is_read_once(talk: TextTalk) -> None:
    messages: list[object] = [SHOWN]
    messages.append({"again": messages})
    talk.touch(CONFIG)
    talk.talk.observe(messages)
    assert talk.status[1] == 1


def test_gate_50_a_common_end_does_not_stand_for_another_article(talk: TextTalk) -> None:
    talk.project.write("src/core/config", capsule="Left.", body=f"Left. {FOOTER}")
    talk.project.write("src/core/other", capsule="Right.", body=f"Right. {FOOTER}")
    talk.use("read", CONFIG)
    right = talk.use("read", "src/core/other.ts")
    talk.see(right.text)
    assert talk.touch(CONFIG, "src/core/other.ts") == [line("src/core/config", "Left.")]


def test_gate_50_in_a_session(ledger: LedgerTalk) -> None:
    ledger.project.write("src/core/config", capsule="Left.", body=f"Left. {FOOTER}")
    ledger.project.write("src/core/other", capsule="Right.", body=f"Right. {FOOTER}")
    ledger.use("read", CONFIG)
    left = ledger.newest("toolResult")
    ledger.use("read", "src/core/other.ts")
    ledger.session.close(left)
    assert ledger.touch(CONFIG, "src/core/other.ts") == [line("src/core/config", "Left.")]


def test_gate_51_an_escape_that_is_content_is_looked_for(talk: TextTalk) -> None:
    talk.project.write("src/core/config", body="Split the records at \\n and never at anything else, please.")
    read = talk.use("read", CONFIG)
    talk.see(read.text.replace("\\n", " "))
    assert talk.status[1] == 0
    read = talk.use("read", CONFIG)
    talk.see(read.text)
    assert talk.status[1] == 1


def test_gate_51_in_a_session(ledger: LedgerTalk) -> None:
    ledger.project.write("src/core/config", capsule="C.", body="Split the records at \\n alone.")
    ledger.use("read", CONFIG)
    ledger.project.put("src/core/config", "---\ncapsule: C.\n---\nSplit the records at\nalone.\n")
    assert ledger.touch(CONFIG) == ["src/core/config: C."]


def test_gate_52_what_is_too_short_to_be_found_stays(talk: TextTalk) -> None:
    for name in ("src/core/terse.ts", "a"):
        talk.project.asset(name)
    talk.project.write("src/core/terse", capsule="Cache.")
    talk.project.write("a", capsule="x")
    assert talk.touch("src/core/terse.ts", "a") == [line("src/core/terse", "Cache."), line("a", "x")]
    talk.see("Something else.")
    assert talk.touch("src/core/terse.ts", "a") == [line("src/core/terse", "Cache.")]
    talk.use("write", "b", capsule="x", body="b")
    talk.project.write("src/core/terse", body="b")
    talk.use("read", "src/core/terse")
    talk.see("Something else.")
    assert talk.status[1] == 3


def test_a_mark_of_chinese_text_is_more_than_address_and_date(talk: TextTalk) -> None:
    # In the original nothing is left of such a text.
    capsule = "环境变量优先于配置文件，绝不反过来。所有默认值都写在代码里，而不是写在文档里。"
    talk.project.write("src/core/config", capsule=capsule)
    shown = talk.touch(CONFIG)
    talk.see(f"src/core/config (updated {TODAY}): 另一句话")
    assert talk.status[1] == 0
    assert talk.touch(CONFIG) == shown
    talk.see(*shown)
    assert talk.status[1] == 1


@pytest.mark.parametrize("capsule", ["x", "Env wins.", "c" * 3_000])
def test_gates_48_and_52_in_a_session_any_folded_slot_brings_the_line_back(ledger: LedgerTalk, capsule: str) -> None:
    ledger.project.asset("a")
    ledger.project.write("a", capsule=capsule)
    for _ in range(3):
        assert ledger.touch("a") == [line("a", capsule)]
        assert ledger.touch("a") == []
        ledger.fold("canon")


def test_gate_53_an_article_without_a_capsule_departs_too(talk: TextTalk) -> None:
    talk.project.put("src/core/other", "# Other\n")
    first = talk.touch("src/core/other.ts")
    assert len(first) == 1
    assert "src/core/other.ts" in first[0]
    talk.see("Something else.")
    assert talk.touch("src/core/other.ts") == first


def test_gate_53_in_a_session(ledger: LedgerTalk) -> None:
    ledger.project.put("src/core/other", "# Other\n")
    first = ledger.touch("src/core/other.ts")
    ledger.fold("canon")
    assert ledger.touch("src/core/other.ts") == first != []
