"""``dcc chat`` without a terminal: lines in, answers out, the rest on standard error."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from dcc.cli.entry import run
from dcc.runtime.store.sessions import sessions_in

CASES = yaml.safe_load((Path(__file__).parents[1] / "conformance/chat.yaml").read_text(encoding="utf-8"))


class Piped(NamedTuple):
    """What a chat printed, in bytes, and its exit code."""

    code: int
    out: bytes
    err: bytes


class Said(NamedTuple):
    """What a chat printed, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DCC_STORE", str(tmp_path / "sessions.db"))
    monkeypatch.delenv("DC_CONFIG", raising=False)
    return tmp_path


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Chat:
    return Chat(monkeypatch, capsys)


class Chat:
    """Runs ``dcc chat`` with lines on its standard input."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *lines: str, args: tuple[str, ...] = ("--session", "talk")) -> Said:
        self._monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = run(["chat", *args])
        return Said(code, *self._capsys.readouterr())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any], chat: Chat) -> None:
    said = Said(0, "", "")
    for part in case["parts"]:
        said = chat(*part["lines"])
        for text in part.get("out", []):
            assert text in said.out
        for text in part.get("err", []):
            assert text in said.err
        assert said.code == part.get("code", 0)


def test_an_element_of_the_rules_is_no_word_of_the_chat(chat: Chat, folder: Path) -> None:
    (folder / "mine.yaml").write_text("extends: [standard]\nlife_cycle: {help: [born, null]}\n")
    said = chat("/help", "/quit", "never read", args=("--ruleset", "mine.yaml"))
    assert said.out == "/help\n"


@pytest.mark.parametrize("word", ["/quit", "/Quit", "/EXIT"])
def test_a_word_of_the_chat_goes_to_no_model_in_whatever_case(chat: Chat, word: str) -> None:
    assert chat(word, "never read").out == ""


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[[bytes], Piped]:
    """Runs ``dcc chat`` with these bytes on its standard input."""

    def run_with(typed: bytes) -> Piped:
        # In another encoding to begin with, as where the system has one.
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed), encoding="latin-1"))
        code = run(["chat", "--session", "talk"])
        return Piped(code, *capsysbinary.readouterr())

    return run_with


def test_what_is_no_utf8_is_refused_and_the_next_line_is_read(piped: Callable[[bytes], Piped], folder: Path) -> None:
    said = piped(b"one\ntw\xff\xfeo\n" + "drei 三\n".encode())
    assert (said.code, said.out) == (1, "one\ndrei 三\n".encode())
    assert b"byte 0xff at character 3 of the message is not UTF-8; it was not sent" in said.err
    (session,) = sessions_in(folder / "sessions.db")
    assert session.turns == 2


def test_a_byte_order_mark_is_no_part_of_the_first_message(piped: Callable[[bytes], Piped]) -> None:
    said = piped(b"\xef\xbb\xbf/goal ship it remain 2\r\nhello\r\n/dc-status\r\n")
    assert (said.code, said.err.count(b"slash_line")) == (0, 0)
    assert b"on  goal@1" in said.out


def test_one_line_is_one_message_whatever_it_holds(piped: Callable[[bytes], Piped]) -> None:
    typed = "a\vb\fc\x1cd\x85e\u2028f\x00g\n".encode()
    assert piped(typed).out == typed


def test_a_notice_cannot_reach_the_controls_of_a_terminal(piped: Callable[[bytes], Piped]) -> None:
    assert b"\x1b" not in piped(b"hello\n/pin \x1b[31mred\n/non\x1bsense\n").err


def test_answers_and_notices_go_different_ways(chat: Chat) -> None:
    said = chat("hello", "/nonsense it is")
    assert said.out == "hello\n/nonsense it is\n"
    assert "slash_line" in said.err


def test_a_line_that_is_no_command_is_told_which_was_meant(chat: Chat) -> None:
    assert "(did you mean /dc-status?)" in chat("/dc-statu").err
    assert "(did you mean /cpat undo?)" in chat("/undo").err


def test_what_a_command_answers_is_not_told_again(chat: Chat) -> None:
    said = chat(*(f"turn {n} has a sentence of some length." for n in range(12)), "/dc-compact")
    assert "brings them back" in said.out
    assert "compacted" not in said.err


def test_a_new_session_gets_an_id_and_names_it(chat: Chat, folder: Path) -> None:
    said = chat("hello", args=())
    (session,) = sessions_in(folder / "sessions.db")
    assert f"session {session.id}, rules of standard" in said.err


NAMED = "name: {}\nextends: [standard]\n"


def test_where_the_ruleset_is_looked_for(chat: Chat, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rules(*args: str) -> str:
        return chat(args=args).err.splitlines()[0].partition("rules of ")[2].partition(",")[0]

    assert rules() == "standard"
    usual = folder / "config" / "standard"
    usual.mkdir(parents=True)
    (usual / "runtime.yaml").write_text(NAMED.format("usual"))
    assert rules() == "usual"
    (folder / "mine.yaml").write_text(NAMED.format("mine"))
    monkeypatch.setenv("DC_CONFIG", "mine.yaml")
    assert rules() == "mine"
    (folder / "named.yaml").write_text(NAMED.format("named"))
    assert rules("--dc-config", "named.yaml") == "named"
    assert rules("--ruleset", "tutor") == "tutor"


def test_a_session_keeps_its_rules_unless_others_are_named(chat: Chat) -> None:
    chat("hello", args=("--session", "talk", "--ruleset", "tutor"))
    assert "rules of tutor" in chat("hello").err
    assert "rules of standard" in chat("hello", args=("--session", "talk", "--ruleset", "standard")).err


@pytest.mark.parametrize("args", [("--dc-config", "none.yaml"), ("--ruleset", "none"), ("--store", "notes.txt")])
def test_what_is_named_and_not_there_is_wrong_usage(chat: Chat, folder: Path, args: tuple[str, ...]) -> None:
    (folder / "notes.txt").write_text("just a text, and not a short one. " * 40)
    said = chat(args=args)
    assert (said.code, said.out) == (2, "")
    assert "help:" in said.err


def test_a_usual_ruleset_that_is_no_file_is_not_passed_over(chat: Chat, folder: Path) -> None:
    usual = folder / "config" / "standard" / "runtime.yaml"
    usual.mkdir(parents=True)
    assert (chat("hello").code, chat("hello").out) == (2, "")
    assert "runtime.yaml, and that is a folder, a pipe or a device" in chat("hello").err
    usual.rmdir()
    usual.symlink_to("nothing.yaml")
    assert "runtime.yaml, and there is no such file" in chat("hello").err
    assert chat("hello", args=("--dc-config", str(folder))).err.startswith(
        f"dcc: --dc-config names {folder}, and that is"
    )


def test_dc_config_that_is_not_there_is_wrong_usage(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DC_CONFIG", "none.yaml")
    said = chat("hello")
    assert said.code == 2
    assert "DC_CONFIG names none.yaml" in said.err


def test_two_rulesets_are_wrong_usage(chat: Chat) -> None:
    assert chat(args=("--ruleset", "tutor", "--dc-config", "x.yaml")).code == 2


def test_a_provider_without_its_key_is_told_before_anything_is_said(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    said = chat("hello", args=("--provider", "openai", "--model", "small"))
    assert (said.code, said.out) == (1, "")
    assert "OPENAI_API_KEY" in said.err


@pytest.mark.parametrize(
    ("model", "told", "limit"),
    [("small", True, "170,000"), ("gpt-4", False, "6,144"), ("claude-opus-5", False, "850,000")],
)
def test_a_chat_keeps_to_the_window_that_the_name_of_its_model_says(
    model: str, told: bool, limit: str, chat: Chat, folder: Path
) -> None:
    rules = {"extends": ["standard"], "provider": {"type": "openai", "model": model, "base_url": "http://127.0.0.1:1"}}
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules), "utf-8")
    said = chat("/cpat", args=("--ruleset", "rules.yaml"))
    assert f"tokens of {limit} (" in said.out
    assumed = f"nobody knows the context window of {model}: 200,000 tokens are assumed; write another number in"
    assert (assumed in said.err) == told


def test_echo_has_no_window(chat: Chat) -> None:
    assert "window" not in chat("hello").err
