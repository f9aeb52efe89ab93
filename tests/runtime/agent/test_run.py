"""A run, step by step, against a server that plays the model (seed 004; runtime spec, sections 2, 3, 6, 8)."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from agents import PROTOCOLS, calls, replies_in, rules, run, usage
from legality import check_anthropic, check_openai
from loopback.behaviour import Behaviour, Breaks, Hangs, Refuses, Says
from loopback.server import Loopback

from dcc.runtime.agent.names import RESULT_NAMES
from dcc.runtime.agent.prompt.skills import Skill
from dcc.runtime.agent.request import Callbacks, RunContext
from dcc.runtime.agent.tools.callables import tool_of
from dcc.runtime.errors import SessionError, StoreError
from dcc.runtime.kernel.content import Image
from dcc.runtime.providers.abort import Abort
from dcc.runtime.store.sqlite import SqliteStore

PNG = Image("image/png", "iVBORw0KGgo=")
OVERFLOW = Refuses(400, '{"error": {"type": "invalid_request_error", "message": "prompt is too long: 300000 tokens"}}')


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_fifty_calls_with_file_edits(protocol: str, folder: Path) -> None:
    (folder / "work.txt").write_text("".join(f"item {n}: open\n" for n in range(25)))

    def decide(body: Any) -> Behaviour:
        n = replies_in(body)
        if n == 50:
            return Says(("all ", "done"), usage=usage(protocol, 10, 7, 80_000))
        if n % 2:
            item = n // 2
            return calls(f"c{n}", "edit", path="work.txt", oldText=f"item {item}: open", newText=f"item {item}: done")
        return calls(f"c{n}", "read", path="work.txt")

    with Loopback(decide=decide) as server:
        result = run(rules(server, protocol), "close all items", folder)
    assert result.answer == "all done"
    assert result.meta.error is None
    assert (folder / "work.txt").read_text() == "".join(f"item {n}: done\n" for n in range(25))
    assert len(server.seen) == 51
    for body in (seen.body for seen in server.seen):
        openai = protocol == "openai"
        assert (check_openai(body["messages"]) if openai else check_anthropic(body["system"], body["messages"])) == []
    assert result.meta.agent.calls == 51


def test_the_result_has_every_name_of_the_seed(folder: Path) -> None:
    with Loopback(Says(("hello",), usage=usage("openai", 5, 1))) as server:
        document = run(rules(server), "hi", folder).to_json()
    for name in RESULT_NAMES:
        found: Any = document
        for key in name.split("."):
            if found is None:
                assert name.startswith("meta.error")
                break
            assert key in found
            found = found[key]


def test_usage_is_that_of_the_last_call_and_the_sum_of_what_was_written(folder: Path) -> None:
    """Issues 17016, 53734: three calls of 10 in, 50 out and 80,000 cached are a context of 80,010."""
    script = [calls(f"c{n}", "read", path="a.txt") for n in range(2)] + [Says(("ok",))]
    script = [Says(s.pieces, calls=s.calls, usage=usage("anthropic", 10, 50, 80_000)) for s in script]
    with Loopback(*script) as server:
        result = run(rules(server, "anthropic"), "go", folder)
    assert result.meta.agent.prompt_tokens == 80_010
    assert result.usage is not None
    assert (result.usage.output, result.usage.total, result.usage.last_call_total) == (150, 80_160, 80_060)
    assert (result.usage.billed_input, result.usage.billed_cache_read) == (30, 240_000)


def test_the_usage_of_a_session_is_that_of_all_its_runs(folder: Path) -> None:
    """Sums for the bill; the context is the last prompt's length, also after a run that was told nothing (2.4)."""
    told = [usage("anthropic", 10, 50, 80_000, 500), usage("anthropic", 20, 5, 81_000), usage("anthropic", 0, 0)]
    with Loopback(*[Says(("ok",), usage=one) for one in told]) as server:
        config = rules(server, "anthropic")
        documents = [run(config, "go", folder).to_json() for _ in told]
    assert [document["sessionUsage"] for document in documents] == [
        {"replies": 1, "input": 10, "output": 50, "cacheRead": 80_000, "cacheWrite": 500, "total": 80_560,
         "promptTokens": 80_510, "billedInput": 10, "billedOutput": 50, "billedCacheRead": 80_000,
         "billedCacheWrite": 500},
        *[{"replies": 2, "input": 30, "output": 55, "cacheRead": 161_000, "cacheWrite": 500, "total": 161_585,
           "promptTokens": 81_020, "billedInput": 30, "billedOutput": 55, "billedCacheRead": 161_000,
           "billedCacheWrite": 500}] * 2,
    ]  # fmt: skip
    assert [document["meta"]["agentMeta"]["promptTokens"] for document in documents] == [80_510, 81_020, None]


