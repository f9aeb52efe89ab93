"""Entries of canon in the files of hosts: put in, taken out, and every byte of others stays."""

from __future__ import annotations

import json
import os
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

from dcc.grammar.errors import DccError
from dcc.runtime.hosts import json_text, toml_text
from dcc.runtime.hosts.claude_code.install import changes as claude_changes
from dcc.runtime.hosts.codex.install import changes as codex_changes
from dcc.runtime.hosts.installing import carry_out
from dcc.runtime.whole_file import ABANDONED, write_whole

CHANGES = {"claude-code": claude_changes, "codex": codex_changes}


def install(host: str, folder: Path, *, remove: bool = False, user: bool = False, command: str = "dcc") -> list[str]:
    """Install or remove; the names of the files that changed."""
    made = CHANGES[host](str(folder), command, {"HOME": str(folder / "home")}, user=user, remove=remove)
    for change in made:
        if change.is_change:
            carry_out(change)
    return [Path(change.path).name for change in made if change.is_change]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("user", [False, True])
@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_where_there_is_nothing_it_comes_and_goes_without_a_trace(tmp_path: Path, host: str, user: bool) -> None:
    assert len(install(host, tmp_path, user=user)) == 2
    before = files(tmp_path)
    assert all(("home" in name) == user for name in before)
    assert install(host, tmp_path, user=user) == []
    assert len(install(host, tmp_path, user=user, remove=True)) == 2
    assert install(host, tmp_path, user=user, remove=True) == []
    assert files(tmp_path) == {}


def test_the_entries_of_claude_code(tmp_path: Path) -> None:
    install("claude-code", tmp_path, command="'/opt/my tools/dcc'")
    hooks = json.loads((tmp_path / ".claude/settings.json").read_text())["hooks"]
    assert list(hooks) == ["SessionStart", "PostToolBatch", "Stop"]
    command = "'/opt/my tools/dcc' canon hook --caller claude-code"
    assert hooks["Stop"] == [{"hooks": [{"type": "command", "command": command, "timeout": 5}]}]
    servers = json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]
    assert servers == {"canon": {"command": "/opt/my tools/dcc", "args": ["mcp", "--canon"]}}


def test_the_entries_of_codex(tmp_path: Path) -> None:
    install("codex", tmp_path)
    hooks = json.loads((tmp_path / ".codex/hooks.json").read_text())["hooks"]
    assert list(hooks) == ["SessionStart", "PostToolUse", "Stop"]
    assert tomllib.loads((tmp_path / ".codex/config.toml").read_text()) == {
        "features": {"codex_hooks": True},
        "mcp_servers": {"canon": {"command": "dcc", "args": ["mcp", "--canon"]}},
    }


SAY = '{"hooks": [{"type": "command", "command": "say"}]}'
SETTINGS = [
    '{"model":"x"}',
    '{ "hooks" : { "Stop" : [ ] } , "a" : [1,\t2.50e3, -0 ] }\n',
    f'\ufeff{{\r\n\t"hooks": {{\r\n\t\t"Stop": [\r\n\t\t\t{SAY}\r\n\t\t]\r\n\t}}\r\n}}',
    '{\n    "permissions": {"allow": ["Bash(ls:*)"]},\n\n    "env": {"A": "\\u00e9 \\"q\\""}\n}\n\n',
    f'{{\n  "hooks": {{\n    "PostToolBatch": [{SAY}]\n  }}\n}}\n',
]


@pytest.mark.parametrize("text", SETTINGS)
def test_settings_of_others_keep_every_byte(tmp_path: Path, text: str) -> None:
    file = tmp_path / ".claude/settings.json"
    file.parent.mkdir()
    file.write_bytes(text.encode())
    install("claude-code", tmp_path)
    made = file.read_bytes().decode("utf-8-sig")
    kept = json.loads(text.removeprefix("\ufeff"))
    for event in ("SessionStart", "PostToolBatch", "Stop"):
        assert len(json.loads(made)["hooks"][event]) == 1 + len(kept.get("hooks", {}).get(event, []))
    assert install("claude-code", tmp_path) == []
    install("claude-code", tmp_path, remove=True)
    after = file.read_bytes()
    # An empty list that our entry had to go into goes with it.
    assert after == text.encode() or json.loads(after.decode("utf-8-sig")) == {"a": [1, 2500.0, 0]}


CONFIGS = [
    'model = "o"\n',
    'model = "o"\r\n\r\n[features]\r\nfoo = true\r\n[x]\r\ny=1',
    "[features] # those\nfoo = true\n\n[mcp_servers.other]\ncommand = 'x'\n\n",
    "[features]",
    "# nothing but a remark",
]


