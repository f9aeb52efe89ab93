"""Results of any size in a run: no server ever refuses a request for them (runtime spec, 3.2 and 3.3; issue 2871).

The server does not report usage, so nothing is known but what is counted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agents import PROTOCOLS, calls, giving, looks_up, rules, run
from huge_results import HUGE, length, lines
from loopback.behaviour import Behaviour, Refuses, Says
from loopback.server import Loopback

from dcc.runtime.kernel.tokens import count_text
from dcc.runtime.values import GovernanceFlags

WINDOW = 64_000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def within(window: int, says: Says) -> Any:
    """A server that answers, and refuses whatever its window does not hold."""

    def decide(body: Any) -> Behaviour:
        return says if length(body) <= window else Refuses(400, '{"error": {"message": "prompt is too long"}}')

    return decide


@pytest.mark.parametrize("kind", HUGE)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_request_after_it_fits_and_nothing_was_refused(kind: str, protocol: str, folder: Path) -> None:
    results = HUGE[kind]
    with Loopback(looks_up(len(results)), decide=within(WINDOW, Says(("seen",)))) as server:
        config = rules(server, protocol, governance={"window": WINDOW})
        result = run(config, "go", folder, tools=(giving(*results),))
    assert result.answer == "seen"
    assert "recovered" not in dict(result.notices)
    assert len(server.seen) == 2


def test_a_run_that_looks_up_one_huge_thing_after_the_other_is_never_refused(folder: Path) -> None:
    script = [calls(f"c{n}", "look_up", n=n) for n in range(8)]
    with Loopback(*script, decide=within(WINDOW, Says(("seen",)))) as server:
        config = rules(server, governance={"window": WINDOW})
        result = run(config, "go", folder, tools=(giving(*(lines(400_000, n) for n in range(8))),))
    assert result.answer == "seen"
    for n, seen in enumerate(server.seen[1:]):
        newest = [message for message in seen.body["messages"] if message["role"] == "tool"][-1]["content"]
        assert lines(400_000, n)[:20_000] in newest


def test_the_schemas_of_tools_take_their_part_of_the_window(folder: Path) -> None:
    """Nothing on stage says how long they are, and no usage has taught it yet."""
    described, found = lines(80_000, 7), lines(145_000)
    with Loopback(looks_up(1), decide=within(WINDOW, Says(("seen",)))) as server:
        config = rules(server, governance={"window": WINDOW})
        result = run(config, "go", folder, tools=(giving(found, described=described),))
    assert result.answer == "seen"
    assert "recovered" not in dict(result.notices)
    assert count_text(found) < 0.95 * 0.75 * WINDOW
    assert count_text(described) + count_text(found) > WINDOW


def test_a_host_that_knows_the_window_need_not_write_it(folder: Path) -> None:
    with Loopback(looks_up(1), decide=within(WINDOW, Says(("seen",)))) as server:
        result = run(
            rules(server), "go", folder, tools=(giving(lines(3_000_000)),), flags=GovernanceFlags(window=WINDOW)
        )
    assert result.answer == "seen"
    assert len(server.seen) == 2


def test_nothing_is_lost_read_in_parts_it_is_the_same_text(folder: Path) -> None:
    """The model reads on from the offsets that it is told, until there is no more."""
    text = lines(400_000)
    parts: list[str] = []

    def decide(body: Any) -> Behaviour:
        newest = [message for message in body["messages"] if message["role"] == "tool"][-1]["content"]
        if newest.startswith("artifact://"):
            return calls("g0", "artifact_get", uri=newest.split()[0], max_chars=50_000)
        part, _, rest = newest.partition("\n[")
        parts.append(part)
        if "goes on" not in rest:
            return Says(("read",))
        address = next(
            message["content"].split()[0]
            for message in body["messages"] if message["role"] == "tool" and "artifact://" in message["content"]
        )  # fmt: skip
        at = int(rest.partition("offset ")[2].split()[0])
        return calls(f"g{at}", "artifact_get", uri=address, max_chars=50_000, offset=at)

    with Loopback(looks_up(1), decide=decide) as server:
        config = rules(server, governance={"window": WINDOW})
        result = run(config, "go", folder, tools=(giving(text),))
    assert result.answer == "read"
    assert len(parts) == 8
    assert "".join(parts) == text