def test_signed_thinking_comes_back_byte_for_byte(folder: Path) -> None:
    thought = ("Let me — see. ", "ok \u2028 “x”")
    asks = Says(thinking=thought, signature="c2lnbmF0dXJl+/=", calls=(("c1", "read", ('{"path":', '"a.txt"}')),))
    with Loopback(asks, Says(("done",))) as server:
        run(rules(server, "anthropic"), "go", folder)
    (block, *_) = server.seen[1].body["messages"][1]["content"]
    assert block == {"type": "thinking", "thinking": "".join(thought), "signature": "c2lnbmF0dXJl+/="}


def test_pieces_and_notices_are_told_as_they_come(folder: Path) -> None:
    text: list[str] = []
    tools: list[tuple[str, str]] = []
    follow = Callbacks(text.append, on_tool=lambda name, what: tools.append((name, what)))
    looks = Says(("I look. ", "Now."), calls=(("c1", "read", ('{"path": "a.txt"}',)),))
    with Loopback(looks, Says(("one ", "two"))) as server:
        run(rules(server), "go", folder, callbacks=follow)
    assert "".join(text) == "I look. Now.\none two"
    assert tools == [("read", "started"), ("read", "done")]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("silent", [Says(), Says(thinking=("hm",), signature="c2ln"), Says((" ", "\n"))])
def test_a_model_that_ends_without_a_word_is_told_of(silent: Says, protocol: str, folder: Path) -> None:
    with Loopback(calls("c1", "read", path="a.txt"), silent) as server:
        result = run(rules(server, protocol), "go", folder)
    assert (result.meta.error, result.answer.strip()) == (None, "")
    assert [code for code, _ in result.notices] == ["answer_empty"]


# Tools

def test_what_tools_there_are_is_told_with_those_that_the_session_serves(folder: Path) -> None:
    with Loopback(calls("c1", "Read", path="a.txt"), Says(("ok",))) as server:
        run(rules(server), "go", folder)
    assert "the tools are artifact_get, dc_recall, edit, exec, read, write" in str(server.seen[1].body["messages"])


def test_a_tool_that_the_policy_denies_is_neither_offered_nor_run(folder: Path) -> None:
    config_tools = {"allow": ["read", "edit"], "byProvider": {"openai/small": {"deny": ["edit"]}}}
    with Loopback(calls("c1", "write", path="a.txt", content="x"), Says(("no",))) as server:
        run(rules(server, tools=config_tools), "go", folder)
    assert [tool["function"]["name"] for tool in server.seen[0].body["tools"]] == ["read"]
    assert "there is no tool write" in server.seen[1].body["messages"][-1]["content"]
    assert not (folder / "a.txt").exists()


def test_what_is_wrong_with_a_policy_is_told(folder: Path) -> None:
    """Where a server is declared the check cannot know its tools; the run does."""
    config_tools = {"allow": ["forge_run"], "mcp": {"forge": {"command": "no-such-program-anywhere"}}}
    with Loopback(Says(("ok",))) as server:
        result = run(rules(server, tools=config_tools), "go", folder)
    assert "tools" not in server.seen[0].body
    assert [code for code, _ in result.notices] == ["plugin_left_out", "allows_nothing"]


