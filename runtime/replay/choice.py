"""The policies that ``dcc replay`` can print beside rulesets, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .calls import Replayed
from .history import History
from .policies.clearing import BATCH, clear_old_results
from .policies.holding import carry_out
from .policies.recorded import as_recorded
from .policies.summary import threshold_summary
from .policies.window import sliding_window

#: The measure of every other policy: it is always run, and always the first.
MEASURE: Final = "keep-everything"

#: What DynamicContext does without a word of configuration: results leave after five turns. A ruleset.
DYNAMIC_CONTEXT: Final[dict[str, Any]] = {
    "name": "dynamic-context",
    "life_cycle": {"toolResult": ["born", "born+5"]},
}

#: Reference policies over a history; each takes the history, its own name and the window in tokens.
REFERENCES: Final[dict[str, Callable[[History, str, int], Replayed]]] = {
    "as-recorded": lambda history, name, _: as_recorded(history, name),
    "clear-results": lambda history, name, _: carry_out(history, name, clear_old_results()),
    "clear-results-batched": lambda history, name, _: carry_out(history, name, clear_old_results(BATCH)),
    "threshold-summary": lambda history, name, window: carry_out(history, name, threshold_summary(window)),
    "sliding-window": lambda history, name, window: carry_out(history, name, sliding_window(window)),
}

#: Every name, in the order in which they are printed.
NAMES: Final = (MEASURE, "as-recorded", "dynamic-context", *list(REFERENCES)[1:])

#: Tokens of the context window that the reference policies are told of.
WINDOW: Final = 128_000
