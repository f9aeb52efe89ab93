"""What others wrote never reaches the controls of a terminal: every text for people goes through ``visible``."""

from __future__ import annotations

import ast
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dcc.cli.entry import run

CLI = Path(__file__).parents[2] / "cli"

#: What makes a text safe to print: control characters become escapes or go, or it is a report.
SAFE = {"visible", "visible_line", "visible_json", "visible_json_text", "printable", "render", "_rendered"}

#: What is dcc's own; it is printed before anything is imported.
OWN = "f'dcc {__version__}'"

#: Files that write to a terminal as such, or bytes for a program, and look after it themselves.
THEMSELVES = {"chat_screen.py", "chat_terminal.py", "mend.py"}


def called(function: ast.expr) -> str:
    return ast.unparse(function).rpartition(".")[2]


def printed(file: Path) -> Iterator[tuple[int, ast.expr]]:
    """What a file prints, by line."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and node.args:
            name, whole = called(node.func), ast.unparse(node.func)
            if name in ("print", "echo", "confirm") or (name == "write" and ("stdout" in whole or "stderr" in whole)):
                yield node.lineno, node.args[0]


def is_safe(shown: ast.expr) -> bool:
    is_made_safe = isinstance(shown, ast.Call) and called(shown.func) in SAFE
    return is_made_safe or isinstance(shown, ast.Constant) or ast.unparse(shown) == OWN


@pytest.mark.parametrize(
    "file", [file for file in sorted(CLI.rglob("*.py")) if file.name not in THEMSELVES], ids=lambda file: file.name
)
def test_nothing_is_printed_as_it_came(file: Path) -> None:
    assert [line for line, shown in printed(file) if not is_safe(shown)] == []


HOSTILE = "\x1b[31m\x9b2J\u202e\x07"
ARTICLE = (
    f'---\ncapsule: "C.\\n\\u001b[31m{HOSTILE}"\nupdated: "2025\\n{HOSTILE}"\n---\n# A {HOSTILE}\n\n[[gone{HOSTILE}]]\n'
)
ENTRY = f'---\nsubject: ["a\\nb", "src{HOSTILE}"]\nlogged: "2025\\n{HOSTILE}"\n---\nalpha {HOSTILE}\n'


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose store is full of what a terminal would obey; it is the current folder."""
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    folder = tmp_path / f"proj{HOSTILE}"
    (folder / ".canon/articles").mkdir(parents=True)
    (folder / ".canon/journal").mkdir()
    (folder / ".canon/articles/src.md").write_text(ARTICLE)
    (folder / f".canon/articles/esc{HOSTILE}.md").write_text(ARTICLE)
    (folder / f".canon/articles/line\nsrc: fake{HOSTILE}.md").write_text(ARTICLE)
    (folder / ".canon/articles/bidi\u202e.md").write_text(ARTICLE)
    (folder / ".canon/journal/2025-01-01-x.md").write_text(ENTRY)
    (folder / f".canon/journal/2025-01-01-{HOSTILE}.md").write_text(ENTRY)
    (folder / ".canon/schema.json").write_text('{"article": {"\\u001b[31m\x9b\u202e": 1}}')
    (folder / "trace.jsonl").write_text('{"at": "\x9b\u202e", "kind": "a\\u001b[31m", "x": {"\\u009b": 1}}\n')
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    "args",
    [
        ["init"], ["status"], ["map"], ["map", f"none{HOSTILE}"], ["read", "src"], ["read", f"none{HOSTILE}"],
        ["search", "alpha", "--journal"], ["search", f"none{HOSTILE}"], ["write", "src", "--capsule", f"D{HOSTILE}"],
        ["write", f"bad\x01{HOSTILE}", "--body", "x"], ["journal", f"Event {HOSTILE} 42", "-s", f"src{HOSTILE}"],
        ["lint"], ["lint", "--format", "concise"], ["lint", "--format", "github"],
        ["lint", "--select", f"x{HOSTILE}"], ["graph"], ["graph", "-o", f"g{HOSTILE}.html"],
        ["restore", f"src{HOSTILE}"], ["restore", "src", "--list"], ["settings", f"x{HOSTILE}"],
        ["settings", "retrieval", f"x{HOSTILE}"], ["trace", "trace.jsonl"], ["trace", f"none{HOSTILE}"],
        ["install", "codex", "--command", f"dcc{HOSTILE}", "--dry-run"], ["map", "--mount", f"none{HOSTILE}"],
        ["map", "--cwd", f"none{HOSTILE}"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_verb_of_canon_lets_a_store_move_the_terminal(
    hostile: Path, args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(["canon", *args])
    said = capsys.readouterr()
    assert not set(HOSTILE) - set("[31m2J") & set(said.out + said.err)
    assert said.out + said.err


#: C1 controls, an override of direction and the end of an isolate: JSON needs not escape them, and terminals obey them.
OBEYED = "\x9b\x85\u202e\u2069"

#: Files that hold them where a verb prints them.
SCENARIO = {
    "ruleset": "standard",
    "steps": [{"user": f"hello {OBEYED}", "reply": OBEYED, "expect": {"text": f"not so {OBEYED}"}}],
}
SESSION = (
    {"type": "session", "version": 1, "id": "s", "cwd": "/"},
    {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "hello"}]}},
)
FILES = {
    "scenario.yaml": json.dumps(SCENARIO),
    "rules.yaml": json.dumps(
        {"extends": ["standard"], "context": {"patch_end": {"template": f"{{content}} is over {OBEYED}"}}}
    ),
    f"{OBEYED}.jsonl": "".join(json.dumps(record) + "\n" for record in SESSION),
}


@pytest.mark.parametrize(
    "args",
    [
        ["canon", "map", "--json"], ["canon", "read", "src", "--json"], ["canon", "status", "--json"],
        ["canon", "read", f"none{OBEYED}", "--json"], ["canon", "search", "alpha", "--journal", "--json"],
        ["canon", "write", "src", "--capsule", f"D{OBEYED}", "--json"], ["canon", "trace", "trace.jsonl", "--json"],
        ["canon", "lint", "--format", "json"], ["canon", "lint", "--format", "sarif"], ["parse"],
        ["check", ".canon/schema.json", "--format", "json"], ["check", ".canon/schema.json", "--format", "sarif"],
        ["play", "scenario.yaml", "--format", "json"], ["test", "scenario.yaml", "--format", "json"],
        ["compile", "rules.yaml", "--format", "json"],
        ["replay", f"{OBEYED}.jsonl", "--ruleset", "standard", "--format", "json"],
    ],
    ids=lambda args: " ".join(args[:2]),
)  # fmt: skip
def test_json_moves_no_terminal_and_says_the_same(
    hostile: Path, args: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"hi {OBEYED}".encode())))
    run(args)
    said = capsys.readouterr().out
    assert not set(OBEYED) & set(said)
    assert set(OBEYED) & set(json.dumps(json.loads(said), ensure_ascii=False))


def test_xml_moves_no_terminal_and_says_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"{OBEYED}.yaml"
    Path(name).write_text("nothing: known")
    run(["check", name, "--format", "junit"])
    said = capsys.readouterr().out
    assert not set(OBEYED) & set(said)
    (suite,) = ElementTree.fromstring(said)
    assert suite.get("name") == name


def test_one_article_is_one_line(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["canon", "map"])
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == ["bidi\\u202e", "src"]
    run(["canon", "search", "alpha", "--journal"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["journal"]
    run(["canon", "lint", "--format", "concise"])
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith(".canon/") for line in lines[:-1])