def test_group_sender_and_sandbox_are_asked_too(folder: Path) -> None:
    def offered(server: Loopback, context: RunContext) -> set[str]:
        denied = {"tools": {"deny": ["write"]}}
        config = rules(server, groups={"family": denied}, tools={"sandbox": denied})
        run(config, "go", folder, context=context)
        return {tool["function"]["name"] for tool in server.seen[-1].body["tools"]}

    with Loopback(*[Says(("ok",))] * 3) as server:
        assert "write" in offered(server, RunContext())
        assert "write" not in offered(server, RunContext(group="family"))
        assert "write" not in offered(server, RunContext(sandbox=True))


@pytest.mark.parametrize(
    ("context", "code"), [(RunContext("readr"), "unknown_agent"), (RunContext("reader", "famly"), "unknown_group")]
)
def test_a_run_for_somebody_whom_the_ruleset_does_not_know_is_refused(
    context: RunContext, code: str, folder: Path
) -> None:
    """It would have the tools that the entry takes away, for one wrong letter."""
    denied = {"tools": {"deny": ["write"]}}
    with Loopback(Says(("ok",))) as server:
        with pytest.raises(SessionError) as caught:
            run(rules(server, agents={"reader": denied}, groups={"family": denied}), "go", folder, context=context)
        assert (caught.value.code, server.seen) == (code, [])


def test_where_nobody_is_declared_a_name_is_a_name(folder: Path) -> None:
    with Loopback(Says(("ok",))) as server:
        result = run(rules(server), "go", folder, context=RunContext("main", "family"))
    assert result.answer == "ok"
    assert [code for code, _ in result.notices] == ["unknown_agent", "unknown_group"]


def whatsapp_login(code: str) -> str:
    """Only the owner may."""
    return "logged in"


def gateway(code: str) -> str:
    """No subagent may."""
    return code


@pytest.mark.parametrize(
    ("context", "absent"),
    [
        (RunContext(sender_is_owner=False), {"whatsapp_login"}),
        (RunContext(depth=1), {"gateway", "whatsapp_login"}),
    ],
)
def test_what_only_the_owner_and_no_subagent_may(context: RunContext, absent: set[str], folder: Path) -> None:
    tools = (tool_of(whatsapp_login), tool_of(gateway))
    with Loopback(calls("c1", min(absent), code="1"), Says(("no",)), Says(("ok",))) as server:
        run(rules(server), "go", folder, tools=tools, context=context)
        run(rules(server), "go", folder, tools=tools)
    first, _, last = ({tool["function"]["name"] for tool in seen.body["tools"]} for seen in server.seen)
    assert last - first == absent
    assert f"there is no tool {min(absent)}" in server.seen[1].body["messages"][-1]["content"]


def test_tools_that_the_session_serves_are_answered_by_it(folder: Path) -> None:
    with Loopback(calls("c1", "dc_recall", query="anything"), Says(("ok",))) as server:
        run(rules(server), "go", folder)
    assert server.seen[1].body["messages"][-1]["role"] == "tool"


def test_a_host_brings_tools_and_one_that_fails_is_an_answer(folder: Path) -> None:
    def message(to: str) -> str:
        """Send a message."""
        if to == "nobody":
            raise ValueError("who is that?")
        return f"sent to {to}"

    asks = Says(calls=(("c1", "message", ('{"to": "ann"}',)), ("c2", "message", ('{"to": "nobody"}',))))
    with Loopback(asks, Says(("ok",))) as server:
        result = run(rules(server), "go", folder, tools=(tool_of(message),))
    assert result.messaging_tool_results == ("sent to ann",)
    assert "who is that?" in server.seen[1].body["messages"][-1]["content"]


def test_a_model_cannot_replace_the_file_that_its_session_is_in(folder: Path) -> None:
    writes = [calls(f"c{n}", "write", path=f"sessions.db{end}", content="x") for n, end in enumerate(("", "-wal"))]
    with Loopback(*writes, Says(("ok",)), Says(("again",))) as server:
        assert run(rules(server), "go", folder).answer == "ok"
        assert run(rules(server), "and on", folder).answer == "again"
    said = [message["content"] for message in server.seen[2].body["messages"] if message["role"] == "tool"]
    assert all("is a file that dcc keeps this session in" in text for text in said)
    assert [m["content"] for m in server.seen[3].body["messages"] if m["role"] == "user"] == ["go", "and on"]


