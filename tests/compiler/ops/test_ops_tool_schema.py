"""The tools made from declared operations."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from dcc.compiler.documents import shipped_ops_path
from dcc.compiler.ops.model import OpTable
from dcc.compiler.ops.source import read_ops_file
from dcc.compiler.ops.tool_schema import artifact_get, context_tools, context_update, signature

SHIPPED = shipped_ops_path("cpat")
assert SHIPPED is not None
CPAT = OpTable(read_ops_file("cpat.ops", SHIPPED.read_bytes()).table)


def table_of(text: str) -> OpTable:
    file = read_ops_file("mine.ops", text)
    assert file.faults == ()
    return OpTable(file.table)


def parameters(table: OpTable = CPAT, gates: tuple[str, ...] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = context_update(table, "anthropic", gates)["input_schema"]
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def operation(table: OpTable = CPAT, gates: tuple[str, ...] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = parameters(table, gates)["properties"]["operations"]["items"]
    return found


def accepts(value: object, schema: dict[str, Any]) -> bool:
    return jsonschema.Draft202012Validator(schema).is_valid(value)


def test_the_two_formats_hold_the_same() -> None:
    openai, anthropic = context_update(CPAT, "openai"), context_update(CPAT, "anthropic")
    assert openai["type"] == "function"
    assert openai["function"]["parameters"] == anthropic["input_schema"]
    assert openai["function"]["name"] == anthropic["name"] == "context_update"
    assert artifact_get("openai")["function"]["parameters"] == artifact_get("anthropic")["input_schema"]


def test_a_transaction() -> None:
    schema = parameters()
    op = {"op": "payload_offload", "ids": ["toolResult@1"], "description": "a", "content": "b", "retrieval_hint": "c"}
    assert accepts({"reason": "room", "operations": [op]}, schema)
    assert accepts({"reason": "nothing to do", "operations": []}, schema)
    assert not accepts({"operations": [op]}, schema)
    assert not accepts({"reason": "room"}, schema)
    assert not accepts({"reason": "room", "operations": [], "note": 1}, schema)


@pytest.mark.parametrize(
    ("wrong", "accepted"),
    [
        ({}, True),
        ({"ids": "toolResult@1"}, False),
        ({"op": "delete"}, False),
        ({"visibility": "gone"}, False),
        ({"visibility": "hidden"}, True),
        ({"preserve": "x"}, False),
        ({"comment": "x"}, False),
    ],
)
def test_an_operation_is_flat_and_closed(wrong: dict[str, Any], accepted: bool) -> None:
    assert accepts({"op": "set_visibility", "ids": ["user@1"], **wrong}, operation()) is accepted


def test_every_op_and_every_argument_is_in_it() -> None:
    found = operation()
    assert found["properties"]["op"]["enum"] == list(CPAT.ops)
    assert set(found["properties"]) == {"op", *(a.name for op in CPAT.ops.values() for a in op.args)}
    assert found["required"] == ["op", "ids"]
    for op in CPAT.ops.values():
        assert f"{signature(op)}: {op.doc}" in found["properties"]["op"]["description"]


def test_what_is_behind_a_closed_gate_is_not_offered() -> None:
    assert operation(gates=())["properties"]["op"]["enum"] == list(CPAT.ops)[:6]
    assert operation(gates=("redact",))["properties"]["op"]["enum"] == [*list(CPAT.ops)[:6], "redact"]


def test_without_an_operation_to_offer_there_is_no_tool() -> None:
    """Providers refuse a schema whose choice is of nothing."""
    gated = table_of("op away gate tidy { ids: slots effect hold archived }")
    assert context_tools(OpTable(), "openai") == context_tools(gated, "openai", ()) == []
    assert [tool["name"] for tool in context_tools(gated, "anthropic", ("tidy",))] == ["context_update"]


def test_an_argument_says_what_each_op_means_by_it() -> None:
    said = operation()["properties"]["preserve"]["description"]
    assert "compact: literal strings" in said
    assert "redact: names of fields" in said


def test_types_of_one_name_are_joined() -> None:
    table = table_of(
        """
        op one { ids: slots  few: count  what: text  how: word(a|b)  sure: flag  effect lift }
        op two { slot: slot  few: texts  what: text  how: word(b|c) = c "the way"  effect lift }
        """
    )
    properties = operation(table)["properties"]
    assert properties["few"] == {
        "anyOf": [{"type": "integer", "minimum": 0}, {"type": "array", "items": {"type": "string"}}]
    }
    assert properties["how"] == {
        "type": "string", "enum": ["a", "b", "c"], "description": "two: the way (default c)",
    }  # fmt: skip
    assert (properties["slot"], properties["sure"]) == ({"type": "string"}, {"type": "boolean"})
    assert operation(table)["required"] == ["op"]


def test_it_is_the_same_text_each_time() -> None:
    assert json.dumps(context_update(CPAT, "openai")) == json.dumps(context_update(CPAT, "openai"))
