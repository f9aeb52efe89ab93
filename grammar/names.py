"""The names that the language itself gives a meaning: elements, commands, modes."""

from __future__ import annotations

import re

#: An element name: letters of any script, digits, ``_`` and ``-``; starts with a word character
#: (``10_summary``, ``pin_user_p01``). language.md section 1, design.md section 2.
ELEMENT_NAME = re.compile(r"\w[\w-]*")

#: Elements that a provider protocol is made of. A person may patch them only at a line's start.
PROTOCOL_ELEMENTS = frozenset({"user", "assistant", "think", "toolCall", "toolResult", "recall"})

#: Elements that are patchable in any ruleset without being declared (language.md section 3, rule 2).
SHIPPED_PATCHABLE = frozenset({"goal", "constraint", "task_state"})

#: Words that a refinement's ``of`` may name (language.md section 2).
REFINABLE = frozenset({"toolResult", "toolCall", "chain"})

#: Every command word, without the slash (language.md section 4), with its aliases.
COMMANDS = frozenset(
    {
        "dc-rule", "dc-addrow", "dc-end", "pin", "cancelpin", "dc-keep", "dc-unkeep",
        "dc-compact", "compat", "dc-recall", "dc-status", "cpat", "canon", "pi-canon",
    }
)  # fmt: skip
