"""``dcc chat`` in a real terminal: what is typed, what is drawn."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback.behaviour import Behaviour, Hangs, Refuses, Says
from loopback.server import Loopback
from terminal import CTRL_C, CTRL_D, CTRL_Z, ENTER, PATIENCE_S, TAB, Terminal


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture
def chat(store: Path) -> Iterator[Terminal]:
    terminal = Terminal(store)
    terminal.until(r"turn 0 \| 0 slots on stage")
    yield terminal
    terminal.process.close(force=True)


def test_a_turn_and_the_status_below(chat: Terminal) -> None:
    chat.type("hello /goal 翻译 remain 3" + ENTER)
    picture = chat.until(r"turn 1 \| 3 slots on stage \| \d+ tokens \| talk")
    assert "\nhello\n" in picture, "the echo of the text that is left"
    chat.type(CTRL_D)
    assert chat.left() == 0


def test_a_chat_begins_with_how_it_is_used_and_left(store: Path) -> None:
    chat = Terminal(store)
    chat.until("/ and Tab: the commands .* Ctrl-D: leaves")
    chat.type(CTRL_D)
    assert chat.left() == 0


def test_a_command_is_answered_and_a_wrong_one_says_how_to_mend_it(chat: Terminal) -> None:
    chat.type("/dc-status" + ENTER)
    chat.until("turn 0, 0 calls, 0 of 0 slots on stage")
    chat.type("/cpat nonsense" + ENTER)
    chat.until("error: .*manifest, journal, on, off")


def test_governance_from_the_chat_line(store: Path) -> None:
    rules = store.with_name("rules.yaml")
    rules.write_text("name: governed\ngovernance: {ops: cpat, window: 100000}\n")
    chat = Terminal(store, "-r", str(rules), "--cpat-max-context", "50000", "--cpat-allow-replace")
    chat.until(r"turn 0 \|")
    chat.type("hello" + ENTER)
    chat.until(r"turn 1 \|")
    chat.type("/cpat" + ENTER)
    chat.until(r"governance: on\s+context: [\d,]+ tokens of 50,000")
    chat.type("/cpat journal" + ENTER)
    chat.until("nothing was done to the context yet")
    chat.type("/cpat manifest" + ENTER)
    chat.until(r"user@1 user \d+ \[protected\]: hello")
    chat.type("/cpat off" + ENTER)
    chat.until("governance is off")
    chat.type("/cpat undo" + ENTER)
    chat.until("no transaction can be undone")
    chat.type("/cpat why user@1" + ENTER)
    chat.until("turn 1: ")
    chat.type("/cpat on" + ENTER)
    chat.until("governance is on")
    chat.type(CTRL_D)
    assert chat.left() == 0


def test_ctrl_c_clears_the_line_and_ctrl_d_leaves_only_an_empty_one(chat: Terminal) -> None:
    chat.type("nonsense")
    chat.until("> nonsense")
    chat.type(CTRL_D)
    chat.type(CTRL_C)
    chat.until(r"(?m)^>$")
    chat.type("hello" + ENTER)
    chat.until(r"turn 1 \|")
    chat.type(CTRL_D)
    assert chat.left() == 0


def test_pasted_colours_are_no_events_of_the_mouse(chat: Terminal) -> None:
    chat.type("\x1b[31mred" + ENTER)
    picture = chat.until(r"turn 1 \|")
    assert "Exception" not in picture
    chat.type(CTRL_D)
    assert chat.left() == 0


def test_a_slash_offers_and_tab_completes(chat: Terminal) -> None:
    chat.type("/dc-")
    chat.until("/dc-status")
    chat.type("st")
    chat.until(r"> /dc-st")
    chat.type(TAB)
    chat.until("> /dc-status")
    chat.type(ENTER)
    chat.until("0 calls")


def test_a_hint_says_what_comes_next(chat: Terminal) -> None:
    chat.type("/goal ship it ")
    chat.until("expected: remain, roll or refresh")
    chat.type("remain ")
    chat.until("expected: a number of turns from 1 to 999999 or none")


def test_a_pasted_text_keeps_its_lines(chat: Terminal) -> None:
    chat.type("\x1b[200~one\ntwo\x1b[201~")
    chat.until("two")
    chat.type(ENTER)
    assert "\none\ntwo\n" in chat.until(r"turn 1 \|")


def test_a_narrow_terminal_cuts_the_status_line(chat: Terminal) -> None:
    chat.resize(24)
    chat.until(r"turn 0 \| 0 slots on sta…")
    chat.resize(80)
    chat.until(r"turn 0 \| 0 slots on stage \| \d+ tokens \| talk")


def talking(store: Path, server: Loopback) -> Terminal:
    environ = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "none"}
    terminal = Terminal(store, "--provider", "openai", "--model", "small", environ=environ)
    terminal.until(r"turn \d+")
    return terminal


def hangs_after(*pieces: str) -> Behaviour:
    """A reply that stops after its pieces: the first event of the protocol says who speaks."""
    return Hangs(Says(pieces), len(pieces) + 1)


def test_ctrl_c_during_an_answer_keeps_what_has_come_as_a_turn(store: Path) -> None:
    with Loopback(hangs_after("one ", "two "), Says(("three",))) as server:
        chat = talking(store, server)
        chat.type("count" + ENTER)
        chat.until("one two")
        chat.type(CTRL_C)
        picture = chat.until(r"turn 1 \| 2 slots on stage")
        assert "stopped: what had come is kept" in picture
        chat.type("go on" + ENTER)
        chat.until(r"turn 2 \| 4 slots on stage")
        assert "one two" in str(server.seen[1])
        chat.type(CTRL_D)
        assert chat.left() == 0


def test_thinking_has_lines_of_its_own(store: Path) -> None:
    with Loopback(Says(("forty ", "two"), thinking=("let me ", "see"))) as server:
        chat = talking(store, server)
        chat.type("count" + ENTER)
        chat.until(r"\nlet me see\nforty two\n(.|\n)*turn 1 \| 3 slots")


def test_ctrl_c_before_an_answer_gives_the_message_back(store: Path) -> None:
    with Loopback(Hangs(), Says(("there",))) as server:
        chat = talking(store, server)
        chat.type("count" + ENTER)
        assert server.hanging.wait(PATIENCE_S)
        chat.type(CTRL_C)
        chat.until("stopped before an answer(.|\n)*> count")
        chat.type(ENTER)
        chat.until(r"turn 1 \| 2 slots on stage")


def test_ctrl_c_during_a_summary_stops_it_at_once_and_keeps_the_turn(store: Path) -> None:
    rules = store.with_name("rules.yaml")
    rules.write_text(
        "extends: [standard]\n"
        "compact: {fields: [user, assistant], compressors: {summary: {prompt: 'Sum up: {content}', "
        "periodic: {interval_turns: 1, keep_recent_turns: 0}}}}\n"
    )
    with Loopback(Says(("a long answer " * 20,)), Hangs(), Says(("fine",)), Says(("a summary",))) as server:
        environ = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "none"}
        options = ("--provider", "openai", "--model", "small", "--ruleset", str(rules))
        chat = Terminal(store, *options, environ=environ)
        chat.until(r"turn 0")
        chat.type("tell me" + ENTER)
        assert server.hanging.wait(PATIENCE_S)
        chat.type(CTRL_C)
        chat.until(r"compaction_stopped: (.|\n)*turn 1 \| 2 slots")
        chat.type("go on" + ENTER)
        chat.until("compacted: ")
        chat.type(CTRL_D)
        assert chat.left() == 0


def test_a_failed_turn_is_told_and_its_message_given_back(store: Path) -> None:
    with Loopback(Refuses(400), Says(("fine",))) as server:
        chat = talking(store, server)
        chat.type("count" + ENTER)
        chat.until("error: (.|\n)*> count")
        chat.type(ENTER)
        chat.until(r"turn 1 \| 2 slots on stage")


def crashed(store: Path, server: Loopback) -> Terminal:
    """The chat that follows one that was killed while the model had the result of a tool before it."""
    chat = talking(store, server)
    chat.type("look it up" + ENTER)
    assert server.hanging.wait(PATIENCE_S)
    chat.process.kill(signal.SIGKILL)
    return talking(store, server)


ASKS = Says(calls=(("c1", "dc_recall", ('{"query": "x"}',)),))


@pytest.mark.parametrize(
    ("decision", "after"),
    [("continue", r"turn 1 \| 4 slots"), ("keep", r"turn 1 \| 3 slots"), ("drop", r"turn 1 \| 1 slot ")],
)
def test_after_a_crash_the_open_turn_is_named_and_decided_about(store: Path, decision: str, after: str) -> None:
    with Loopback(ASKS, Hangs(), Says(("here it is",))) as server:
        chat = crashed(store, server)
        picture = chat.until(r"turn 1 \(open\)")
        assert "turn 1 is open" in picture
        assert all(word in picture for word in ("continue:", "keep:", "drop:"))
        chat.type("/dc-status" + ENTER)
        chat.until("turn 1 is still open")
        chat.type(decision + ENTER)
        chat.until(after)
        chat.type(CTRL_D)
        assert chat.left() == 0
        assert len(server.seen) == (3 if decision == "continue" else 2)


def test_wide_characters_take_two_cells_of_the_status_line(store: Path) -> None:
    chat = Terminal(store, "--session", "翻译翻译翻译", columns=47)
    chat.until(r"tokens \| 翻译翻…")


def test_ctrl_z_gives_the_terminal_back_and_fg_the_line(store: Path) -> None:
    chat = Terminal(store, under="bash")
    chat.until(r"turn 0 \|")
    chat.type("hello wor")
    chat.until("> hello wor")
    chat.type(CTRL_Z)
    chat.until("Stopped")
    chat.type("fg" + ENTER)
    chat.until(r"> hello wor\s")
    chat.type("ld" + ENTER)
    chat.until(r"\nhello world\n(.|\n)*turn 1 \|")
    chat.process.close(force=True)


def test_what_is_typed_during_an_answer_is_the_next_message_and_no_part_of_it(store: Path) -> None:
    asked, may_go_on = threading.Event(), threading.Event()

    def decide(body: Any) -> Behaviour:
        asked.set()
        may_go_on.wait(PATIENCE_S)
        return Says(("forty two",))

    with Loopback(decide=decide) as server:
        chat = talking(store, server)
        chat.process.setecho(True)
        chat.type("count" + ENTER)
        assert asked.wait(PATIENCE_S)
        chat.type("ahead" + ENTER + "more")
        may_go_on.set()
        picture = chat.until(r"turn 2 \| 4 slots")
        assert "> count\nforty two\n> ahead\nforty two\n> more" in picture


def test_what_is_out_of_band_is_broken_at_blanks_in_a_narrow_terminal(store: Path) -> None:
    chat = Terminal(store, columns=30)
    chat.until(r"turn 0 \|")
    chat.type("/cancelpin p01" + ENTER)
    picture = chat.until(r"pins:\s+none")
    assert "· session talk, rules of\n  standard, answered by echo\n" in picture


def test_an_overflow_is_mended_and_what_helped_is_told(store: Path) -> None:
    rules = store.with_name("rules.yaml")
    rules.write_text(
        "extends: [standard]\n"
        "compact: {fields: [user, assistant], overload_threshold_bytes: 100000000, compressors: {summary: "
        "{prompt: 'Sum up: {content}', periodic: {interval_turns: null, keep_recent_turns: 0}}}}\n"
    )
    too_long = Refuses(400, '{"error": {"message": "prompt is too long"}}')
    script = (Says(("many words " * 500,)), too_long, Says(("a summary",)), Says(("short now",)), too_long, too_long)
    with Loopback(*script) as server:
        environ = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "none"}
        chat = Terminal(store, "--provider", "openai", "--model", "small", "-r", str(rules), environ=environ)
        chat.until("turn 0")
        chat.type("one" + ENTER)
        chat.until(r"turn 1 \|")
        chat.type("two" + ENTER)
        picture = chat.until(r"turn 2 \|")
        assert re.search(r"\nshort now\n(.|\n)*· recovered: .* too long: compact made it shorter\n", picture)
        chat.type("three" + ENTER)
        picture = chat.until(r"error: Context overflow(.|\n)*> three(.|\n)*turn 2 \|")
        assert "/dc-compact" in picture


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (("hello",), "session talk is kept: the same command with --session talk goes on with it"),
        ((), "no session is kept"),
    ],
)
def test_a_chat_that_is_left_says_what_is_kept(lines: tuple[str, ...], told: str, chat: Terminal) -> None:
    for turn, line in enumerate(lines, 1):
        chat.type(line + ENTER)
        chat.until(rf"turn {turn} \|")
    chat.type(CTRL_D)
    chat.until(told)
    assert chat.left() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_at_the_prompt_ends_the_chat_in_good_order(number: int, chat: Terminal, store: Path) -> None:
    chat.type("hello" + ENTER)
    chat.until(r"turn 1 \|")
    chat.process.kill(number)
    assert chat.left() == 128 + number
    assert [path.name for path in store.parent.iterdir()] == ["sessions.db"], "no claim, and no log of the store"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, None], ids=["SIGTERM", "SIGHUP", "the terminal closed"])
def test_one_during_an_answer_keeps_what_has_come(how: int | None, store: Path) -> None:
    with Loopback(hangs_after("one ", "two ")) as server:
        chat = talking(store, server)
        chat.type("count" + ENTER)
        chat.until("one two")
        if how is None:
            chat.process.ptyproc.fileobj.close()
            _, status = os.waitpid(chat.process.pid, 0)
            assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGHUP
        else:
            chat.process.kill(how)
            assert chat.left() == 128 + how
    assert [path.name for path in store.parent.iterdir()] == ["sessions.db"]
    again = Terminal(store)
    again.until(r"turn 1 \| 2 slots")
    again.process.close(force=True)
