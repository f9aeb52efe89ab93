"""``dcc replay``: rules over a recorded session, beside keeping everything."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest

from dcc.cli.entry import run
from dcc.runtime.replay.choice import NAMES

SESSION = Path(__file__).parents[1] / "data" / "small_session.jsonl"


def test_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--ruleset", "standard", "-p", "keep-everything", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["schema_version"], shown["session"]) == (1, str(SESSION))
    keep, standard = shown["policies"]
    assert (keep["name"], keep["tokens_ratio"], keep["cost_ratio"]) == ("keep-everything", 1.0, 1.0)
    assert (keep["user_verbatim"], keep["unread_removed"]) == (True, 0)
    assert standard["name"] == "standard"
    assert standard["prompt_tokens"] < keep["prompt_tokens"]
    assert standard["tokens_ratio"] == round(standard["prompt_tokens"] / keep["prompt_tokens"], 4)
    assert standard["user_verbatim"] is True
    assert set(standard) == {
        "name", "prompt_tokens", "tokens_ratio", "peak", "prefix_kept", "cost", "cost_ratio", "evidence", "hidden",
        "offloaded", "restored", "repeated_reads", "user_verbatim", "unread_removed", "restorable",
    }  # fmt: skip
    assert set(standard["evidence"]) == {"counted", "kept", "kept_results_only"}
    assert {"type": "telemetry", "count": 1, "unknown": True} in shown["skipped"]


def test_a_list_of_messages_is_a_session_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Evidence is looked for in what other hosts call ``old_string``; the list is read by ``dcc why`` as well."""
    line = "def high_tide(day):"
    edit = {"type": "tool_use", "id": "c2", "name": "Edit", "input": {"path": "a.py", "old_string": line}}
    path = tmp_path / "session.jsonl"
    messages = [
        {"role": "user", "content": "mend it"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "Read", "input": {"path": "a.py"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": f"{line}\n"}]},
        {"role": "assistant", "content": [edit]},
    ]
    path.write_text("".join(json.dumps(message) + "\n" for message in messages), encoding="utf-8")
    assert run(["replay", str(path), "-p", "keep-everything", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["calls"], shown["turns"]) == (2, 1)
    assert shown["policies"][0]["evidence"] == {"counted": 1, "kept": 1, "kept_results_only": 1}
    assert run(["why", str(path), "toolResult@1"]) == 0
    assert "born at turn 1" in capsys.readouterr().out


def test_every_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--calls", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    keep = shown["policies"][0]
    assert [call["ordinal"] for call in keep["calls"]] == list(range(1, shown["calls"] + 1))
    assert keep["prompt_tokens"] == sum(call["tokens"] for call in keep["calls"])
    assert keep["peak"] == max(call["tokens"] for call in keep["calls"])
    kept = [set(call["visible"]) for call in keep["calls"]]
    assert all(before <= after for before, after in pairwise(kept))
    assert all(call["on_stage"] == len(call["visible"]) for call in keep["calls"])


@pytest.mark.parametrize("format", ["openai", "anthropic", "pi"])
def test_the_slots_are_the_same_in_every_format(format: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--as", format, "--format", "json"]) == 0
    keep = json.loads(capsys.readouterr().out)["policies"][0]
    assert keep["user_verbatim"]
    assert keep["prefix_kept"] < keep["prompt_tokens"]


def test_compressed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "session.jsonl.gz"
    path.write_bytes(gzip.compress(SESSION.read_bytes()))
    assert run(["replay", str(path)]) == 0
    assert "31 calls" in capsys.readouterr().out


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--ruleset", "standard"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("1 records of unknown type telemetry" in line for line in lines)
    head = next(i for i, line in enumerate(lines) if line.startswith("policy"))
    rows = lines[head : head + len(NAMES) + 2]
    assert [row.split()[0] for row in rows] == ["policy", *NAMES, "standard"]
    assert len({len(row) for row in rows}) == 1, "the columns are aligned"


def test_calls_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "-p", "keep-everything", "--calls"]) == 0
    short = capsys.readouterr().out
    assert "#1 turn 1" in short
    assert "user@1" not in short
    assert run(["replay", str(SESSION), "-p", "keep-everything", "--calls", "-v"]) == 0
    assert "user@1" in capsys.readouterr().out


def test_a_policy_that_keeps_more_than_the_window_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--window", "500"]) == 0
    assert "keep-everything: the largest prompt is above the window of 500 tokens" in capsys.readouterr().out


def test_chosen_policies(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "-p", "sliding-window", "-p", "as-recorded", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)["policies"]
    assert [policy["name"] for policy in shown] == ["keep-everything", "sliding-window", "as-recorded"]


def test_an_unknown_policy_names_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "-p", "nope"]) == 2
    assert all(name in capsys.readouterr().err for name in NAMES[:1])


def test_a_curve(capsys: pytest.CaptureFixture[str]) -> None:
    sweep = "life_cycle.toolResult.end=born+{} calls:1,2,4"
    assert run(["replay", str(SESSION), "--curve", sweep]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[-3:]] == ["born+1", "born+2", "born+4"]
    assert run(["replay", str(SESSION), "--curve", sweep, "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["ruleset"], shown["parameter"]) == ("standard", "life_cycle.toolResult.end")
    assert [point["value"] for point in shown["points"]] == ["born+1 calls", "born+2 calls", "born+4 calls"]
    assert all({"prompt_tokens", "evidence"} <= set(point) for point in shown["points"])


@pytest.mark.parametrize("wrong", [["--curve", "nope"], ["--curve", "settle.every=8", "-r", "standard", "-r", "tutor"]])
def test_a_wrong_curve_is_wrong_usage(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), *wrong]) == 2
    assert "help:" in capsys.readouterr().err


def test_a_curve_over_values_that_no_ruleset_may_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--curve", "life_cycle.toolResult.end=born+{}:x"]) == 1
    assert "bad-bound" in capsys.readouterr().err


def test_a_curve_over_a_parameter_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--curve", "nosuch=1"]) == 1
    told = capsys.readouterr().err
    assert "--curve nosuch=1: DCC101 unknown-key: unknown key `nosuch`" in told
    assert "<inline>" not in told


def test_nothing_but_the_report_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "-r", "standard", "-r", "tutor"]) == 0
    assert capsys.readouterr().err == "", "a progress bar is for terminals"


@pytest.mark.parametrize("content", [None, b"", b"\x00\x01\x02", b"{}\n"])
def test_what_is_no_session_is_wrong_usage(
    content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "session.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert run(["replay", str(path)]) == 2
    shown = capsys.readouterr().err
    assert "session.jsonl" in shown
    assert "Traceback" not in shown


def test_a_ruleset_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--ruleset", "nope"]) == 2
    assert "nope" in capsys.readouterr().err
