"""Reads the acts of a ``do`` step: what a host does with a session between messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...compiler.problem import one_of
from ..values import HOST_REASONS
from .model import Action
from .node import Node

#: An argument's reader: takes the node as written, keeps a problem or gives the value.
_Reader = Callable[[Node], Any]


def _text(node: Node) -> str:
    return node.text()


def _text_or_none(node: Node) -> str | None:
    return None if node.value is None else node.text()


def _anything(node: Node) -> Any:
    return node.value


def _turn(node: Node) -> int | None:
    return None if node.value is None else node.whole(1)


def _count(node: Node) -> int | None:
    """A count as in a patch line: ``none``, or leaving it out, is no end."""
    return None if node.value in (None, "none") else node.whole(1)


def _how(node: Node) -> str:
    if node.value not in ("full", "ref", "stub"):
        node.wrong("full, ref or stub")
    return str(node.value)


def _transactions(node: Node) -> int | str:
    """``n`` takes back the newest n transactions, ``"#t"`` takes back one (kernel.md section 3)."""
    if isinstance(node.value, str) and node.value.startswith("#") and node.value[1:].isdecimal():
        return node.value
    return node.whole(1, 'a number of transactions, or one of them as "#17"')


def _operations(node: Node) -> Any:
    """Operations as a model might send them: what is wrong with them is for the session to say."""
    return node.value


def _actor(node: Node) -> str:
    if node.value not in ACTORS:
        node.wrong(one_of(ACTORS))
    return str(node.value)


def _base(node: Node) -> int | str:
    """The number of a transaction; ``last``: of the newest."""
    return "last" if node.value == "last" else node.whole(0, "the number of a transaction, or last")


def _reason(node: Node) -> str:
    if node.value not in HOST_REASONS:
        node.wrong(one_of(HOST_REASONS))
    return str(node.value)


#: Who may ask for operations.
ACTORS = ("agent", "runtime", "person")

#: Every act, with its arguments. One argument alone is written without its name.
ARGUMENTS: Mapping[str, Mapping[str, _Reader]] = {
    "close": {"slot": _text},
    "reopen": {"slot": _text},
    "keep": {"slot": _text_or_none},
    "unkeep": {"slot": _text},
    "patch": {"element": _text, "content": _text, "mode": _text, "turns": _count, "at": _turn},
    "rule": {"element": _text, "start": _anything, "end": _anything, "mode": _text},
    "pin": {"text": _text},
    "cancelpin": {"pin": _text},
    "end": {"target": _text},
    "represent": {"slot": _text, "as": _how},
    "undo": {"n": _transactions},
    "entry": {"element": _text, "content": _text},
    "update": {"reason": _text, "operations": _operations, "actor": _actor, "key": _text, "base": _base},
    "host_compaction": {"reason": _reason},
}

#: Arguments that may be left out, with what they then are (as on the chat line; a patch remains).
DEFAULTS: Mapping[str, Any] = {
    "turns": None, "at": None, "start": "born", "end": None, "actor": "agent", "key": None, "base": None,
}  # fmt: skip
MODES = {"patch": "remain", "rule": "forward"}


def read_actions(node: Node) -> tuple[Action, ...]:
    """The acts of a ``do`` list, in order."""
    return tuple(action for item in node.items() for action in _read(item))


def _read(node: Node) -> list[Action]:
    fields = node.fields(*ARGUMENTS)
    if len(fields) > 1:
        node.problem("action", "an item of `do` is one act", "start a new item with `- ` for each")
    return [Action(name, _arguments(name, field), field.path) for name, field in fields.items()]


def _arguments(name: str, node: Node) -> dict[str, Any]:
    readers = ARGUMENTS[name]
    if len(readers) == 1:
        ((argument, reader),) = readers.items()
        return {argument: reader(node)}
    fields = node.fields(*readers)
    optional = {**DEFAULTS, "mode": MODES.get(name)}
    for needed in readers:
        if needed not in fields and needed not in optional and fields:
            node.problem("missing-key", f"`{name}` needs `{needed}`")
    given = {key: readers[key](field) for key, field in fields.items()}
    return {key: given.get(key, optional.get(key)) for key in readers}
