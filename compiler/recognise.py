"""Which files of a folder are dcc's, and of what kind, told from their text alone: cheap, and safe on any file."""

from __future__ import annotations

import re

# Sections that only a ruleset has, at the left margin.
_RULESET = re.compile(rb"^(?:\xef\xbb\xbf)?(?:life_cycle|rolling_front_params|governance)\s*:", re.MULTILINE)
_EXTENDS = re.compile(rb"^extends\s*:", re.MULTILINE)
_SECTION = re.compile(
    rb"^(?:name|settle|context|compact|recall|tools|recovery|pruning|canon)\s*:", re.MULTILINE
)
_SCENARIO = re.compile(rb"^steps\s*:", re.MULTILINE)
# Other tools have `steps` too; what a step of a scenario does, and which ruleset it is for, is dcc's.
_STEP = re.compile(rb"^ruleset\s*:|^\s*-\s*(?:\{\s*)?(?:user|do|resume|abort)\s*:", re.MULTILINE)
_JSON_SCENARIO = re.compile(rb'^\s*\{.*?"steps"\s*:\s*\[', re.DOTALL)
_OPS = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t\r\n]|#[^\n]*\n)*op[ \t]+[A-Za-z_][\w-]*\s*(?:\{|(?:reversed|gate)\s)")
_CANON_SCHEMA = re.compile(rb'\s*(?:\xef\xbb\xbf)?\{(?=.*"(?:article|relations)"\s*:).*"schema_version"\s*:', re.DOTALL)

#: Sections of lesser weight that together mark a ruleset.
ENOUGH_SECTIONS = 2


def is_ours(text: bytes) -> bool:
    """Whether a YAML file found in a folder is meant for dcc; other people's YAML lies there too."""
    if is_scenario(text):
        return bool(_STEP.search(text))
    if _RULESET.search(text):
        return True
    sections = len(set(_SECTION.findall(text))) + bool(_EXTENDS.search(text))
    return sections >= ENOUGH_SECTIONS


def is_ops(text: bytes) -> bool:
    """Whether a file declares operations: its first word but comments is ``op`` (language.md section 6)."""
    return bool(_OPS.match(text))


def is_scenario(text: bytes) -> bool:
    """Whether a file is a scenario: it has ``steps`` at its top level (contracts.md)."""
    return bool(_SCENARIO.search(text) or _JSON_SCENARIO.match(text[:4096]))


def is_canon_schema(path: str, text: bytes) -> bool:
    """Whether a file is the schema of a canon store: by its name, or by what it holds."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name == "schema.json" or bool(_CANON_SCHEMA.match(text[:4096]))
