"""The page of a graph: one file that loads nothing, in which the texts of a store are never markup."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

from dcc.runtime.memory.graph.layout import laid_out
from dcc.runtime.memory.graph.model import Graph, Node
from dcc.runtime.memory.graph.page import page_of

HOSTILE = (
    "<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "<!--<script>", "]]>", "'\"`${1}\\",
    "供应商限额", "مرحبا", "\u202eabc", "a\u2028b", "\udcff", "{{script}}", "&lt;", "\x00\x1b",
)  # fmt: skip


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._in = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._in = dict(attrs).get("id") or tag

    def handle_data(self, data: str) -> None:
        self.texts[self._in] = self.texts.get(self._in, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._in = ""


def page_with(*texts: str, name: str = "project") -> str:
    nodes = tuple(Node("article", "", f"a/{text}", text, text, text, text, (text,)) for text in texts)
    graph = Graph(nodes, tuple((at, 0) for at in range(1, len(nodes))))
    return page_of(graph, laid_out(graph), name)


def data_of(page: str) -> Any:
    return json.loads(Elements(page).texts["data"])


def test_texts_of_a_store_add_no_element() -> None:
    plain, hostile = page_with("a"), page_with(*HOSTILE, name="</title><script>alert(1)</script>")
    assert Elements(hostile).found == Elements(plain).found
    assert Elements(hostile).texts["script"] == Elements(plain).texts["script"]


def test_texts_come_back_as_they_were() -> None:
    nodes = data_of(page_with(*HOSTILE))["nodes"]
    expected = [text.replace("\udcff", "\ufffd") for text in HOSTILE]
    assert [node[2] for node in nodes] == expected
    assert [node[6] for node in nodes] == [[text] for text in expected]


def test_what_the_page_is_given() -> None:
    data = data_of(page_with("a", "b", name="名"))
    assert data["name"] == "名"
    assert data["edges"] == [1, 0]
    assert [area[0] for area in data["areas"]] == ["a"]
    assert {len(node) for node in data["nodes"]} == {10}


def test_the_page_loads_nothing_and_runs_only_its_own_script() -> None:
    page = Elements(page_with(*HOSTILE))
    attributes = [name for _, attrs in page.found for name in attrs]
    assert {"src", "href", "srcset", "action", "style"}.isdisjoint(attributes)
    assert not any(name.startswith("on") for name in attributes)
    assert "url(" not in page.texts["style"]
    assert "@import" not in page.texts["style"]
    assert not any(word in page.texts["script"] for word in ("innerHTML", "fetch(", "import(", "http", "eval("))
    [policy] = [attrs["content"] for _, attrs in page.found if "http-equiv" in attrs]
    script, style = (b64encode(sha256(page.texts[tag].encode()).digest()).decode() for tag in ("script", "style"))
    assert policy == f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; base-uri 'none'"


def test_one_graph_has_one_page() -> None:
    assert page_with(*HOSTILE) == page_with(*HOSTILE)