# The prompt

def test_of_thousands_of_skills_those_that_have_room_are_named_and_the_rest_told_of(folder: Path) -> None:
    skills = tuple(Skill(f"s{n}", "does a thing", f"/skills/s{n}/SKILL.md") for n in range(2_000))
    with Loopback(Says(("ok",))) as server:
        result = run(rules(server), "go", folder, skills=skills)
    report = result.meta.prompt_report
    assert report is not None
    named = len(report.skills)
    assert dict(result.notices)["skills_not_named"] == f"the prompt has room for {named} of 2,000 skills"
    assert f"There are {2_000 - named} more skills, not named here: look in /skills." in server.seen[0].raw.decode()


def test_sections_of_the_system_prompt_are_slots_and_are_counted(folder: Path) -> None:
    (folder / "AGENTS.md").write_text("Be kind.")
    (folder / "skills" / "mending").mkdir(parents=True)
    (folder / "skills" / "mending" / "SKILL.md").write_text("---\nname: mending\ndescription: mends\n---\nSECRET BODY")
    with Loopback(Says(("ok",))) as server:
        result = run(rules(server, "anthropic"), "go", folder)
    texts = [block["text"] for block in server.seen[0].body["system"]]
    assert [text.split("\n")[0] for text in texts[1:4]] == [
        "Tools:",
        "Skills: when one fits, read its file first, then follow it.",
        "Files of the workspace that hold for all work in it:",
    ]
    assert "Be kind." in texts[3]
    assert "mending: mends" in texts[2]
    assert "SECRET BODY" not in "".join(texts)
    report = result.meta.prompt_report
    assert report is not None
    assert [name for name, _ in report.sections] == ["identity", "tools", "skills", "workspace", "runtime"]
    assert [name for name, _ in report.skills] == ["mending"]
    assert report.total == sum(tokens for _, tokens in report.sections + report.schemas)


def test_a_skill_that_cannot_be_read_is_not_named_and_told_of(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "SKILL.md").write_text("---\ndescription: far away\n---\n")
    (folder / "skills").mkdir()
    (folder / "skills" / "linked").symlink_to("../elsewhere")
    (folder / "skills" / "here").mkdir()
    (folder / "skills" / "here" / "SKILL.md").write_text("---\ndescription: close by\n---\n")
    with Loopback(*[Says(("ok",))] * 3) as server:
        result = run(rules(server), "go", folder)
        run(rules(server, tools={"deny": ["read", "exec"]}), "go", folder, session="no reader")
        run(rules(server, tools={"deny": ["read"]}), "go", folder, session="a shell")
    named = [["close by" in seen.raw.decode(), "far away" in seen.raw.decode()] for seen in server.seen]
    assert named == [[True, False], [False, False], [True, False]]
    assert "links are not followed" in dict(result.notices)["skill_left_out"]


def test_the_memory_of_a_project_has_a_section_where_there_is_one(folder: Path) -> None:
    sections: dict[str, dict[str, Any]] = {
        "none": {}, "some": {"canon": {}}, "denied": {"canon": {}, "tools": {"deny": ["canon"]}},
    }  # fmt: skip
    with Loopback(*[Says(("ok",))] * 3) as server:
        for name, more in sections.items():
            result = run(rules(server, **more), "go", folder, session=name)
            report = result.meta.prompt_report
            assert report is not None
            assert ("canon" in dict(report.sections)) == (name == "some")
            assert ("canon" in dict(report.schemas)) == (name == "some")
    said = [[m["content"] for m in seen.body["messages"] if m["role"] == "system"] for seen in server.seen]
    assert [any(text.startswith("Project knowledge") for text in texts) for texts in said] == [False, True, False]


def test_a_section_that_changed_is_said_anew_and_breaks_once(folder: Path) -> None:
    with Loopback(*[Says(("ok",))] * 3) as server:
        config = rules(server, "anthropic")
        run(config, "one", folder)
        (folder / "AGENTS.md").write_text("Be kind.")
        run(config, "two", folder)
        run(config, "three", folder)
    first, second, third = (seen.body for seen in server.seen)
    assert first["system"] != second["system"] == third["system"]
    assert any("Be kind." in block["text"] for block in second["system"])
    assert second["messages"] == third["messages"][: len(second["messages"])]


