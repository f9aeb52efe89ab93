"""Writes a graph as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final, get_args

from ..sound import sound_text
from .layout import Layout
from .model import Graph, Kind

#: The pieces of the script, in the order in which the page runs them.
_SCRIPTS: Final = ("words", "nodes", "view", "draw", "panel", "controls")

_KINDS: Final = get_args(Kind)
_BLANK: Final = re.compile(r"\{\{(\w+)\}\}")

#: What could end the element that holds the data, or begin another, as JSON may write it too.
_ESCAPED: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def page_of(graph: Graph, layout: Layout, name: str) -> str:
    """The page of a graph, which is called ``name``. One graph has one page, to the byte.

    Texts of the store stand in it as JSON, in which no markup can begin. The page may run only its own script: even
    markup that got into it would do nothing, and nothing can be loaded (Content Security Policy Level 3).
    """
    style = _piece("page.css")
    script = f'"use strict";\n(() => {{\n{"".join(_piece(f"{piece}.js") for piece in _SCRIPTS)}}})();\n'
    filled = {
        "name": html.escape(sound_text(name)),
        "policy": f"default-src 'none'; script-src {_hashed(script)}; style-src {_hashed(style)}; base-uri 'none'",
        "style": style,
        "script": script,
        "data": json.dumps(_data(graph, layout, name), ensure_ascii=False, separators=(",", ":")).translate(_ESCAPED),
    }
    return _BLANK.sub(lambda blank: filled[blank[1]], _piece("page.html"))


def _piece(name: str) -> str:
    return (files(__package__) / "web" / name).read_text(encoding="utf-8")


def _hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _data(graph: Graph, layout: Layout, name: str) -> dict[str, Any]:
    """What the script reads; a node is a list, in the order of its parts there."""
    return {
        "name": sound_text(name),
        "nodes": [
            [
                _KINDS.index(node.kind),
                *map(sound_text, (node.name, node.title, node.text, node.date, node.scope)),
                [*map(sound_text, node.lost)],
                *(round(part, 1) for part in (circle.x, circle.y, circle.radius)),
            ]
            for node, circle in zip(graph.nodes, layout.circles, strict=True)
        ],
        "edges": [end for edge in graph.edges for end in edge],
        "areas": [
            [sound_text(area.name), *(round(part, 1) for part in (area.circle.x, area.circle.y, area.circle.radius))]
            for area in layout.areas
        ],
    }
