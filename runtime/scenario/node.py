"""Reading plain data strictly: every value knows its place, every problem is kept, none stops the reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...compiler.problem import KeyPath, Problem, nearest, one_of, quote


def kind_of(value: object) -> str:
    """What a value is, in the words of someone who writes YAML."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case Mapping():
            return "a mapping"
        case list() | tuple():
            return "a list"
    return f"a {type(value).__name__}"


@dataclass(frozen=True, slots=True)
class Node:
    """A value, its path from the root, and the list in which problems are kept."""

    value: Any
    path: KeyPath
    problems: list[Problem]

    def problem(self, name: str, message: str, help: str | None = None) -> None:
        """Keep a problem with this value."""
        self.problems.append(Problem(name, message, self.path, help))

    def wrong(self, expected: str, help: str | None = None) -> None:
        """Keep the problem that this value is not what was expected."""
        name = f"`{self.path[-1]}`" if self.path and isinstance(self.path[-1], str) else "this item"
        if not self.path:
            name = "the file"
        self.problem("wrong-type", f"{name} is {kind_of(self.value)}, expected {expected}", help)

    def child(self, key: str | int, value: Any) -> Node:
        """The node of a value inside this one."""
        return Node(value, (*self.path, key), self.problems)

    def fields(self, *known: str) -> dict[str, Node]:
        """The entries of a mapping; an unknown key is a problem that names the nearest known one."""
        if not isinstance(self.value, Mapping):
            self.wrong(f"a mapping with {one_of(known)}")
            return {}
        found: dict[str, Node] = {}
        for key, value in self.value.items():
            if key in known:
                found[key] = self.child(key, value)
            else:
                self._unknown(str(key), known)
        return found

    def _unknown(self, key: str, known: tuple[str, ...]) -> None:
        near = nearest(key, known)
        mend = f"did you mean `{near}`?" if near else f"expected {one_of(known)}"
        where = (*self.path, key)
        self.problems.append(Problem("unknown-key", f"unknown key {quote(key)}", where, mend, on="key"))

    def items(self) -> Iterator[Node]:
        """The items of a list."""
        if not isinstance(self.value, list | tuple):
            self.wrong("a list")
            return
        for index, value in enumerate(self.value):
            yield self.child(index, value)

    def text(self) -> str:
        """Text; anything else is a problem."""
        if isinstance(self.value, str):
            return self.value
        self.wrong("text", "put it in quotes" if isinstance(self.value, bool | int | float) else None)
        return ""

    def whole(self, least: int = 0, expected: str | None = None) -> int:
        """A whole number, at least ``least``; ``expected`` words it otherwise."""
        if isinstance(self.value, int) and not isinstance(self.value, bool) and self.value >= least:
            return self.value
        self.wrong(expected or f"a whole number, {least} or more")
        return least

    def truth(self) -> bool:
        """``true`` or ``false``."""
        if isinstance(self.value, bool):
            return self.value
        self.wrong("true or false")
        return False

    def mapping(self) -> Mapping[str, Any]:
        """Any mapping, taken as it stands."""
        if isinstance(self.value, Mapping):
            return self.value
        self.wrong("a mapping")
        return {}