def test_what_makes_anthropic_refuse_is_defused(folder: Path) -> None:
    trigger = "say ANTHROPIC_MAGIC_STRING_TRIGGER_REFUSAL_1FAE"
    with Loopback(Says(("ok",)), Says(("ok",))) as server:
        run(rules(server, "anthropic"), trigger, folder)
        run(rules(server, "openai"), trigger, folder, session="other")
    assert "REFUSAL (redacted)_1FAE" in str(server.seen[0].body["messages"])
    assert trigger in str(server.seen[1].body["messages"])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_images_go_to_models_that_see(protocol: str, folder: Path) -> None:
    with Loopback(Says(("a cat",)), Says(("?",))) as server:
        run(rules(server, protocol), "what is this?", folder, images=(PNG,))
        blind = rules(server, protocol, provider={"images": False})
        result = run(blind, "what is this?", folder, images=(PNG,), session="blind")
    assert PNG.data in server.seen[0].raw.decode()
    assert PNG.data not in server.seen[1].raw.decode()
    assert "1 image not shown (image/png)" in server.seen[1].raw.decode()
    assert "images_left_out" in dict(result.notices)


def test_patches_and_commands_in_a_prompt_are_carried_out(folder: Path) -> None:
    with Loopback(Says(("ok",))) as server:
        run(rules(server), "hello /goal be quick remain 3", folder)
        result = run(rules(server), "/dc-status", folder)
    assert "be quick" in str(server.seen[0].body["messages"])
    assert len(server.seen) == 1
    assert result.answer


@pytest.mark.parametrize("prompt", ["/dc-status", "/goal be quick remain 3"])
def test_an_image_beside_what_begins_no_turn_is_told_of(prompt: str, folder: Path) -> None:
    with Loopback() as server:
        result = run(rules(server), prompt, folder, images=(PNG, PNG))
    assert dict(result.notices)["images_left_out"] == "this prompt begins no turn: 2 images left out"
    assert server.seen == []


# What goes wrong

def test_a_window_that_is_too_small_is_refused_before_anything_is_asked(folder: Path) -> None:
    with Loopback() as server:
        result = run(rules(server, governance={"window": 15_999}), "go", folder)
    assert result.meta.error is not None
    assert result.meta.error.kind == "window_too_small"
    assert server.seen == []


def test_an_overflow_on_the_first_call_begins_the_turn_again(folder: Path) -> None:
    (folder / "big.txt").write_text("word " * 9_000)
    with Loopback(
        calls("c1", "read", path="big.txt"), Says(("read it",)), OVERFLOW, Says(("shorter now",))
    ) as server:
        config = rules(server)
        run(config, "read big.txt", folder)
        result = run(config, "and then /goal be brief remain 2", folder)
    assert result.answer == "shorter now"
    assert "recovered" in dict(result.notices)
    bodies = [seen.body["messages"] for seen in server.seen]
    assert len(str(bodies[3])) < len(str(bodies[2])) / 4
    assert [m["content"] for m in bodies[3] if m["role"] == "user"][-1] == "and then"
    assert str(bodies[3]).count("be brief") == 1


def test_an_overflow_in_a_tool_loop_makes_results_shorter_and_goes_on(folder: Path) -> None:
    (folder / "big.txt").write_text("word " * 9_000)
    script = [calls(f"c{n}", "read", path="big.txt") for n in range(3)]
    with Loopback(*script, OVERFLOW, Says(("done",))) as server:
        result = run(rules(server), "go", folder)
    assert result.answer == "done"
    assert check_openai(server.seen[-1].body["messages"]) == []
    assert len(server.seen[4].raw) < len(server.seen[3].raw)


def test_an_overflow_that_never_ends_is_given_up_with_the_seeds_words(folder: Path) -> None:
    with Loopback(*[OVERFLOW] * 10) as server:
        result = run(rules(server), "go", folder)
    assert result.meta.error is not None
    assert result.meta.error.kind == "context_overflow"
    assert result.payloads[-1].text.startswith("Context overflow: prompt too large for the model")
    assert result.payloads[-1].is_error
    assert len(server.seen) <= 8


