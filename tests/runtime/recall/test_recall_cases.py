"""Tokens, hits and triggers of recall, case by case from conformance/recall.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dcc.compiler.load import load_program
from dcc.runtime.recall.settings import recall_settings
from dcc.runtime.recall.tokens import query_tokens
from dcc.runtime.recall.triggers import fires
from dcc.runtime.session import Reply, Session

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[2] / "conformance" / "recall.yaml").read_text("utf-8")
)

EVERYTHING = {"life_cycle": {"think": ["born", None]}}


def by_id(cases: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


def asked(slots: list[dict[str, str]], turn: int, query: str, settings: dict[str, Any]) -> dict[str, int]:
    """Slot and score of each hit, when turn ``turn`` asks in a session that holds these slots."""
    section = {"recall": {"type": "grep", **settings}} if settings else {}
    session = Session.create(load_program({**EVERYTHING, **section}))
    for now in range(1, turn + 1):
        texts = {s["id"].split("@")[0]: s["text"] for s in slots if s["id"].endswith(f"@{now}")}
        session.begin(texts.pop("user", "…"), verbatim=True)
        if now == turn:
            break
        session.request()
        session.add_reply(Reply(texts.pop("assistant", "…"), thinking=texts.pop("think", "")))
        session.commit()
        for element, text in texts.items():
            session.add_entry(element, text)
    return {hit.slot: hit.score for hit in session.recall(query).hits}


@by_id(CASES["tokens"])
def test_tokens(case: dict[str, Any]) -> None:
    assert sorted(query_tokens(case["query"])) == sorted(case["tokens"])


@by_id(CASES["finds"])
def test_a_text_is_found(case: dict[str, Any]) -> None:
    hits = asked([{"id": "note@1", "text": case["text"]}], 2, case["query"], {"search_fields": ["note"]})
    assert hits == ({"note@1": case["score"]} if case["score"] else {})


@by_id(CASES["hits"])
def test_hits(case: dict[str, Any]) -> None:
    hits = asked(case["slots"], case["turn"], case["query"], case["settings"])
    assert list(hits) == case.get("order", list(case.get("hits", ())))
    assert {slot: hits[slot] for slot in case.get("hits", {})} == case.get("hits", {})


@by_id(CASES["triggers"])
def test_triggers(case: dict[str, Any]) -> None:
    section = {"type": "grep", "search_fields": ["user"], "trigger": case["trigger"]}
    settings = recall_settings(load_program({"recall": section}))
    assert fires(settings, case["message"]) is case["fires"]


def test_half_a_surrogate_pair_is_no_token_and_no_trouble() -> None:
    torn = "before \ud83c now"
    section = {"type": "grep", "search_fields": ["user"], "trigger": {"type": "pattern", "pattern": "before"}}
    assert query_tokens(torn) == {"before", "now"}
    assert fires(recall_settings(load_program({"recall": section})), torn)
