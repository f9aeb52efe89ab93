"""The JSON Schemas: draft 7, every key described, and true of every file that dcc takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from dcc.compiler.files import check_file
from dcc.compiler.recognise import is_canon_schema, is_scenario
from dcc.compiler.schema.descriptions import DESCRIPTIONS
from dcc.compiler.schema.make import DRAFT, Of, json_schema

ROOT = Path(__file__).parents[2]
KINDS: tuple[Of, ...] = ("ruleset", "scenario")

#: Problems of shape: what a schema can see, too.
SHAPE = {"unknown-key", "wrong-type", "wrong-value", "not-a-pair", "bad-bound"}


def _files(folder: str) -> Iterator[Path]:
    for path in sorted((ROOT / folder).rglob("*.yaml")):
        data = path.read_bytes()
        if not is_canon_schema(str(path), data) and not check_file(str(path), data).diagnostics:
            yield path


VALID = [*_files("rulesets"), *_files("tests/checks"), *_files("tests/conformance/scenarios")]


def _validator(data: bytes) -> Draft7Validator:
    return Draft7Validator(json_schema("scenario" if is_scenario(data) else "ruleset"))


@pytest.mark.parametrize("of", KINDS)
def test_it_is_a_schema_of_draft_7(of: Of) -> None:
    schema = json_schema(of)
    assert schema["$schema"] == DRAFT
    Draft7Validator.check_schema(schema)
    text = json.dumps(schema)
    assert all(word not in text for word in ("prefixItems", "$defs", "unevaluated", "dependentSchemas"))


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_without_findings_is_valid(path: Path) -> None:
    data = path.read_bytes()
    errors = [error.message for error in _validator(data).iter_errors(yaml.load(data, yaml.CSafeLoader))]
    assert errors == []


@pytest.mark.parametrize("name", sorted(SHAPE))
def test_a_file_of_a_wrong_shape_is_not(name: str) -> None:
    data = (ROOT / "tests" / "checks" / name / "bad.yaml").read_bytes()
    assert not _validator(data).is_valid(yaml.load(data, yaml.CSafeLoader))


@pytest.mark.parametrize("of", KINDS)
def test_every_key_is_described(of: Of) -> None:
    blank = [path for path, schema in _properties(json_schema(of), ()) if not schema.get("description")]
    assert blank == []


def test_every_description_is_of_a_key() -> None:
    named = {key for of in KINDS for key in _model_keys(json_schema(of), of)}
    # byProvider stands in the policy of a scope only.
    assert set(DESCRIPTIONS) - named == {"ToolPolicy.byProvider"}


def _properties(schema: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    if isinstance(schema, list):
        for item in schema:
            yield from _properties(item, path)
    if isinstance(schema, dict):
        for key, value in schema.get("properties", {}).items():
            # The steps of the ladder are described where the ladder is.
            if "minProperties" not in schema:
                yield (*path, key), value
        for key, value in schema.items():
            yield from _properties(value, (*path, key))


def _model_keys(schema: dict[str, Any], of: Of) -> Iterator[str]:
    root = {"ruleset": "Ruleset", "scenario": "ScenarioFile"}[of]
    for model, body in {root: schema, **schema["definitions"]}.items():
        for form in (body, *body.get("anyOf", ())):
            yield from (f"{model}.{key}" for key in form.get("properties", ()))
