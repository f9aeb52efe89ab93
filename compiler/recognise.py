"""Which YAML files of a folder are rulesets, told from their text alone: cheap, and safe on any file."""

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


def is_scenario(text: bytes) -> bool:
    """Whether a file is a scenario: it has ``steps`` at its top level (contracts.md)."""
    return bool(_SCENARIO.search(text) or _JSON_SCENARIO.match(text[:4096]))
