"""``dcc tools`` and ``dcc check`` where plugins bring tools: servers are started, entry points loaded, or named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.cli.entry import run

SERVER = Path(__file__).parents[1] / "runtime" / "agent" / "tools" / "mcp_test_server.py"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("fishing", None)


def ruleset(tools: dict[str, Any], **more: Any) -> list[str]:
    """The option for a ruleset with these tools."""
    Path("rules.yaml").write_text(yaml.safe_dump({"tools": tools, **more}, sort_keys=False))
    return ["--ruleset", "rules.yaml"]


def server(*args: str, **more: Any) -> dict[str, Any]:
    """The declaration of a server that notes its starts in the file ``starts``."""
    return {"command": sys.executable, "args": [str(SERVER), "starts", *args], **more}


def install(monkeypatch: pytest.MonkeyPatch, points: dict[str, str], source: str) -> None:
    """Install a distribution with entry points ``dcc.tools`` and the module ``fishing``."""
    site = Path("site").absolute()
    info = site / "fishing-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fishing\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[dcc.tools]", *lines, ""]))
    (site / "fishing.py").write_text(source)
    monkeypatch.syspath_prepend(str(site))


def shown(capsys: pytest.CaptureFixture[str], args: list[str], code: int = 0) -> tuple[dict[str, Any], list[Any]]:
    """The rows of ``dcc tools`` by name, and the warnings."""
    assert run(["tools", "--json", *args]) == code
    document = json.loads(capsys.readouterr().out)
    names = [row["name"] for row in document["tools"]]
    assert len(names) == len(set(names))
    return {row["name"]: row for row in document["tools"]}, document["warnings"]


def test_tools_of_a_server_are_listed_with_the_step_that_decided(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mcp")
    options = ruleset({"mcp": {"every": server()}, "alsoAllow": ["every"], "deny": ["large", "every__read"]})
    rows, warnings = shown(capsys, options)
    assert warnings == []
    assert rows["add"] == {
        "name": "add", "allowed": True, "step": 3, "label": "tools.allow", "rule": "every", "plugin": "every",
        "why": "allow", "of": "plugin",
    }  # fmt: skip
    assert (rows["large"]["allowed"], rows["large"]["rule"]) == (False, "large")
    assert (rows["every__read"]["allowed"], rows["every__read"]["plugin"]) == (False, "every")
    assert rows["read"]["allowed"]
    (pid,) = map(int, Path("starts").read_text().split())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_server_that_cannot_be_started_is_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mcp")
    monkeypatch.setenv("FORGE_TOKEN", "a-token-of-the-forge")
    tells = "import os, sys; sys.exit('my token is ' + os.environ['FORGE_TOKEN'])"
    servers = {
        "gone": {"command": "no-such-program-anywhere"},
        "dies": {"command": sys.executable, "args": ["-c", tells], "env": ["FORGE_TOKEN"]},
        "every": server(),
    }
    options = ruleset({"mcp": servers, "allow": ["read", "gone", "forge_tool"]})
    rows, warnings = shown(capsys, options)
    assert {row["plugin"] for row in rows.values()} == {None, "every"}
    assert [(w["code"], w["severity"], w["entries"]) for w in warnings] == [
        ("plugin_left_out", "warning", ["gone"]), ("plugin_left_out", "warning", ["dies"]),
        ("unknown_entries", "warning", ["forge_tool"]),
    ]  # fmt: skip
    assert run(["tools", *options]) == 0
    out, err = capsys.readouterr()
    assert "add " in out
    (gone,) = (line for line in err.splitlines() if "gone" in line)
    assert gone.startswith("warning: gone: the MCP server gone cannot be used: ")
    assert gone.endswith("(look at its command: no-such-program-anywhere)")
    assert "my token is [secret]" in err


def test_ctrl_c_ends_the_wait_for_a_server_and_the_server() -> None:
    pytest.importorskip("mcp")
    mute = "import os, time; open('starts', 'a').write(f'{os.getpid()}\\n'); time.sleep(600)"
    options = ruleset({"mcp": {"mute": {"command": sys.executable, "args": ["-c", mute]}}})
    process = subprocess.Popen([sys.executable, "-m", "dcc", "tools", *options], stdout=subprocess.PIPE)
    while not Path("starts").exists() or not Path("starts").read_text().endswith("\n"):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("starts").read_text()), 0)


@pytest.mark.parametrize(
    ("tools", "more"), [({"profile": "Minimal"}, {}), ({}, {"life_cycle": {"user": ["born", "born+1e2"]}})]
)
def test_nothing_of_a_ruleset_with_errors_is_started(
    tools: dict[str, Any], more: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    rows, _ = shown(capsys, ruleset({**tools, "mcp": {"every": server()}}, **more), code=1)
    assert "read" in rows
    assert "add" not in rows
    assert not Path("starts").exists()


FISHING = """
print("loaded")

def catch(weight: int) -> str:
    "A fish."
    return "a fish"

def pdf(path: str) -> str:
    "A tool with the name of a host's."
    return ""
"""


def test_tools_of_entry_points_are_listed_and_a_broken_one_is_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, {"fish": "fishing:catch", "paper": "fishing:pdf", "broken": "fishing:nothing"}, FISHING)
    rows, warnings = shown(capsys, ruleset({"allow": ["*", "broken"], "deny": ["fish"]}))
    assert (rows["catch"]["plugin"], rows["catch"]["allowed"], rows["catch"]["rule"]) == ("fish", False, "fish")
    assert (rows["pdf"]["plugin"], rows["pdf"]["allowed"]) == ("paper", True)
    assert [(w["code"], w["entries"]) for w in warnings] == [("plugin_left_out", ["broken"])]
    assert "has no attribute 'nothing'" in warnings[0]["message"]


def test_a_folder_that_is_not_there_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    options = ruleset({"mcp": {"every": server()}}, agents={"main": {"workspace": "nowhere"}})
    rows, warnings = shown(capsys, [*options, "--agent", "main"])
    assert "read" in rows
    assert [w["code"] for w in warnings] == ["bad_workspace"]
    assert not Path("starts").exists()


OFFLOADS = {"toolResult": {"start": "born", "end": "born+9", "retire": "offload"}}


@pytest.mark.parametrize("name", ["fish", "every", "catch", "cat*"])
def test_check_knows_plugins_by_name_and_neither_starts_nor_imports_them(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of plugins alone adds: ``artifact_get`` stays, and what was offloaded can be opened."""
    ruleset({"allow": [name], **({"mcp": {"every": server()}} if name == "every" else {})}, life_cycle=OFFLOADS)
    if name != "every":
        assert run(["check", "rules.yaml"]) == 1
        install(monkeypatch, {"fish": "fishing:catch"}, FISHING)
    capsys.readouterr()
    assert run(["check", "--format", "json", "rules.yaml"]) == 0
    assert json.loads(capsys.readouterr().out)["diagnostics"] == []
    assert "fishing" not in sys.modules
    assert not Path("starts").exists()