def test_when_the_ladder_is_at_its_end_another_model_goes_on(folder: Path) -> None:
    """Issue 18095."""
    with Loopback(OVERFLOW, Says(("large enough",))) as server:
        result = run(rules(server, provider={"fallbacks": ["large"]}), "go", folder)
    assert result.answer == "large enough"
    assert [seen.body["model"] for seen in server.seen] == ["small", "large"]
    assert "model: large" in str(server.seen[1].body["messages"][:4])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_stream_that_is_cut_before_any_text_is_asked_for_again(protocol: str, folder: Path) -> None:
    cut = Breaks(calls("c1", "read", path="a.txt"), 3)
    with Loopback(cut, calls("c1", "read", path="a.txt"), Says(("ok",))) as server:
        result = run(rules(server, protocol), "go", folder)
    assert result.answer == "ok"
    assert len(server.seen) == 3


def test_a_stream_that_is_cut_in_its_text_is_not_said_twice(folder: Path) -> None:
    said: list[str] = []
    with Loopback(Breaks(Says(("one ", "two ", "three")), 3), Says(("again",))) as server:
        result = run(rules(server), "go", folder, callbacks=Callbacks(said.append))
    assert result.meta.error is not None
    assert result.meta.error.kind == "network"
    assert len(server.seen) == 1
    assert "one" in "".join(said)


def test_an_abort_ends_the_run_and_leaves_what_its_tools_did(folder: Path) -> None:
    abort = Abort()
    with Loopback(calls("c1", "write", path="a.txt", content="x"), Hangs(), Says(("went on",))) as server:
        threading.Thread(target=lambda: server.hanging.wait(20) and abort.set(), daemon=True).start()
        config = rules(server)
        result = run(config, "go", folder, abort=abort)
        assert result.meta.aborted
        assert result.meta.error is None
        assert (folder / "a.txt").read_text() == "x"
        again = run(config, "", folder, open_turn="continue")
    assert again.answer == "went on"
    assert check_openai(server.seen[-1].body["messages"]) == []


def test_a_run_takes_no_longer_than_it_may(folder: Path) -> None:
    with Loopback(Hangs()) as server:
        result = run(rules(server), "go", folder, timeout_s=0.3)
    assert result.meta.error is not None
    assert result.meta.error.kind == "timeout"


def test_a_tool_takes_no_longer_than_the_run(folder: Path) -> None:
    slow = {"exec": {"unconfined": True}}
    with Loopback(calls("c1", "exec", command="sleep 60")) as server:
        result = run(rules(server, tools=slow), "go", folder, timeout_s=1.5)
    assert result.meta.error is not None
    assert result.meta.error.kind == "timeout"


@pytest.mark.parametrize("words", [
    pytest.param("This version mends Context overflow: a reply about it is delivered as it is.", id="12889"),
    pytest.param("Context overflow: is what happens when a prompt is too long, 413 too large", id="14347"),
    pytest.param("429 rate limit, context length exceeded, 什么是上下文过长？", id="8847"),
])  # fmt: skip
def test_prose_that_says_what_errors_say_is_an_answer(words: str, folder: Path) -> None:
    """Issues 12889, 14347, 8847: only an error with the same words is an error, and put into plain ones."""
    said: list[str] = []
    with Loopback(Says((words[:9], words[9:])), Refuses(400, json.dumps({"error": {"message": words}}))) as server:
        answered = run(rules(server), "explain it", folder, callbacks=Callbacks(said.append))
        failed = run(rules(server, recovery={"overflow": ["give_up"]}), "again", folder)
    assert (answered.answer, "".join(said), answered.meta.error) == (words, words, None)
    assert failed.meta.error is not None
    assert words in failed.meta.error.message
    assert words not in failed.payloads[0].text
    assert failed.payloads[0].is_error


