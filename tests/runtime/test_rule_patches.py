"""Rule patches on a live session, case by case from conformance/rule_patches.yaml."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.compiler.load import load_program
from dcc.runtime.session import Reply, Session, SessionError

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[1] / "conformance" / "rule_patches.yaml").read_text("utf-8")
)


def by_id(cases: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


def play_turn(session: Session, elements: list[str]) -> None:
    session.begin(f"message {session.turn + 1}", verbatim=True)
    session.request()
    session.add_reply(Reply("ok"))
    session.commit()
    for element in elements:
        session.add_entry(element, "content")


def played(case: dict[str, Any]) -> Session:
    session = Session.create(load_program({"life_cycle": {"user": ["born", None], **case["rules"]}}))
    for turn in range(1, case["last_turn"] + 1):
        for slot, first_off in case.get("closed", {}).items():
            if first_off == turn:
                session.close(slot)
        play_turn(session, [s.split("@")[0] for s in case["slots"] if s.endswith(f"@{turn}")])
    return session


def check(case: dict[str, Any], session: Session, patch: Callable[[], None]) -> None:
    if "error" in case:
        before = session.state_hash()
        with pytest.raises(SessionError) as caught:
            patch()
        assert caught.value.code == case["error"]
        assert caught.value.help
        assert session.state_hash() == before
        return
    patch()
    if case.get("live"):
        play_turn(session, list(case["rules"]))
    ranges = session.ranges()
    assert {slot: ranges[slot] for slot in case["ranges"]} == case["ranges"]


@by_id(CASES["cases"])
def test_a_rule_patch_acts_from_the_next_turn(case: dict[str, Any]) -> None:
    session = played(case)

    def patch() -> None:
        if "patch" in case:
            session.patch_rule(*case["patch"])

    check(case, session, patch)


@by_id(CASES["slots"])
def test_a_slot_can_get_a_rule_of_its_own(case: dict[str, Any]) -> None:
    session = played(case)
    check(case, session, lambda: session.patch_slot(case["slot"], *case["rule"]))
