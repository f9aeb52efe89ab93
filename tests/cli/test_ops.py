"""``dcc ops``, and files of operations under ``dcc check``."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from dcc.cli.entry import main
from dcc.compiler.ops.cases import KINDS

NOTE = 'op note { "Archive slots." ids: slots  "the slots" effect hold archived }\n'
WRONG = 'op note { "Archive slots." ids: slots  "the slots" effect hold archieved }\n'


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(args))
    said = capsys.readouterr()
    code = stop.value.code
    assert isinstance(code, int)
    return code, said.out, said.err


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "mine.ops"
    path.write_text(NOTE, encoding="utf-8")
    return path


def test_the_shipped_ops_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "ops")
    assert code == 0
    assert "payload_offload(ids, description, content, retrieval_hint)\n" in out
    assert "offloaded: already_offloaded; unread: protected_unread; else allowed\n" in out
    assert "redact(ids, drop, preserve)   gate redact\n" in out


@pytest.mark.parametrize("format", ["openai", "anthropic"])
def test_the_tools_of_a_request(format: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "ops", "cpat", "--format", format)
    tools = json.loads(out)
    assert code == 0
    assert [(tool.get("function") or tool)["name"] for tool in tools] == ["context_update", "artifact_get"]


def test_everything_as_json(note: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "ops", str(note), "--format", "json")
    document = json.loads(out)
    assert code == 0
    assert document["schema_version"] == 1
    assert [op["name"] for op in document["ops"]] == ["note"]
    assert [(row["kind"], row["result"]) for row in document["decisions"]] == [
        (kind, "protected_kind" if kind == "system" else "allowed") for kind in KINDS
    ]


def test_the_reference_page(note: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "ops", str(note), "--format", "markdown")
    assert code == 0
    assert "## note\n" in out
    assert "Effects: `hold archived`.\n" in out


def test_the_ops_of_a_ruleset_are_those_that_its_gates_let_through(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("governance: {ops: cpat, gates: [redact]}\n", encoding="utf-8")
    _, out, _ = run(capsys, "ops", str(rules), "--format", "anthropic")
    enum = json.loads(out)[0]["input_schema"]["properties"]["operations"]["items"]["properties"]["op"]["enum"]
    assert enum[-2:] == ["merge", "redact"]


def test_a_ruleset_without_ops_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "ops", "standard")
    assert code == 2
    assert "names no operations" in err
    assert "governance: {ops: cpat}" in err


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "ops", "none.ops")[0] == 2


def test_a_file_with_errors_is_explained(note: Path, capsys: pytest.CaptureFixture[str]) -> None:
    note.write_text(WRONG, encoding="utf-8")
    code, out, err = run(capsys, "ops", str(note))
    assert (code, out) == (1, "")
    assert ":1:64: error: `archieved` is no way to hold [ops-word]\n  help: did you mean `archived`?" in err


def test_check_takes_a_file(note: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", str(note), "--format", "concise")[:2] == (0, "no findings in 1 file\n")
    note.write_text(WRONG, encoding="utf-8")
    code, out, _ = run(capsys, "check", str(note), "--format", "concise")
    assert code == 1
    assert ":1:64: error DCC632 ops-word: `archieved` is no way to hold" in out


def test_check_finds_them_in_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.ops").write_text(WRONG, encoding="utf-8")
    (tmp_path / "rules.yaml").write_text("life_cycle: {goal: [born, null]}\n", encoding="utf-8")
    (tmp_path / "other.ops").write_text("something else by that name\n", encoding="utf-8")
    code, out, _ = run(capsys, "check", str(tmp_path), "--format", "json")
    document = json.loads(out)
    assert (code, document["files"]) == (1, 2)
    assert [d["name"] for d in document["diagnostics"]] == ["ops-word"]


@pytest.mark.parametrize("more", [(), ("--stdin-filename", "mine.ops")])
def test_check_reads_them_from_standard_input(
    more: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"# a comment\n\n{WRONG}".encode())))
    code, out, _ = run(capsys, "check", "-", *more, "--format", "concise")
    assert code == 1
    assert "ops-word" in out


def test_check_takes_the_shipped_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", "cpat", "--format", "concise")[:2] == (0, "no findings in 1 file\n")


def test_check_mends_a_slip(note: Path, capsys: pytest.CaptureFixture[str]) -> None:
    note.write_text(WRONG, encoding="utf-8")
    assert run(capsys, "check", str(note), "--fix", "--unsafe-fixes")[0] == 0
    assert note.read_text(encoding="utf-8") == NOTE


@pytest.mark.parametrize("code", ["DCC641", "ops-never-holds"])
def test_explain_knows_the_checks_of_ops(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "explain", code)
    assert status == 0
    assert out.startswith("# DCC641 ops-never-holds (warning)")


@pytest.mark.parametrize(
    ("named", "says"),
    [("cpatt", "did you mean cpat?"), ("standrd", "did you mean standard?"), ("no.yaml", "a .ops file, a ruleset")],
)
def test_what_cannot_be_read_is_told_with_what_can_be_named(
    named: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, "ops", named)
    assert code == 2
    assert f"cannot read ruleset {named}" in err
    assert says in err


def test_a_file_without_an_operation_is_not_an_empty_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.ops"
    path.write_text("# later\n", encoding="utf-8")
    assert run(capsys, "ops", str(path))[:2] == (0, "no operations\n")


def test_a_character_that_nobody_sees_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.ops"
    path.write_text('op a { "x\x00y" ids: slots effect lift }\n', encoding="utf-8")
    code, out, _ = run(capsys, "check", "--format", "json", str(path))
    (found,) = json.loads(out)["diagnostics"]
    assert (code, found["name"], found["start"]["column"]) == (1, "control-character", 10)
    assert "U+0000" in found["message"]