def test_prose_about_errors_is_sent_by_a_tool_as_it_is(folder: Path) -> None:
    """Issue 12889, the second half: it was swallowed in what the tool ``message`` sends, too."""
    words = "Context overflow: prompt is too long"

    def message(text: str) -> str:
        """Send a message."""
        return text

    with Loopback(calls("c1", "message", text=words), Says(("sent",))) as server:
        result = run(rules(server), "send it", folder, tools=(tool_of(message),))
    assert result.messaging_tool_results == (words,)
    assert result.meta.error is None


def test_words_of_an_overflow_mean_nothing_in_a_prompt(folder: Path) -> None:
    """Issue 7854: the sentence, typed by a person, is sent to the model; nothing is summarised or cut for it."""
    words = "type this: Context overflow: prompt too large for the model. Try again with less input."
    with Loopback(Says(("typed",)), Says(("again",))) as server:
        assert run(rules(server), words, folder).answer == "typed"
        result = run(rules(server), "and again", folder)
    assert (result.answer, result.compactions, result.notices) == ("again", 0, ())
    assert [m["content"] for m in server.seen[1].body["messages"] if m["role"] == "user"][-2:] == [words, "and again"]


def test_an_answer_that_was_cut_is_told(folder: Path) -> None:
    with Loopback(Says(("half an ans",), stop="length")) as server:
        result = run(rules(server), "go", folder)
    assert "answer_cut" in dict(result.notices)
    assert result.meta.stop_reason == "length"


def test_a_store_that_fails_ends_the_run_and_what_was_acknowledged_is_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, written = SqliteStore.append, [0]

    def failing(self: SqliteStore, *args: Any, **more: Any) -> None:
        written[0] += 1
        if written[0] == 5:
            raise StoreError("disk_full", "no space is left")
        append(self, *args, **more)

    with Loopback(calls("c1", "read", path="a"), calls("c2", "read", path="b"), Says(("went on",))) as server:
        config = rules(server)
        monkeypatch.setattr(SqliteStore, "append", failing)
        result = run(config, "go", folder)
        assert result.meta.error is not None
        assert result.meta.error.kind == "disk_full"
        assert result.meta.agent.session == "s"
        assert run(config, "", folder, open_turn="continue").answer == "went on"


# What was left open

@pytest.mark.parametrize("wish", ["keep", "drop"])
def test_an_open_turn_is_kept_or_dropped_before_the_next_prompt(wish: str, folder: Path) -> None:
    with Loopback(calls("c1", "read", path="a.txt"), Refuses(400), Says(("ok",))) as server:
        config = rules(server)
        assert run(config, "first", folder).meta.error is not None
        result = run(config, "second", folder, open_turn=wish)
    messages = server.seen[-1].body["messages"]
    assert ("first" in str(messages)) == (wish == "keep")
    assert check_openai(messages) == []
    assert f"open_turn_{'kept' if wish == 'keep' else 'dropped'}" in dict(result.notices)


def test_an_open_turn_is_gone_on_with_and_its_own_prompt_is_not_said_again(folder: Path) -> None:
    with Loopback(calls("c1", "read", path="a.txt"), Refuses(400), Says(("one",)), Says(("two",))) as server:
        config = rules(server)
        run(config, "first", folder)
        assert run(config, "first", folder, open_turn="continue").answer == "one"
        assert run(config, "", folder, open_turn="continue").answer == "one"
        assert run(config, "second", folder, open_turn="continue").answer == "two"
    assert len(server.seen) == 4


def test_a_prompt_with_an_image_is_not_said_again_either(folder: Path) -> None:
    for sees in (True, False):
        with Loopback(calls("c1", "read", path="a.txt"), Refuses(400), Says(("one",))) as server:
            config = rules(server, provider={"images": sees})
            run(config, "look /goal see remain 2", folder, images=(PNG,), session=f"sees {sees}")
            wish: dict[str, Any] = {"images": (PNG,), "session": f"sees {sees}", "open_turn": "continue"}
            assert run(config, "look /goal see remain 2", folder, **wish).answer == "one"
        assert len(server.seen) == 3


def test_without_a_prompt_and_without_a_turn_there_is_nothing_to_run(folder: Path) -> None:
    with Loopback() as server, pytest.raises(SessionError, match="no prompt"):
        run(rules(server), "", folder, open_turn="continue")
