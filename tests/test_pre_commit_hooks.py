"""The hooks that other projects take from this one: each runs, and fails on a bad ruleset."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.cli.entry import run

HOOKS = yaml.safe_load((Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text("utf-8"))


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_hook(hook: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(hook["entry"])
    assert (program, hook["language"], hook["pass_filenames"]) == ("dcc", "python", False)
    Path("docker-compose.yaml").write_text("services: {web: {image: x}}\n")
    Path("rules.yaml").write_text("life_cycle: {a: [born, null]}\n")
    assert run(arguments) == 0
    Path("rules.yaml").write_text("life_cycle: {a: [5, 3]}\n")
    assert run(arguments) == 1
