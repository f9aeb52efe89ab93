"""Rulesets under which random transactions are tried: every kind of rule, narrow contexts, closed gates, what ships."""

from __future__ import annotations

from typing import Any

from dcc.compiler.load import load_program
from dcc.compiler.program import Program

#: Every kind of rule and every way of retiring, beside operations.
EVERYTHING: dict[str, Any] = {
    "life_cycle": {
        "user": ["born", None],
        "assistant": ["born", "born+8"],
        "think": ["born", "born"],
        "toolCall": ["born", None],
        "toolResult": {"start": "born", "end": "born+6 calls", "retire": "offload", "min_tokens": 20},
        "read": {
            "of": "toolResult", "match": {"tool": "read"}, "key": "args.path", "end": "idle+8 calls",
            "supersede": True, "retire": "stub",
        },
        "edits": {
            "of": "chain", "match": {"tool": "edit"}, "key": "args.path", "end": "idle+7 calls", "retire": "offload",
        },
        "found": {"of": "toolResult", "match": {"tool": "grep"}, "at_most": 3, "keep_last": 1, "end": "born+3"},
        "goal": ["born", "born+2"],
        "constraint": ["born", "until_goal_end"],
        "hint": ["born", "until_superseded"],
    },
    "settle": {"every": "3 calls", "min_tokens": 60},
    "context": {"patch_end": {"enabled": True, "template": "Done: {element}. {content}"}},
    "compact": {
        "fields": ["user", "assistant"],
        "compressors": {
            "summary": {"prompt": "{content}", "periodic": {"interval_turns": 5, "keep_recent_turns": 3}}
        },
    },
}  # fmt: skip
KEPT: dict[str, Any] = {
    "life_cycle": {element: ["born", None] for element in ("user", "assistant", "toolCall", "toolResult", "think")}
}

SHIPPED = ("coding", "tutor", "toolloop", "frugal", "research", "standard")

#: (rules, limit of the context in tokens, gates): sessions take them in turn.
BOTH = ["replace", "redact"]
_RULES: tuple[tuple[dict[str, Any], int, list[str]], ...] = (
    (EVERYTHING, 60_000, BOTH),
    (KEPT, 60_000, BOTH),
    (KEPT, 2_500, BOTH),
    (EVERYTHING, 3_000, []),
    *(({"extends": [name]}, 60_000, BOTH) for name in SHIPPED),
)
PROGRAMS: tuple[Program, ...] = tuple(
    load_program({
        "name": f"rules {number}", **rules, "governance": {"ops": "cpat", "max_context": limit, "gates": gates},
    })
    for number, (rules, limit, gates) in enumerate(_RULES)
)  # fmt: skip
