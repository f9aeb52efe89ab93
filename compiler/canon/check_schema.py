"""Checking a store's ``schema.json``: what is wrong with it, and where (``dcc check``, ``dcc canon lint``)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from ...grammar.spans import Span
from ..check import Subject, all_checks
from ..compose import decode
from ..construct import construct
from ..diagnostics import Diagnostic, sort_diagnostics
from ..documents import Chain, Document
from ..problem import Problem
from ..source import BOM, SourceMap
from .schema import FIELDS, SchemaProblem, json_value, schema_of

#: The one version that there is.
VERSION = 1

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def check_schema(path: str, text: str | bytes) -> tuple[Diagnostic, ...]:
    """The findings in the text of a ``schema.json``; ``path`` names it."""
    problems: list[Problem] = []
    if isinstance(text, bytes):
        text, problems = decode(text)
    data: Any = {}
    if not problems:
        try:
            data = json_value(text)
        except json.JSONDecodeError as error:
            at = error.pos + text.startswith(BOM)
            help = "mend it there, or a little before; JSON has no comments and no comma after the last entry"
            problems = [Problem("not-json", f"this is not valid JSON: {error.msg}", Span(at, at), help=help)]
        except ValueError as error:
            help = "write a number of JSON"
            problems = [Problem("not-json", f"this is not valid JSON: {error}", Span(0, 0), help=help)]
        except RecursionError:
            problems = [Problem("too-large", "values are nested too deeply", Span(0, 0), help="close the brackets")]
    source = SourceMap(path, text, _nodes(text))
    if not problems:
        problems = [problem for problem in construct(source)[1] if problem.name == "duplicate-key"]
        problems += [_problem(found) for found in schema_of(data).problems]
        problems += [] if any(problem.name == "wrong-type" for problem in problems) else _beyond(data)
    document = Document(source, "schema", data if isinstance(data, dict) else {})
    subject = Subject(Chain((document,), document.data), [(document, problem) for problem in problems])
    return sort_diagnostics(found for module in all_checks() for found in subject.found(module.CHECK))


def _problem(found: SchemaProblem) -> Problem:
    return Problem(found.name, found.message, found.path, help=found.help, on="key" if found.on_key else "value")


def _beyond(data: dict[str, Any]) -> Iterator[Problem]:
    """What only a check tells, since rules are enforced in spite of it."""
    version = data.get("schema_version", VERSION)
    if version != VERSION or isinstance(version, bool):
        message = f"schema_version is {json.dumps(version)}, expected {VERSION}"
        yield Problem("wrong-value", message, ("schema_version",), help=f"write {VERSION}")
    for field in FIELDS:
        rule = (data.get("article") or {}).get(field, {})
        least, most = rule.get("min_chars", 0), rule.get("max_chars")
        if most is not None and least > most:
            message = f"no {field} has at least {least} and at most {most} characters"
            yield Problem("wrong-value", message, ("article", field, "min_chars"), help="lower min_chars")


def _nodes(text: str) -> yaml.Node | None:
    """The node tree of JSON, for places alone: JSON that YAML does not read is changed without moving anything."""
    text = _SURROGATE.sub(r"\\u0020", text.removeprefix(BOM).replace("\t", " "))
    try:
        return yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return None
