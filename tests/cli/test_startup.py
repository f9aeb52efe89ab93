"""What starting up costs in imports: nothing large before it is needed, and never a module twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LARGE = {"lark", "yaml", "pydantic", "typer", "jinja2", "re2"}

#: Top-level names under which a folder of the package could be imported by accident.
FOLDERS = {"grammar", "compiler", "runtime", "cli", "rulesets"}


def modules_after(code: str, cwd: Path) -> set[str]:
    """The names in sys.modules of a fresh interpreter that has run ``code``."""
    script = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], cwd=cwd, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


def test_version_imports_nothing_large(tmp_path: Path) -> None:
    loaded = modules_after("from dcc.cli.entry import main; main(['--version'])", tmp_path)
    assert "dcc.cli.entry" in loaded
    assert not LARGE & loaded


def test_import_dcc_imports_nothing_large(tmp_path: Path) -> None:
    assert not LARGE & modules_after("import dcc", tmp_path)


def test_check_needs_no_runtime(tmp_path: Path) -> None:
    loaded = modules_after("from dcc.cli.entry import main; main(['check', 'standard'])", tmp_path)
    assert "dcc.compiler.load" in loaded
    assert not {name for name in loaded if name.startswith("dcc.runtime")}


def test_a_session_needs_no_command_line(tmp_path: Path) -> None:
    loaded = modules_after("import dcc.runtime.session", tmp_path)
    assert "typer" not in loaded
    assert not {name for name in loaded if name.startswith("dcc.cli")}


@pytest.mark.parametrize("module", ["dcc", "dcc.runtime.session", "dcc.cli.check", "dcc.cli.play"])
def test_no_module_is_there_twice(module: str) -> None:
    assert not FOLDERS & modules_after(f"import {module}", ROOT)


def test_a_chat_in_a_pipe_needs_no_line_editor(tmp_path: Path) -> None:
    store = tmp_path / "sessions.db"
    run = f"from dcc.cli.entry import main; main(['chat', '--store', {str(store)!r}])"
    code = f"import io; sys.stdin = io.StringIO('hello'); {run}"
    assert "prompt_toolkit" not in modules_after(code, tmp_path)


def test_a_canon_store_is_read_without_anything_large(tmp_path: Path) -> None:
    call = "Canon('.').call({'action': 'read', 'path': 'a/b.py'})"
    loaded = modules_after(f"from dcc.runtime.memory.canon import Canon; {call}", tmp_path)
    assert "dcc.runtime.memory.store.articles" in loaded
    assert not LARGE & loaded


def test_a_hook_of_canon_starts_without_anything_large(tmp_path: Path) -> None:
    (tmp_path / ".canon/articles").mkdir(parents=True)
    event = f'{{"hook_event_name": "Stop", "session_id": "s", "cwd": {json.dumps(str(tmp_path))}}}'
    given = f"import io; sys.stdin = io.TextIOWrapper(io.BytesIO({event.encode()!r}))"
    code = f"import os; os.environ['XDG_CACHE_HOME'] = {str(tmp_path)!r}; {given}"
    loaded = modules_after(f"{code}; from dcc.cli.entry import main; main(['canon', 'hook'])", tmp_path)
    assert "dcc.runtime.memory.surfacing.surfacing" in loaded
    assert not LARGE & loaded
    assert not {name for name in loaded if name.startswith("dcc.cli.canon")}
