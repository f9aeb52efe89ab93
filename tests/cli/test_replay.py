"""``dcc replay``: rules over a recorded session, beside keeping everything."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest

from dcc.cli.entry import run

SESSION = Path(__file__).parents[1] / "data" / "small_session.jsonl"


def test_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--ruleset", "standard", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["schema_version"], shown["session"]) == (1, str(SESSION))
    keep, standard = shown["policies"]
    assert (keep["name"], keep["tokens_ratio"], keep["cost_ratio"]) == ("keep-everything", 1.0, 1.0)
    assert (keep["user_verbatim"], keep["unread_removed"]) == (True, 0)
    assert standard["name"] == "standard"
    assert standard["prompt_tokens"] < keep["prompt_tokens"]
    assert standard["tokens_ratio"] == round(standard["prompt_tokens"] / keep["prompt_tokens"], 4)
    assert standard["user_verbatim"] is True
    assert {"type": "telemetry", "count": 1, "unknown": True} in shown["skipped"]


def test_every_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--calls", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    (keep,) = shown["policies"]
    assert [call["ordinal"] for call in keep["calls"]] == list(range(1, shown["calls"] + 1))
    assert keep["prompt_tokens"] == sum(call["tokens"] for call in keep["calls"])
    assert keep["peak"] == max(call["tokens"] for call in keep["calls"])
    kept = [set(call["visible"]) for call in keep["calls"]]
    assert all(before <= after for before, after in pairwise(kept))


@pytest.mark.parametrize("format", ["openai", "anthropic", "pi"])
def test_the_slots_are_the_same_in_every_format(format: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--as", format, "--format", "json"]) == 0
    (keep,) = json.loads(capsys.readouterr().out)["policies"]
    assert keep["user_verbatim"]
    assert keep["prefix_kept"] < keep["prompt_tokens"]


def test_compressed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "session.jsonl.gz"
    path.write_bytes(gzip.compress(SESSION.read_bytes()))
    assert run(["replay", str(path)]) == 0
    assert "31 calls" in capsys.readouterr().out


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(SESSION), "--ruleset", "standard", "--calls"]) == 0
    out = capsys.readouterr().out
    assert "1 records of unknown type telemetry" in out
    assert "#1 turn" in out
    assert [line.split()[0] for line in out.splitlines()[-2:]] == ["keep-everything", "standard"]


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
