"""JSON as text: an entry is put in or taken out, and every other byte stays as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ...grammar.errors import DccError

_BLANKS = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")
_SCALAR = re.compile(r"-?\d[\d.eE+-]*|true|false|null")

_DECODE = json.JSONDecoder().raw_decode

#: Deeper than any file of settings.
_DEEPEST: Final = 100


@dataclass(slots=True)
class Node:
    """A value and where it stands. ``start`` of a member of an object is that of its key."""

    start: int
    end: int
    value: Any
    depth: int
    children: list[Node] = field(default_factory=list)
    key: str | None = None
    inner: int = 0

    def get(self, key: str) -> Node | None:
        """The member of an object with this key, the last one that is there."""
        found = [child for child in self.children if child.key == key]
        return found[-1] if found and isinstance(self.value, dict) else None


def parse(text: str) -> Node:
    """The value of a text. Raises DccError (``bad_json``)."""
    try:
        start = 1 if text.startswith("\ufeff") else 0
        node = _value(text, _skip(text, start), 0)
        if _skip(text, node.end) != len(text):
            raise ValueError("there is more behind the value")
    except IndexError:
        raise DccError("bad_json", "this is not valid JSON: it ends too early", help="mend it by hand first") from None
    except (ValueError, RecursionError) as error:
        raise DccError("bad_json", f"this is not valid JSON: {error}", help="mend it by hand first") from None
    return node


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match is not None else at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise ValueError("it is nested too deeply")
    match text[at : at + 1]:
        case "{":
            return _container(text, at, depth, "}", {})
        case "[":
            return _container(text, at, depth, "]", [])
        case '"':
            value, end = _DECODE(text, at)
            return Node(at, end, value, depth, inner=at)
    scalar = _SCALAR.match(text, at)
    if scalar is None:
        raise ValueError(f"a value is expected at character {at}")
    return Node(at, scalar.end(), json.loads(scalar.group()), depth, inner=at)


def _container(text: str, at: int, depth: int, close: str, value: dict[str, Any] | list[Any]) -> Node:
    node = Node(at, at, value, depth, inner=at)
    position = _skip(text, at + 1)
    while text[position] != close:
        start, key = position, None
        if isinstance(value, dict):
            if text[position] != '"':
                raise ValueError(f"a key is expected at character {position}")
            key, position = _DECODE(text, position)
            position = _skip(text, position)
            if text[position] != ":":
                raise ValueError(f"a colon is expected at character {position}")
            position = _skip(text, position + 1)
        child = _value(text, position, depth + 1)
        child.start, child.key = start, key
        node.children.append(child)
        if isinstance(value, dict):
            value[str(key)] = child.value
        else:
            value.append(child.value)
        position = _skip(text, child.end)
        if text[position] == ",":
            position = _skip(text, position + 1)
            if text[position] == close:
                raise ValueError(f"a value is expected at character {position}")
        elif text[position] != close:
            raise ValueError(f"a comma is expected at character {position}")
    node.end = position + 1
    return node


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a member of this path; objects on the way to it are made. One that is there gets the value."""
    node = parse(text)
    for number, key in enumerate(path):
        if not isinstance(node.value, dict):
            raise DccError("bad_json", f"{'.'.join(path[:number]) or 'the file'} is no object", help="mend it by hand")
        child = node.get(key)
        if child is None:
            for missing in reversed(path[number + 1 :]):
                value = {missing: value}
            return _inserted(text, node, value, key)
        node = child
    return text[: node.inner] + _rendered(text, value, node.depth) + text[node.end :]


def append(text: str, path: Sequence[str], value: Any) -> str:
    """The text with one more value at the end of the list of this path, which is made when it is not there."""
    node = parse(text)
    for number, key in enumerate(path):
        child = node.get(key)
        if child is None:
            return put(text, path, [value])
        if number == len(path) - 1 and not isinstance(child.value, list):
            raise DccError("bad_json", f"{'.'.join(path)} is no list", help="mend it by hand")
        node = child
    return _inserted(text, node, value, None)


def take_out(text: str, path: Sequence[str | int]) -> str:
    """The text without the value of this path; what holds nothing else then goes too, but for the whole."""
    nodes = [parse(text)]
    for step in path:
        above = nodes[-1]
        child = above.children[step] if isinstance(step, int) else above.get(step)
        if child is None:
            return text
        nodes.append(child)
    while len(nodes) > 2 and len(nodes[-2].children) == 1:
        nodes.pop()
    above, gone = nodes[-2], nodes[-1]
    at = next(number for number, child in enumerate(above.children) if child is gone)
    if len(above.children) == 1:
        return text[: above.inner + 1] + text[above.end - 1 :]
    if at:
        return text[: above.children[at - 1].end] + text[gone.end :]
    return text[: gone.start] + text[above.children[1].start :]


def _inserted(text: str, above: Node, value: Any, key: str | None) -> str:
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    spread = "\n" in text[above.inner : above.end] if above.children else _is_spread(text)
    shown = name + (_rendered(text, value, above.depth + 1) if spread else json.dumps(value, ensure_ascii=False))
    if not spread:
        if above.children:
            last = above.children[-1].end
            return f"{text[:last]}, {shown}{text[last:]}"
        return f"{text[: above.inner + 1]}{shown}{text[above.end - 1 :]}"
    line, unit = _line_break(text), _unit(text)
    if above.children:
        last = above.children[-1].end
        return f"{text[:last]},{line}{unit * (above.depth + 1)}{shown}{text[last:]}"
    inside = f"{line}{unit * (above.depth + 1)}{shown}{line}{unit * above.depth}"
    return text[: above.inner + 1] + inside + text[above.end - 1 :]


def _is_spread(text: str) -> bool:
    """Whether the file has a line for each value; so has one that is empty yet."""
    return "\n" in text.strip() or len(text.strip(" \t\r\n\ufeff")) <= 2


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    match = _INDENT.search(text)
    return match.group(1) if match is not None else "  "


def _rendered(text: str, value: Any, depth: int) -> str:
    """A value as the file writes such."""
    if not _is_spread(text):
        return json.dumps(value, ensure_ascii=False)
    unit = _unit(text)
    shown = json.dumps(value, ensure_ascii=False, indent=unit)
    return shown.replace("\n", _line_break(text) + unit * depth)
