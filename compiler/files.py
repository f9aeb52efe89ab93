"""One way in for every file that is checked: rulesets and scenarios, told apart by their text."""

from __future__ import annotations

from .load import CheckResult, check_source
from .recognise import is_scenario
from .scenarios import check_scenario


def check_file(path: str, text: str | bytes) -> CheckResult:
    """Check the text of a ruleset or of a scenario. ``path`` names it, and is where relative paths start."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return check_scenario(path, text) if is_scenario(data) else check_source(path, text)