@pytest.mark.parametrize("text", CONFIGS)
def test_a_config_of_others_keeps_every_byte(tmp_path: Path, text: str) -> None:
    file = tmp_path / ".codex/config.toml"
    file.parent.mkdir()
    file.write_bytes(text.encode())
    install("codex", tmp_path)
    made = tomllib.loads(file.read_text())
    assert made["features"]["codex_hooks"] is True
    assert made["mcp_servers"]["canon"]["args"] == ["mcp", "--canon"]
    assert install("codex", tmp_path) == []
    install("codex", tmp_path, remove=True)
    left = file.read_bytes().decode()
    assert left == text or left == f"{text}\n" == "[features]\n"


def test_an_older_entry_of_ours_is_replaced_and_a_mixed_group_keeps_the_rest(tmp_path: Path) -> None:
    file = tmp_path / ".claude/settings.json"
    file.parent.mkdir()
    other = {"type": "command", "command": "say"}
    old = {"type": "command", "command": "/old/dcc canon hook --caller claude-code"}
    file.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [other, old]}, {"hooks": [old]}]}}))
    install("claude-code", tmp_path)
    stop = json.loads(file.read_text())["hooks"]["Stop"]
    assert stop[0] == {"hooks": [other]}
    assert [hook["command"] for group in stop[1:] for hook in group["hooks"]] == ["dcc canon hook --caller claude-code"]
    install("claude-code", tmp_path, remove=True)
    assert json.loads(file.read_text()) == {"hooks": {"Stop": [{"hooks": [other]}]}}


def test_a_server_of_the_same_name_that_is_not_ours_stays(tmp_path: Path) -> None:
    theirs = {"mcpServers": {"canon": {"command": "node", "args": ["server.js"]}}}
    (tmp_path / ".mcp.json").write_text(json.dumps(theirs))
    (tmp_path / ".codex").mkdir()
    config = '[mcp_servers.canon]\ncommand = "node"\n[features]\ncodex_hooks = false\n'
    (tmp_path / ".codex/config.toml").write_text(config)
    for host, notes in (("claude-code", 1), ("codex", 2)):
        made = CHANGES[host](str(tmp_path), "dcc", {}, user=False, remove=False)
        assert sum(len(change.notes) for change in made) == notes
    for remove in (False, True):
        install("claude-code", tmp_path, remove=remove)
        install("codex", tmp_path, remove=remove)
        assert json.loads((tmp_path / ".mcp.json").read_text()) == theirs
        assert (tmp_path / ".codex/config.toml").read_text() == config


@pytest.mark.parametrize(
    "text", ["{", '{"hooks": 3}', '{"hooks": {"Stop": {}}}', "[]", '{"a": 1,}', '{"a" 1}', "{} x", "\x00"]
)
def test_what_cannot_be_read_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(DccError) as raised:
        install("claude-code", tmp_path)
    assert raised.value.code == "bad_json"
    assert file.read_text() == text


