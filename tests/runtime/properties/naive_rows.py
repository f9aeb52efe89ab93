"""What the naive model knows of rows: refinements, keys, and what a row makes of a slot (language.md section 2)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from naive import PATCH, Piece

from dcc.compiler.program import ElementRow, Match, Program
from dcc.runtime.kernel.content import Call, encode
from dcc.runtime.kernel.representation import stand_in
from dcc.runtime.kernel.tokens import count_tokens

#: What a request shows of a result off stage that no stub is shorter than, while its call is on stage: the first that
#: is no longer than the result.
OFF_STAGE = ("[off stage]", "-", "")
#: Characters from which on an argument of a retired call is replaced, and what replaces it.
LONG_ARGUMENT = 200
MARKER = "artifact://0123456789abcdef"


@dataclass(eq=False)
class Item(Piece):
    """A piece that follows a row: its tool and arguments, its key, and when that was last touched."""

    row: ElementRow = field(default=ElementRow(""))
    args: Mapping[str, Any] = field(default_factory=dict)
    tool: str = ""
    key: str | None = None
    #: The turn, and the ordinal of the call, of the last touch.
    touch: tuple[int, int] = (0, 0)
    #: The completed calls when an undo last spared it.
    spared_at: int = 0
    #: The notes that it has had.
    notes: set[str] = field(default_factory=set)

    @property
    def content(self) -> Any:
        """What the slot holds."""
        return (Call("", self.tool, self.args),) if self.element == "toolCall" else self.text

    @property
    def tokens(self) -> int:
        """Its size in full."""
        return int(count_tokens(self.content))

    @property
    def is_small(self) -> bool:
        """Whether its row's end is not meant for it."""
        return self.tokens < self.row.min_tokens

    @property
    def retires_by_turns(self) -> bool:
        """Whether the last turn of its rule makes it due rather than close it: a patch's own turns always close."""
        is_patch = self.phase == PATCH and self.turn > 0
        return self.row.retire != "drop" or (self.row.keep_last > 0 and not is_patch)

    @property
    def outlasts_turns(self) -> bool:
        """Whether no turn of its rule takes it off stage."""
        return self.retires_by_turns or (self.is_small and self.element == "toolResult")

    def long_arguments(self, row: ElementRow) -> list[str]:
        """The arguments that a reduction replaces: long ones, but not the key of the chain's row."""
        key = (row.key or "").removeprefix("args.") if row.of == "chain" else None
        return [v for k, v in self.args.items() if isinstance(v, str) and len(v) > LONG_ARGUMENT and k != key]

    def stand_in(self, how: str) -> str | None:
        """What stands for its text; None when that would not be shorter."""
        digest = hashlib.sha256(encode(self.text)).hexdigest()
        note, preview = self.note, self.preview
        return stand_in(self.text, "stub" if how == "stub" else "ref", digest, note=note, preview=preview)


def is_longer(text: str, than: str) -> bool:
    """Whether a text has more characters or more tokens than another."""
    return len(text) > len(than) or count_tokens(text) > count_tokens(than)


def row_for(
    program: Program, element: str, tool: str, args: Mapping[str, Any], is_error: bool, tokens: int
) -> ElementRow:
    """The last refinement in file order that takes the slot, else the element's own row."""
    of = {"toolResult": ("toolResult", "chain"), "toolCall": ("toolCall",)}.get(element, ())
    facts = {"tool": tool, "is_error": is_error, "tokens": tokens, **{f"args.{k}": v for k, v in args.items()}}
    found = program.row(element)
    for row in program.elements.values():
        if row.of in of and all(holds(match, facts.get(match.field)) for match in row.match):
            found = row
    return found


def holds(match: Match, value: Any) -> bool:
    """Whether one match field holds of a value."""
    if match.test == "at_least":
        return isinstance(value, int) and value >= match.values[0]
    if match.test == "regex":
        return isinstance(value, str) and any(re.search(p, value) for p in match.values)
    return any(type(value) is type(v) and value == v for v in match.values)


def key_of(row: ElementRow, args: Mapping[str, Any], folder: str) -> str | None:
    """The normalised value of the row's key; None: it stands alone."""
    value = args.get(row.key.removeprefix("args.")) if row.key is not None else None
    if value is None or value == "":
        return None
    return one_spelling(value, folder) if isinstance(value, str) else json.dumps(value)


def one_spelling(path: str, folder: str) -> str:
    """A path without detours, relative to the folder when it lies in it."""
    names: list[str] = []
    for name in path.split("/"):
        if name == ".." and names and names[-1] != "..":
            names.pop()
        elif name == ".." and path.startswith("/"):
            continue
        elif name not in ("", "."):
            names.append(name)
    plain = ("/" if path.startswith("/") else "") + "/".join(names)
    return (plain + "/").removeprefix(folder + "/").removesuffix("/") or "."
