"""One way in for every file that is checked: rulesets, scenarios and operations, told apart by their text."""

from __future__ import annotations

from .load import CheckResult, check_source
from .recognise import is_canon_schema, is_ops, is_scenario
from .scenarios import check_scenario

#: How the name of a file of operations ends.
OPS = ".ops"


def check_file(path: str, text: str | bytes) -> CheckResult:
    """Check the text of a ruleset, of a scenario, of a ``.ops`` file, or of the ``schema.json`` of a canon store.

    ``path`` names it, and is where relative paths start.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if path.endswith(OPS) or is_ops(data):
        # Few runs check operations: the others need not wait for what that imports.
        from .ops.check import check_ops

        return check_ops(path, text)
    if is_canon_schema(path, data):
        from .canon.check_schema import check_schema

        return CheckResult(check_schema(path, text))
    return check_scenario(path, text) if is_scenario(data) else check_source(path, text)
