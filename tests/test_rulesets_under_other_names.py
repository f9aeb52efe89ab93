"""The rulesets for tool loops go by kinds of content: what a host calls its tools and arguments changes little."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from recordings import got, recording, say, turn, use

from dcc.compiler.load import load_program
from dcc.compiler.override import override
from dcc.runtime.hosts.pi_session import read_pi_session
from dcc.runtime.hosts.recording import Recording, Reply, Step
from dcc.runtime.kernel.content import Call, parse_object
from dcc.runtime.replay.calls import Replayed
from dcc.runtime.replay.evidence import find_evidence
from dcc.runtime.replay.history import History, read_history
from dcc.runtime.replay.run import replay
from dcc.runtime.replay.totals import sum_up
from dcc.runtime.replay.workers import replay_all

DATA = Path(__file__).parents[2] / "shared" / "data"

Renamed = tuple[str, Mapping[str, Any]]


class Host(NamedTuple):
    """What a host calls the tools read, edit, write and bash, and their arguments.

    ``more``: arguments that calls of a tool have beside them; ``without``: those that it does not have.
    """

    tools: Mapping[str, str]
    arguments: Mapping[str, str]
    more: Mapping[str, Mapping[str, Any]] = {}
    without: tuple[str, ...] = ()

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Renamed:
        said = {name: value for name, value in arguments.items() if name not in self.without}
        named = {self.arguments.get(f"{tool}.{k}", self.arguments.get(k, k)): v for k, v in said.items()}
        return self.tools.get(tool, tool), {**named, **self.more.get(tool, {})}


_EDITOR = "str_replace_based_edit_tool"

HOSTS: dict[str, Callable[[str, Mapping[str, Any]], Renamed]] = {
    "capitals": Host(
        {"read": "Read", "edit": "Edit", "write": "Write", "bash": "Bash"},
        {"path": "file_path", "oldText": "old_string", "newText": "new_string"},
    ),
    "snake case": Host(
        {"read": "view_file", "edit": "search_replace", "write": "create_file", "bash": "run_terminal_cmd"},
        {"read.path": "target_file", "edit.path": "file_path", "write.path": "filename", "oldText": "old_string"},
    ),
    "camel case": Host(
        {"read": "readFile", "edit": "replaceInFile", "write": "writeFile", "bash": "exec"},
        {"path": "filePath", "oldText": "oldString", "newText": "newString"},
    ),
    "one tool for files": Host(
        {"read": _EDITOR, "edit": _EDITOR, "write": _EDITOR, "bash": "shell"},
        {"oldText": "old_str", "newText": "new_str", "content": "file_text"},
        {"read": {"command": "view"}, "edit": {"command": "str_replace"}, "write": {"command": "create"}},
    ),
    "tools that nobody knows": Host({"read": "zip", "edit": "zap", "write": "zop", "bash": "zup"}, {}),
    "reads without an offset": Host({}, {}, without=("offset", "limit")),
}

#: Where each tool under each of those hosts keeps the text that it replaces.
OLD_TEXT = {
    "Edit": "old_string", "search_replace": "old_string", "replaceInFile": "oldString", _EDITOR: "old_str",
    "zap": "oldText", "edit": "oldText",
}  # fmt: skip


def renamed(session: Recording, host: Callable[[str, Mapping[str, Any]], Renamed]) -> Recording:
    """The session as the host would have recorded it."""

    def step(one: Step) -> Step:
        if not isinstance(one, Reply):
            return one
        calls = []
        for call in one.calls:
            calls.append(Call(call.id, *host(call.name, parse_object(call.arguments) or {})))
        return replace(one, calls=tuple(calls))

    turns = tuple(replace(turn, steps=tuple(map(step, turn.steps))) for turn in session.turns)
    return replace(session, turns=turns)


def work(calls: int) -> Recording:
    """A loop that reads 20 files in turn, mends every one when it was read, writes some and runs the tests."""
    steps: list[Step] = []
    for n in range(0, calls, 4):
        path, text = f"src/f{n // 4 % 20}.py", f"def f{n}():\n    return 'something {n}'\n" * 12
        steps += [use(f"r{n}", "read", path=path), got(f"r{n}", text)]
        steps += [use(f"e{n}", "edit", path=path, oldText=f"    return 'something {n}'", newText="    return 1")]
        steps += [got(f"e{n}", "done", "edit"), use(f"w{n}", "write", path=f"out/{n}.txt", content="word " * 90)]
        steps += [got(f"w{n}", "done", "write"), use(f"b{n}", "bash", command=f"make {n}")]
        steps += [got(f"b{n}", f"test {n} is fine\n" * 40, "bash")]
    return recording(turn("mend them all", *steps, say("done")))


LOOP = work(320)


@cache
def stages(host: str | None, ruleset: str) -> list[tuple[int, int]]:
    """What was on stage and what was full, call by call; None: under pi's own names.

    Without settling: when a batch is large enough hangs on the length of names too.
    """
    session = LOOP if host is None else renamed(LOOP, HOSTS[host])
    program = load_program(override(ruleset, ("settle",), {"every": 1}))
    return [(call.shown, call.full) for call in replay(session, program).calls]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("ruleset", ["coding", "frugal", "anthropic_like"])
def test_the_same_is_on_stage_whatever_tools_are_called(ruleset: str, host: str) -> None:
    assert stages(host, ruleset) == stages(None, ruleset)


def test_the_loop_is_long_enough_to_tell() -> None:
    for ruleset in ("coding", "frugal", "anthropic_like"):
        assert any(shown != full or shown.bit_count() < 200 for shown, full in stages(None, ruleset)[200:])


BARS = {"coding": (0.35, 0.50, 0.93), "frugal": (0.172, 0.35, 0.65), "anthropic_like": (0.55, 0.65, 0.93)}


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded sessions are not here")
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", ["feature", "refactor"])
def test_recorded_sessions_keep_to_the_bars(name: str, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dcc.runtime.replay.tools.OLD_TEXT", OLD_TEXT)
    session = renamed(read_pi_session(DATA / f"pi-{name}-session.jsonl.gz"), HOSTS[host])
    read: tuple[History, Replayed] = read_history(session)
    history, measure = read
    edits = find_evidence(history)
    programs = [load_program(ruleset) for ruleset in BARS]
    for run, (ruleset, bars) in zip(replay_all(session, programs, history.ids), BARS.items(), strict=True):
        totals = sum_up(run, measure, history, edits)
        tokens, cost, evidence = bars
        assert totals.evidence.counted == {"feature": 146, "refactor": 125}[name]
        assert totals.tokens_ratio <= tokens, ruleset
        assert totals.cost_ratio <= cost, ruleset
        assert totals.evidence.kept >= evidence * totals.evidence.counted, ruleset
