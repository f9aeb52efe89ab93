"""A Program as stable JSON and back. Elements are a list: their order decides which refinement wins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ..grammar.ast import Bound
from ..grammar.errors import DccError
from .program import ElementRow, Match, Program, Rule, Settle, Template

if TYPE_CHECKING:
    from .ops.model import OpTable

#: Version of the document that ``dcc compile`` writes.
SCHEMA_VERSION = 1


def dump_program(program: Program) -> str:
    """The program as one JSON document with sorted keys; equal programs give equal text."""
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "name": program.name,
        "digest": program.digest,
        "elements": [_row(row) for row in program.elements.values()],
        "roles": dict(program.roles),
        "python_roles": program.python_roles,
        "ending_template": _plain(program.ending_template),
        "folds": None if program.folds is None else list(program.folds),
        "events": {event: list(names) for event, names in program.events.items()},
        "settle": _plain(program.settle),
        "required_elements": list(program.required_elements),
        "patchable": sorted(program.patchable),
        "declared": sorted(program.declared),
        "sections": program.sections,
        "places": dict(program.places),
        "ops": None if program.ops is None else _plain_ops(program.ops),
    }
    return json.dumps(document, ensure_ascii=False, sort_keys=True, indent=1) + "\n"


def read_program(text: str) -> Program:
    """The program that ``dump_program`` wrote.

    Raises ``DccError`` (``bad_program``) when the text is no such document.
    """
    try:
        document = json.loads(text)
        version = document["schema_version"]
        if version != SCHEMA_VERSION:
            raise DccError(
                "bad_program",
                f"this program has schema version {version}, expected {SCHEMA_VERSION}",
                help="compile the ruleset again with this version of dcc",
            )
        rows = [_read_row(row) for row in document["elements"]]
        template, settle, folds = document["ending_template"], document["settle"], document["folds"]
        ops = document.get("ops")
        return Program(
            name=document["name"],
            digest=document["digest"],
            elements={row.name: row for row in rows},
            roles=document["roles"],
            python_roles=document["python_roles"],
            ending_template=None if template is None else Template(**template),
            folds=None if folds is None else tuple(folds),
            events={event: tuple(names) for event, names in document["events"].items()},
            settle=None if settle is None else Settle(**settle),
            required_elements=tuple(document["required_elements"]),
            patchable=frozenset(document["patchable"]),
            declared=frozenset(document["declared"]),
            sections=document["sections"],
            places=document.get("places", {}),
            ops=None if ops is None else _read_plain_ops(ops),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DccError(
            "bad_program",
            f"this is not a compiled program: {error}",
            help="write one with `dcc compile RULESET -o FILE`",
        ) from error


def is_program(document: Mapping[str, Any]) -> bool:
    """Whether a document is one that ``dump_program`` wrote, by keys that no ruleset has."""
    return {"schema_version", "digest", "elements", "patchable"} <= document.keys()


def _plain_ops(table: OpTable) -> list[dict[str, Any]]:
    # Few programs have operations: the others need not wait for what these import.
    from .ops.plain import plain_ops

    return plain_ops(table)


def _read_plain_ops(plain: list[dict[str, Any]]) -> OpTable:
    from .ops.plain import read_plain_ops

    return read_plain_ops(plain)


def _plain(value: Any) -> Any:
    """A frozen dataclass as a mapping of its fields; None stays None."""
    if value is None:
        return None
    return {f.name: getattr(value, f.name) for f in fields(value)}


def _row(row: ElementRow) -> dict[str, Any]:
    plain: dict[str, Any] = _plain(row)
    plain["rule"] = {"start": _plain(row.rule.start), "end": _plain(row.rule.end)}
    plain["match"] = [{"field": m.field, "test": m.test, "values": list(m.values)} for m in row.match]
    return plain


def _read_row(plain: dict[str, Any]) -> ElementRow:
    rule = Rule(Bound(**plain["rule"]["start"]), Bound(**plain["rule"]["end"]))
    match = tuple(Match(m["field"], m["test"], tuple(m["values"])) for m in plain["match"])
    return ElementRow(**{**plain, "rule": rule, "match": match})