def test_a_file_keeps_its_rights_and_a_link_stays_one(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    kept.write_text('{"model": "x"}')
    kept.chmod(0o640)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").symlink_to(kept)
    install("claude-code", tmp_path)
    assert (tmp_path / ".claude/settings.json").is_symlink()
    assert "canon hook" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o640


def value(draw: random.Random, depth: int) -> Any:
    kind = draw.randrange(7 if depth < 4 else 5)
    match kind:
        case 5:
            return [value(draw, depth + 1) for _ in range(draw.randrange(4))]
        case 6:
            return {draw.choice("abcdé\n\"") + str(n): value(draw, depth + 1) for n in range(draw.randrange(4))}
    return draw.choice([None, True, -1.5, 12, "", 'te"xt\n', "é😀"])


def test_edits_of_random_documents_change_only_what_they_are_about() -> None:
    draw = random.Random(5)
    for _ in range(400):
        data = {f"k{n}": value(draw, 1) for n in range(draw.randrange(4))}
        text = json.dumps(data, indent=draw.choice([None, 2, "\t"]), ensure_ascii=draw.random() < 0.5)
        assert json_text.parse(text).value == data
        held = json_text.put(text, ("new", "deep"), [1])
        assert json.loads(held) == {**data, "new": {"deep": [1]}}
        more = json_text.append(held, ("new", "deep"), {"x": 2})
        assert json.loads(more) == {**data, "new": {"deep": [1, {"x": 2}]}}
        assert json.loads(json_text.put(more, ("new", "deep"), 0)) == {**data, "new": {"deep": 0}}
        assert json_text.take_out(json_text.take_out(more, ("new", "deep", 1)), ("new", "deep", 0)) == text
        for key in data:
            assert json.loads(json_text.take_out(text, (key,))) == {k: v for k, v in data.items() if k != key}


def test_a_table_without_a_line_of_its_own_is_told() -> None:
    with pytest.raises(DccError) as raised:
        toml_text.with_line("features.foo = true\n", "features", "codex_hooks = true")
    assert raised.value.code == "bad_toml"


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": 5}'])
def test_a_file_that_cannot_be_changed_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(text)
    with pytest.raises(DccError, match=r"settings\.json: "):
        install("claude-code", tmp_path)


def test_a_file_of_blanks_is_one_in_which_nothing_stands(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text(" \n")
    install("claude-code", tmp_path)
    assert "canon" in json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]


def test_no_group_is_left_without_hooks(tmp_path: Path) -> None:
    ours = {"matcher": "Edit", "hooks": [{"type": "command", "command": "dcc canon hook --caller claude-code"}]}
    other = {"matcher": "Edit", "hooks": [{"type": "command", "command": "lint"}]}
    (tmp_path / ".claude").mkdir()
    file = tmp_path / ".claude/settings.json"
    file.write_text(json.dumps({"hooks": {"Stop": [ours, other]}}))
    install("claude-code", tmp_path, remove=True)
    assert json.loads(file.read_text()) == {"hooks": {"Stop": [other]}}


def test_servers_in_one_line_are_told_of_as_what_they_are(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/config.toml").write_text("mcp_servers = {}\n")
    with pytest.raises(DccError, match=r"config\.toml: mcp_servers or features is written in one line"):
        install("codex", tmp_path)


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".mcp.json")
    with pytest.raises(DccError, match="no regular file"):
        install("claude-code", tmp_path)


@pytest.mark.parametrize("text", ["{}", "{}\n", " {} ", "\ufeff{}\r\n"])
@pytest.mark.parametrize(("host", "name"), [("claude-code", ".claude/settings.json"), ("claude-code", ".mcp.json"),
                                            ("codex", ".codex/hooks.json")])  # fmt: skip
def test_an_object_in_which_nothing_stands_is_somebodys_too(tmp_path: Path, host: str, name: str, text: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode())
    assert install(host, tmp_path, remove=True) == []
    install(host, tmp_path)
    assert b"canon" in file.read_bytes()
    install(host, tmp_path, remove=True)
    assert file.read_bytes() == text.encode()


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\ufeff"])
@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_blank_file_is_not_taken_away(tmp_path: Path, host: str, text: str) -> None:
    names = [".claude/settings.json", ".mcp.json"] if host == "claude-code" else [".codex/hooks.json"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert install(host, tmp_path, remove=True) == []
    install(host, tmp_path)
    install(host, tmp_path, remove=True)
    assert [(tmp_path / name).read_text().strip() for name in names] == ["{}"] * len(names)


def test_what_somebody_writes_while_a_change_is_shown_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    planned = CHANGES["claude-code"](str(tmp_path), "dcc", {}, user=False, remove=False)
    file.write_text('{"mine": 1}')
    with pytest.raises(DccError, match=r"\.mcp\.json was changed meanwhile") as raised:
        carry_out(planned[1])
    assert (raised.value.code, file.read_text()) == ("changed_meanwhile", '{"mine": 1}')


def test_what_a_killed_installation_left_is_taken_away_when_it_is_old(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    for name, age in (("settings.json.dcc-old", ABANDONED + 60), ("settings.json.dcc-new", 0), ("other.dcc-old", 9e6)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (file.parent.stat().st_mtime - age,) * 2)
    write_whole(str(file), "{}")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "other.dcc-old", "settings.json", "settings.json.dcc-new"
    ]  # fmt: skip


@pytest.mark.parametrize("made", ["folder", "huge", "device"])
def test_what_is_no_file_of_settings_is_told_of(tmp_path: Path, made: str) -> None:
    file = tmp_path / ".mcp.json"
    if made == "folder":
        file.mkdir()
    elif made == "device":
        file.symlink_to("/dev/zero")
    else:
        file.touch()
        os.truncate(file, 1 << 30)
    with pytest.raises(DccError, match=r"\.mcp\.json (is a folder|is no regular file|has more than)"):
        install("claude-code", tmp_path)
    assert not (tmp_path / ".claude").exists()
