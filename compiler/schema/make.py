"""From the models of the IR to a JSON Schema that editors understand: draft 7, every key described."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel

from ..ir.ruleset import Ruleset
from ..ir.scenario import ScenarioFile
from .descriptions import DESCRIPTIONS

Of = Literal["ruleset", "scenario"]

#: yaml-language-server knows the drafts up to 7.
DRAFT = "http://json-schema.org/draft-07/schema#"

_MODELS: dict[Of, type[BaseModel]] = {"ruleset": Ruleset, "scenario": ScenarioFile}
_TITLES: dict[Of, str] = {"ruleset": "dcc ruleset", "scenario": "dcc scenario"}
_REF = "#/$defs/"


def json_schema(of: Of = "ruleset") -> dict[str, Any]:
    """The JSON Schema of a whole file. What it refuses, `dcc check` refuses; it knows less than that does."""
    schema = _MODELS[of].model_json_schema()
    models = {_MODELS[of].__name__: schema, **schema.pop("$defs", {})}
    for name, model in models.items():
        for mapping in _mappings(model):
            _describe(name, mapping)
    root = _drafted(schema)
    for value in root["properties"].values():
        _or_nothing(value)
    definitions = {name: _drafted(model) for name, model in models.items() if model is not schema}
    return {"$schema": DRAFT, "title": _TITLES[of], **root, "definitions": definitions}


def _mappings(model: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The mapping forms of a model: itself, or the ones among its ways to be written."""
    return (form for form in (model, *model.get("anyOf", ())) if "properties" in form)


def _describe(model: str, mapping: dict[str, Any]) -> None:
    for key, value in mapping["properties"].items():
        value["description"] = DESCRIPTIONS.get(f"{model}.{key}", value.get("description", ""))


def _drafted(value: Any) -> Any:
    """The same schema in the words of draft 7: definitions, and nothing beside a ``$ref``."""
    if isinstance(value, list):
        return [_drafted(item) for item in value]
    if not isinstance(value, dict):
        return value
    plain = {key: _drafted(item) for key, item in value.items() if not (key == "title" and isinstance(item, str))}
    if "$ref" in plain:
        plain["$ref"] = plain["$ref"].replace(_REF, "#/definitions/")
        if len(plain) > 1:
            plain["allOf"] = [{"$ref": plain.pop("$ref")}]
    if isinstance(plain.get("description"), str):
        plain["description"] = re.sub(r"\s+", " ", plain["description"].replace("``", "`")).strip()
    return plain


def _or_nothing(schema: dict[str, Any]) -> None:
    """A section that is left empty (``compact:``) is a section that is not there."""
    if not any(form.get("type") == "null" for form in schema.get("anyOf", ())):
        outside = ("description", "default")
        inner = {key: schema.pop(key) for key in list(schema) if key not in outside}
        schema["anyOf"] = [inner, {"type": "null"}]
